package web

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// mostInCache is how many bytes of answers are kept in memory, and mostOfOne is how many of one: a
// longer one is made again.
const (
	mostInCache = 64 << 20
	mostOfOne   = 2 << 20
)

// kept is an answer that was made.
type kept struct {
	contentType string
	name        string // of the file, where it is one
	body        []byte
}

// cache keeps answers by their ETags: what has one never changes. Those that were asked for least
// lately go first.
type cache struct {
	mutex sync.Mutex
	list  *simplelru.LRU[string, kept]
	size  int
}

func newCache() *cache {
	c := &cache{}
	c.list, _ = simplelru.NewLRU(mostInCache, func(_ string, k kept) { c.size -= len(k.body) }) // its only error is of a size of 0
	return c
}

func (c *cache) get(tag string) (kept, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.list.Get(tag)
}

func (c *cache) add(tag string, k kept) {
	if len(k.body) > mostOfOne {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.list.Remove(tag)
	c.list.Add(tag, k)
	for c.size += len(k.body); c.size > mostInCache; {
		c.list.RemoveOldest()
	}
}
