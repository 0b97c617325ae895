package sidecar

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/jsonscan"
)

// DecodeError reports a malformed response.
type DecodeError struct {
	What string // the response: "block 25", "multiplier"
	Err  error  // names the field, or the position in the text
}

// ErrNoInherents means that a block other than block 0 came without extrinsics. Every block of a chain has
// inherents, such as its timestamp.
var ErrNoInherents = errors.New("the block has no extrinsics, not even an inherent. The gateway could not read them from its node; retry later")

func (e *DecodeError) Error() string { return fmt.Sprintf("malformed %s: %v", e.What, e.Err) }

// Unwrap returns Err, and the kind of the error.
func (e *DecodeError) Unwrap() []error { return []error{errMalformed, e.Err} }

var errMalformed = failure.New(failure.Unanswered, "malformed response")

// fieldError names a field by its path from the top of the response.
type fieldError struct {
	path string // "extrinsics[4].hash"
	err  error
}

func (e *fieldError) Error() string { return e.path + ": " + e.err.Error() }

func (e *fieldError) Unwrap() error { return e.err }

// firstError keeps the first error among the fields of an object or array.
type firstError struct{ err error }

// at records an error of a member, if any.
func (f *firstError) at(name string, err error) {
	if err == nil || f.err != nil {
		return
	}
	var inner *fieldError
	switch {
	case !errors.As(err, &inner):
		f.err = &fieldError{name, err}
	case strings.HasPrefix(inner.path, "["):
		f.err = &fieldError{name + inner.path, inner.err}
	default:
		f.err = &fieldError{name + "." + inner.path, inner.err}
	}
}

// atIndex records an error of an element, if any.
func (f *firstError) atIndex(i int, err error) {
	if err != nil {
		f.at(fmt.Sprintf("[%d]", i), err)
	}
}

// need records that a member is missing, unless an error was recorded before.
func (f *firstError) need(name string, there bool) {
	if !there {
		f.at(name, chain.ErrMissing)
	}
}

func unwanted(want string, v jsonscan.Value) error {
	return fmt.Errorf("want %s, have %v", want, v.Kind())
}

// decode decodes a small response, which must be an object.
func decode(what, text string, read func(jsonscan.Value, *firstError)) error {
	var v jsonscan.Value
	return decodeObject(what, text, func(s *jsonscan.Scanner) { v = s.Value() }, func(fields *firstError) { read(v, fields) })
}

// decodeObject decodes a response, which must be an object: it scans the text, then reads what it found.
func decodeObject(what, text string, scan func(*jsonscan.Scanner), read func(*firstError)) error {
	var other error
	err := jsonscan.Scan(text, func(s *jsonscan.Scanner) {
		if s.IsObject() {
			scan(s)
		} else {
			other = unwanted("an object", s.Value())
		}
	})
	if err = cmp.Or(err, other); err != nil {
		return &DecodeError{what, err}
	}
	var fields firstError
	if read(&fields); fields.err != nil {
		if refused := Refusal(text); refused != nil {
			return &DecodeError{what, refused}
		}
		return &DecodeError{what, fields.err}
	}
	return nil
}
