package web

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// once shares one computation among concurrent requests for the same key, and caches results up to a total
// size. A computation that no request waits for is cancelled.
type once[T any] struct {
	limit  int // maximum bytes cached
	sizeOf func(T) int

	mutex  sync.Mutex
	kept   *simplelru.LRU[string, T]
	size   int
	making map[string]*making[T]
}

// making is a computation in progress.
type making[T any] struct {
	done    chan struct{}
	value   T
	err     error
	waiting int // number of waiting requests
	giveUp  context.CancelFunc
}

func newOnce[T any](limit int, sizeOf func(T) int) *once[T] {
	o := &once[T]{limit: limit, sizeOf: sizeOf, making: map[string]*making[T]{}}
	o.kept, _ = simplelru.NewLRU(math.MaxInt, func(_ string, dropped T) { o.size -= sizeOf(dropped) })
	return o
}

// newCounted returns a cache of a number of values.
func newCounted[T any](limit int) *once[T] { return newOnce(limit, func(T) int { return 1 }) }

// find returns the cached value of a key.
func (o *once[T]) find(key string) (T, bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.kept.Get(key)
}

// forget drops the cached values whose keys begin with prefix.
func (o *once[T]) forget(prefix string) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, key := range o.kept.Keys() {
		if strings.HasPrefix(key, prefix) {
			o.kept.Remove(key)
		}
	}
}

// add caches a value computed elsewhere.
func (o *once[T]) add(key string, value T) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.keep(key, value)
}

// get returns the value of a key, from the cache or from build, which gets limit as its timeout. The result of
// build is cached if it reports keep.
func (o *once[T]) get(ctx context.Context, limit time.Duration, key string, build func(context.Context) (value T, keep bool, err error)) (value T, err error) {
	for {
		m, found := o.join(ctx, limit, key, &value, build)
		if found {
			return value, nil
		}
		select {
		case <-m.done:
			late := errors.Is(m.err, context.DeadlineExceeded) || errors.Is(m.err, context.Canceled)
			if late && ctx.Err() == nil { // its timeout began earlier than this request: retry
				continue
			}
			return m.value, m.err
		case <-ctx.Done():
			o.leave(key, m)
			return value, ctx.Err()
		}
	}
}

// join returns the cached value, or joins the computation in progress.
func (o *once[T]) join(ctx context.Context, limit time.Duration, key string, value *T, build func(context.Context) (T, bool, error)) (m *making[T], found bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if *value, found = o.kept.Get(key); found {
		return nil, true
	}
	if m = o.making[key]; m == nil {
		own, giveUp := context.WithTimeout(context.WithoutCancel(ctx), limit)
		m = &making[T]{done: newSignal(), giveUp: giveUp}
		o.making[key] = m
		go o.run(own, key, m, build)
	}
	m.waiting++
	return m, false
}

func newSignal() chan struct{} { return make(chan struct{}) }

func (o *once[T]) run(ctx context.Context, key string, m *making[T], build func(context.Context) (T, bool, error)) {
	defer m.giveUp()
	value, keep, err := recoverToError(ctx, build)
	o.mutex.Lock()
	defer o.mutex.Unlock()
	m.value, m.err = value, err
	if o.making[key] == m {
		delete(o.making, key)
	}
	if err == nil && keep {
		o.keep(key, value)
	}
	close(m.done)
}

// keep caches a value and evicts the oldest, or the value itself if it is too large.
func (o *once[T]) keep(key string, value T) {
	o.kept.Remove(key)
	o.kept.Add(key, value)
	for o.size += o.sizeOf(value); o.size > o.limit; {
		o.kept.RemoveOldest()
	}
}

// leave stops waiting. The last request to leave cancels the computation.
func (o *once[T]) leave(key string, m *making[T]) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if m.waiting--; m.waiting == 0 {
		m.giveUp()
		if o.making[key] == m {
			delete(o.making, key)
		}
	}
}

// recoverToError turns a panic of build into an error: it runs in its own goroutine, where nothing else recovers.
func recoverToError[T any](ctx context.Context, build func(context.Context) (T, bool, error)) (value T, keep bool, err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("internal error: %v\n%s", wrong, debug.Stack())
		}
	}()
	return build(ctx)
}
