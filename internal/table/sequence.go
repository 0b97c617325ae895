package table

import (
	"errors"
	"iter"
)

// Sequence returns the values that a function delivers as an iterator. The function ends with the error of each, if it
// returns one.
func Sequence[T any](deliver func(each func(T) error) error) iter.Seq2[T, error] {
	errStop := errors.New("enough")
	return func(yield func(T, error) bool) {
		err := deliver(func(x T) error {
			if !yield(x, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(*new(T), err)
		}
	}
}

// Rows returns the rows that a function adds as an iterator, like [Sequence].
func Rows(of func(add func(...any) error) error) iter.Seq2[[]any, error] {
	return Sequence(func(each func([]any) error) error {
		return of(func(values ...any) error { return each(values) })
	})
}
