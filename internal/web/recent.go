package web

import "container/list"

// recent is a map that tracks which value was used longest ago. It is not safe for concurrent use.
type recent[K comparable, V any] struct {
	at    map[K]*list.Element
	order *list.List // of items, most recently used first
}

type item[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any]() *recent[K, V] {
	return &recent[K, V]{map[K]*list.Element{}, list.New()}
}

// get returns the value of a key and marks it as the most recently used.
func (r *recent[K, V]) get(key K) (value V, found bool) {
	element, found := r.at[key]
	if !found {
		return value, false
	}
	r.order.MoveToFront(element)
	return element.Value.(item[K, V]).value, true
}

// add stores a value and replaces any previous one.
func (r *recent[K, V]) add(key K, value V) {
	r.remove(key)
	r.at[key] = r.order.PushFront(item[K, V]{key, value})
}

// remove removes a key and returns its value.
func (r *recent[K, V]) remove(key K) (value V, found bool) {
	element, found := r.at[key]
	if !found {
		return value, false
	}
	delete(r.at, key)
	return r.order.Remove(element).(item[K, V]).value, true
}

// oldest returns the key of the least recently used value.
func (r *recent[K, V]) oldest() K { return r.order.Back().Value.(item[K, V]).key }
