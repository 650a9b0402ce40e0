//go:build race

package providertest

// stride is how many bytes lie between two cuts: under the race detector every
// cut would take minutes and show nothing that these do not.
const stride = 29
