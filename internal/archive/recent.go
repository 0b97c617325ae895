package archive

import "slices"

// maxRecent is how many values a cache holds. Neighbouring blocks are read together, so a few are enough.
const maxRecent = 4

// Recent is a cache of the most recently used values.
type Recent[K comparable, V any] struct {
	order []K // the most recently used last
	of    map[K]V
}

// Get returns a value, and whether there is one.
func (r *Recent[K, V]) Get(key K) (V, bool) {
	value, known := r.of[key]
	if known {
		at := slices.Index(r.order, key)
		r.order = append(slices.Delete(r.order, at, at+1), key)
	}
	return value, known
}

// Keep adds a value under a new key.
func (r *Recent[K, V]) Keep(key K, value V) {
	if r.of == nil {
		r.of = map[K]V{}
	}
	if len(r.order) == maxRecent {
		delete(r.of, r.order[0])
		r.order = r.order[1:]
	}
	r.order = append(r.order, key)
	r.of[key] = value
}
