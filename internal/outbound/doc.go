// Package outbound is the one way out: the HTTP client that providers, stores
// and push targets are reached with. It lets a request go only to a host that
// the operator named, checks the address that is really dialled, follows no
// redirect to another host, bounds what comes back and tells a recorder what
// left. Beside it stand the pieces that every streaming adapter needs: a watch
// over silence, a bound on events, and the wording of an upstream's failure.
package outbound
