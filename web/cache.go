package web

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// mostKept is how many bytes of answers are kept in memory, and mostKeptOne is how many of one: a
// longer one is made again.
const (
	mostKept    = 64 << 20
	mostKeptOne = 2 << 20
)

// kept is an answer that was made.
type kept struct {
	contentType string
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
	c.list, _ = simplelru.NewLRU(mostKept, func(_ string, k kept) { c.size -= len(k.body) }) // its only error is of a size of 0
	return c
}

func (c *cache) get(tag string) (kept, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.list.Get(tag)
}

func (c *cache) add(tag string, k kept) {
	if len(k.body) > mostKeptOne {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.list.Remove(tag)
	c.list.Add(tag, k)
	for c.size += len(k.body); c.size > mostKept; {
		c.list.RemoveOldest()
	}
}
