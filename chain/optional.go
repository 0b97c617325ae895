package chain

import "encoding/json"

// Optional is a value that may not be known or may not apply. It is written to
// JSON as the value, or as null. The zero Optional holds nothing.
type Optional[T any] struct {
	value T
	known bool
}

// Some holds v.
func Some[T any](v T) Optional[T] { return Optional[T]{v, true} }

// Get is the value and whether there is one.
func (o Optional[T]) Get() (T, bool) { return o.value, o.known }

// Known tells whether there is a value.
func (o Optional[T]) Known() bool { return o.known }

// MarshalJSON writes the value, or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.known {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON reads the value; null is none.
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
