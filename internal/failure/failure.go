// Package failure gives errors their kind: what an error means to the person who asked. An error
// has the kind that it was made with ([New]), or that its method Kind tells; [Of] finds it
// wherever the error is wrapped.
package failure

import (
	"context"
	"errors"
	"syscall"
)

// Kind is what an error means to the person who asked.
type Kind string

// The kinds of errors. [Of] prefers the one that stands higher.
const (
	// Stopped is a question that the person who asked gave up.
	Stopped Kind = "stopped"
	// NotUnderstood is a question that says nothing, contradicts itself or the ledger, or asks for
	// more than one answer can have.
	NotUnderstood Kind = "not understood"
	// Damaged is a ledger, an archive or a package that is not what was written.
	Damaged Kind = "damaged"
	// NotCovered is a period of which the ledger, or an archive, lacks a part.
	NotCovered Kind = "not covered"
	// Busy is a ledger that another program writes, or a database that is away: the same
	// question may be answered a moment later.
	Busy Kind = "busy"
	// NotFound is a ledger, a block or a transaction that is not there.
	NotFound Kind = "not found"
	// DoesNotHold is an answer that would be wrong: the figures contradict each other.
	DoesNotHold Kind = "does not hold"
	// Unanswered is a gateway or a node that does not answer, or wrongly.
	Unanswered Kind = "unanswered"
	// Failed is all else, such as a disk that is full.
	Failed Kind = "failed"
)

var order = []Kind{NotUnderstood, Damaged, NotCovered, Busy, NotFound, DoesNotHold, Unanswered}

// New makes an error of a kind, for errors.Is.
func New(kind Kind, text string) error { return &failure{kind, text} }

type failure struct {
	kind Kind
	text string
}

func (f *failure) Error() string { return f.text }
func (f *failure) Kind() Kind    { return f.kind }

// Of is the kind of an error: the first in the order of the kinds that the error, or one that it
// wraps, has. A full disk fails, whatever else is said of it. It is [Failed] where none has a
// kind, and "" of no error.
func Of(err error) Kind {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return Stopped
	case FullDisk(err):
		return Failed
	}
	found := map[Kind]bool{}
	collect(err, found)
	for _, kind := range order {
		if found[kind] {
			return kind
		}
	}
	return Failed
}

// collect enters the kinds of an error and of all that it wraps.
func collect(err error, found map[Kind]bool) {
	if e, ok := err.(interface{ Kind() Kind }); ok {
		found[e.Kind()] = true
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			collect(inner, found)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			collect(inner, found)
		}
	}
}

// FullDisk tells whether a disk took no more, or broke.
func FullDisk(err error) bool {
	for _, code := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}
