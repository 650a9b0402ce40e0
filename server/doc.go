// Package server puts an agent together and hands the host its handlers: store,
// vault, providers, corpus, registry, engine and the HTTP presenter. It is the
// only place where the sockets and the road meet.
package server
