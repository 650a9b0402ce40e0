// Package cache holds whole conversations with a provider that counts cached tokens as
// the real one does, over its real wire: that every model call reads what the one
// before left in the cache, and that the cache doctor names what keeps it from that.
package cache
