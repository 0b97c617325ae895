package chain

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Optional is a value that may be unknown or not applicable. JSON encodes it as the value or as null. The zero
// Optional is empty.
type Optional[T any] struct {
	value T
	known bool
}

// Some returns an Optional that contains v.
func Some[T any](v T) Optional[T] { return Optional[T]{v, true} }

// Get returns the value and whether it is known.
func (o Optional[T]) Get() (T, bool) { return o.value, o.known }

// Known reports whether the value is known.
func (o Optional[T]) Known() bool { return o.known }

// String returns the value as its type prints it, or "unknown".
func (o Optional[T]) String() string { return printed(o.value, o.known) }

// MarshalJSON encodes the value, or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return encoded(o.value, o.known) }

// UnmarshalJSON decodes the value; null decodes to the empty Optional.
func (o *Optional[T]) UnmarshalJSON(text []byte) error { return decode(text, &o.value, &o.known) }

// A generic type's methods are compiled in each package that sees the type, so those above are only calls.

func printed(value any, known bool) string {
	if !known {
		return "unknown"
	}
	return fmt.Sprint(value)
}

func encoded(value any, known bool) ([]byte, error) {
	if !known {
		return []byte("null"), nil
	}
	return json.Marshal(value)
}

func decode(text []byte, value any, known *bool) error {
	*known = false
	pointed := reflect.ValueOf(value).Elem()
	pointed.SetZero()
	if string(text) == "null" {
		return nil
	}
	if err := json.Unmarshal(text, value); err != nil {
		pointed.SetZero() // it may be decoded in part
		return err
	}
	*known = true
	return nil
}
