package web

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// once makes each thing once for all who ask for it at the same time, and keeps some bytes of what
// it made. What is made for nobody any more is given up.
type once[T any] struct {
	most   int // bytes that are kept
	sizeOf func(T) int

	mutex  sync.Mutex
	kept   *recent[string, T]
	size   int
	making map[string]*making[T]
}

// making is something that is being made.
type making[T any] struct {
	done    chan struct{}
	value   T
	err     error
	waiting int // who wait for it
	giveUp  context.CancelFunc
}

func newOnce[T any](most int, sizeOf func(T) int) *once[T] {
	return &once[T]{most: most, sizeOf: sizeOf, kept: newRecent[string, T](), making: map[string]*making[T]{}}
}

// find is what is kept of a key.
func (o *once[T]) find(key string) (T, bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.kept.get(key)
}

// forget gives up what is kept of keys that begin with a text.
func (o *once[T]) forget(prefix string) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for key := range o.kept.at {
		if strings.HasPrefix(key, prefix) {
			o.drop(key)
		}
	}
}

// add keeps something that was made elsewhere.
func (o *once[T]) add(key string, value T) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.keep(key, value)
}

// get gives what has a key. Where nobody made it yet, make does, for so long at most; it says whether
// the key names what it made for good.
func (o *once[T]) get(ctx context.Context, limit time.Duration, key string, make func(context.Context) (value T, keep bool, err error)) (value T, err error) {
	for {
		m, found := o.join(ctx, limit, key, &value, make)
		if found {
			return value, nil
		}
		select {
		case <-m.done:
			late := errors.Is(m.err, context.DeadlineExceeded) || errors.Is(m.err, context.Canceled)
			if late && ctx.Err() == nil { // it began long before: once more
				continue
			}
			return m.value, m.err
		case <-ctx.Done():
			o.leave(key, m)
			return value, ctx.Err()
		}
	}
}

// join finds what is kept, or waits with those for whom it is made.
func (o *once[T]) join(ctx context.Context, limit time.Duration, key string, value *T, make func(context.Context) (T, bool, error)) (m *making[T], found bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if *value, found = o.kept.get(key); found {
		return nil, true
	}
	if m = o.making[key]; m == nil {
		own, giveUp := context.WithTimeout(context.WithoutCancel(ctx), limit)
		m = &making[T]{done: newSignal(), giveUp: giveUp}
		o.making[key] = m
		go o.run(own, key, m, make)
	}
	m.waiting++
	return m, false
}

func newSignal() chan struct{} { return make(chan struct{}) }

func (o *once[T]) run(ctx context.Context, key string, m *making[T], make func(context.Context) (T, bool, error)) {
	defer m.giveUp()
	value, keep, err := safely(ctx, make)
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

// keep keeps something. The oldest goes first, also this one where it is too large.
func (o *once[T]) keep(key string, value T) {
	o.drop(key)
	o.kept.add(key, value)
	for o.size += o.sizeOf(value); o.size > o.most; {
		o.drop(o.kept.oldest())
	}
}

func (o *once[T]) drop(key string) {
	if value, found := o.kept.remove(key); found {
		o.size -= o.sizeOf(value)
	}
}

// leave waits no longer. The last one who leaves has it given up.
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

// safely makes an error of a wrong program: nobody else would catch it here.
func safely[T any](ctx context.Context, make func(context.Context) (T, bool, error)) (value T, keep bool, err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("wrong program: %v\n%s", wrong, debug.Stack())
		}
	}()
	return make(ctx)
}
