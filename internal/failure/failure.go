// Package failure classifies errors by what they mean to the user. An error has the kind it was created with ([New]),
// or the kind that its Kind method returns; [Of] finds it through any wrapping.
package failure

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// Kind states what an error means to the user.
type Kind string

// The kinds of errors. If an error has several, [Of] returns the first of them in this order.
const (
	// Stopped means that the user canceled the operation.
	Stopped Kind = "stopped"
	// NotUnderstood means invalid input: it is malformed, contradicts itself or the ledger, or exceeds a limit.
	NotUnderstood Kind = "not understood"
	// Damaged means that a ledger, an archive or a package was altered after it was written.
	Damaged Kind = "damaged"
	// NotCovered means that the ledger, or an archive, lacks part of the period.
	NotCovered Kind = "not covered"
	// Busy means that another program is writing the ledger, or the database is unavailable. Trying again
	// may succeed.
	Busy Kind = "busy"
	// NotFound means that a ledger, block or transaction does not exist.
	NotFound Kind = "not found"
	// DoesNotHold means that the figures contradict each other.
	DoesNotHold Kind = "contradiction"
	// Unanswered means that a gateway or node gave no answer, or a wrong one.
	Unanswered Kind = "unanswered"
	// Failed means anything else, such as a full disk.
	Failed Kind = "failed"
)

var order = []Kind{NotUnderstood, Damaged, NotCovered, Busy, NotFound, DoesNotHold, Unanswered}

// New returns an error of a kind, for use with errors.Is.
func New(kind Kind, text string) error { return &failure{kind, text} }

type failure struct {
	kind Kind
	text string
}

func (f *failure) Error() string { return f.text }
func (f *failure) Kind() Kind    { return f.kind }

// Of returns the kind of an error: of all the kinds in its chain, the first in the order of the constants. A full
// disk always counts as [Failed]. It returns [Failed] for an error without a kind, and "" for nil.
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

// collect adds the kinds of an error and of everything it wraps.
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

// FullDisk reports whether a disk is full or failed.
func FullDisk(err error) bool {
	for _, code := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// PathText returns what an error about a path means in plain words, such as "FILE does not exist", or "" if err is not a
// [fs.PathError], or needs the system's words.
func PathText(err error) string {
	path, ok := errors.AsType[*fs.PathError](err)
	switch {
	case !ok:
		return ""
	case errors.Is(path.Err, fs.ErrNotExist):
		return path.Path + " does not exist"
	case errors.Is(path.Err, fs.ErrPermission):
		return "no permission to " + path.Op + " " + path.Path
	case errors.Is(path.Err, syscall.EISDIR):
		return path.Path + " is a directory"
	}
	return ""
}
