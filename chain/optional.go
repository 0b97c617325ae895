package chain

import (
	"encoding/json"
	"fmt"
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
func (o Optional[T]) String() string {
	if !o.known {
		return "unknown"
	}
	return fmt.Sprint(o.value)
}

// MarshalJSON encodes the value, or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.known {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON decodes the value; null decodes to the empty Optional.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	*o = Optional[T]{}
	if string(text) == "null" {
		return nil
	}
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	*o = Some(value)
	return nil
}
