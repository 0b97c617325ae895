package archive

import "github.com/hashicorp/golang-lru/v2/simplelru"

// maxRecent is how many values a cache holds. Neighbouring blocks are read together, so a few are enough.
const maxRecent = 4

// NewRecent returns a cache of the most recently used values. It returns an interface: each package that sees an archive
// would compile the cache.
func NewRecent[K comparable, V any]() simplelru.LRUCache[K, V] {
	recent, _ := simplelru.NewLRU[K, V](maxRecent, nil) // fails only for a size below 1
	return recent
}
