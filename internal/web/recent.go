package web

import "container/list"

// recent keeps values by key, and knows which was used longest ago. It is for one goroutine at a time.
type recent[K comparable, V any] struct {
	at    map[K]*list.Element
	order *list.List // of items, the one used last first
}

type item[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any]() *recent[K, V] {
	return &recent[K, V]{map[K]*list.Element{}, list.New()}
}

// get returns the value of a key, which is then the one used last.
func (r *recent[K, V]) get(key K) (value V, found bool) {
	element, found := r.at[key]
	if !found {
		return value, false
	}
	r.order.MoveToFront(element)
	return element.Value.(item[K, V]).value, true
}

// add keeps a value in place of one that the key had.
func (r *recent[K, V]) add(key K, value V) {
	r.remove(key)
	r.at[key] = r.order.PushFront(item[K, V]{key, value})
}

// remove returns what it removed.
func (r *recent[K, V]) remove(key K) (value V, found bool) {
	element, found := r.at[key]
	if !found {
		return value, false
	}
	delete(r.at, key)
	return r.order.Remove(element).(item[K, V]).value, true
}

// oldest returns the key of the value that was used longest ago.
func (r *recent[K, V]) oldest() K { return r.order.Back().Value.(item[K, V]).key }
