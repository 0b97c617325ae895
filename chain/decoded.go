package chain

import "fmt"

// Decoded is a part of a block that a source may report in a malformed form: a value, or the error that explains why
// there is none. The zero Decoded is [ErrMissing].
type Decoded[T any] struct {
	value  T
	result *result // nil if missing
}

// result is the error of a decoder, or nil.
type result struct{ err error }

// succeeded is the result of each decoder that returned a value.
var succeeded = new(result)

// DecodedOf returns the result of a decoder.
func DecodedOf[T any](value T, err error) Decoded[T] {
	if err == nil {
		return Decoded[T]{value, succeeded}
	}
	return Decoded[T]{value, &result{err}}
}

// String returns the value as its type prints it, or the error.
func (d Decoded[T]) String() string { return d.result.printed(d.value) }

// Get returns the value, or the error.
func (d Decoded[T]) Get() (T, error) { return d.value, d.result.failure() }

func (r *result) failure() error {
	if r == nil {
		return ErrMissing
	}
	return r.err
}

func (r *result) printed(value any) string {
	if err := r.failure(); err != nil {
		return err.Error()
	}
	return fmt.Sprint(value)
}
