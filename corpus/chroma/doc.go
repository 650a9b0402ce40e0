// Package chroma serves the corpus from a Chroma server over its /api/v2: a tenant of
// ours is a tenant there, and vectors are found by the server.
//
// The server resolves a collection by its id and does not look at the tenant in the
// path, so isolation is made here. The id of a collection is looked up for each
// request under the tenant and database of the scope, never taken from outside; what
// comes back must name that tenant, database and collection; and each row carries the
// tenant as a stamp that is asked for and checked again on reading.
//
// Words find candidates by what documents and labels contain; the order is made here,
// as the embedded corpus makes it.
package chroma
