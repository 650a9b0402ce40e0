package gitrepo

import "sync"

// maxCachedBytes bounds what is kept of a repository's blobs in memory.
const maxCachedBytes = 32 << 20

// blobCache keeps contents by object id; what it holds can never be out of date.
// When it is full it starts again: a deck fits, and a cold read is one git call.
type blobCache struct {
	mu    sync.Mutex
	limit int
	size  int
	data  map[string][]byte
}

func newBlobCache(limit int) *blobCache {
	return &blobCache{limit: limit, data: map[string][]byte{}}
}

func (c *blobCache) get(id string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, ok := c.data[id]
	return data, ok
}

func (c *blobCache) put(id string, data []byte) {
	if len(data) > c.limit/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.data[id]; ok {
		return
	}
	if c.size+len(data) > c.limit {
		c.data, c.size = map[string][]byte{}, 0
	}
	c.data[id] = data
	c.size += len(data)
}
