package app

import (
	"fmt"
	"slices"

	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
)

// Actor is a user with the roles that allow acts.
type Actor struct {
	Name               string
	Preparer, Reviewer bool
}

// Round is one round of closing a period: the acts from the first preparation after the last closing to the next
// closing.
type Round []ledger.Act

// RoundOf returns the last round of a period in a time zone; empty if it was never prepared.
func RoundOf(trail []ledger.Act, period, zone string) (r Round) {
	for _, a := range trail {
		if a.Period != period || a.Zone != zone || a.Kind == ledger.Accepted {
			continue
		}
		if r.State() == ledger.Closed {
			r = nil
		}
		r = append(r, a)
	}
	return r
}

// State returns the last act; "" if there is none.
func (r Round) State() ledger.ActKind {
	if len(r) == 0 {
		return ""
	}
	return r[len(r)-1].Kind
}

// Open reports whether a package waits for the next act: it was prepared, returned or approved.
func (r Round) Open() bool {
	return slices.Contains([]ledger.ActKind{ledger.Prepared, ledger.Returned, ledger.Approved}, r.State())
}

// ForbiddenError reports an act that the user may not do.
type ForbiddenError struct{ Message string }

func (e *ForbiddenError) Error() string { return e.Message }

// Kind is [failure.NotUnderstood].
func (*ForbiddenError) Kind() failure.Kind { return failure.NotUnderstood }

// StaleError reports an act that does not fit the current state of the round.
type StaleError struct{ Message string }

func (e *StaleError) Error() string { return e.Message }

// Kind is [failure.DoesNotHold].
func (*StaleError) Kind() failure.Kind { return failure.DoesNotHold }

func stale(format string, values ...any) error { return &StaleError{fmt.Sprintf(format, values...)} }

func forbidden(format string, values ...any) error {
	return &ForbiddenError{fmt.Sprintf(format, values...)}
}

// by returns the user of the last act of a kind, "" if there is none.
func (r Round) by(kind ledger.ActKind) string {
	for _, a := range slices.Backward(r) {
		if a.Kind == kind {
			return a.User
		}
	}
	return ""
}

// prepared reports whether a user prepared a package in this round. Such a user approves none of them.
func (r Round) prepared(user string) bool {
	return slices.ContainsFunc(r, func(a ledger.Act) bool { return a.Kind == ledger.Prepared && a.User == user })
}

// PreparedBy reports whether the last preparation of this round is a user's and made a manifest with this SHA-256.
func (r Round) PreparedBy(user, manifest string) bool {
	for _, a := range slices.Backward(r) {
		if a.Kind == ledger.Prepared {
			return a.User == user && a.Manifest.String() == manifest
		}
	}
	return false
}

// Allows returns nil if a user may do an act about a manifest now; otherwise a [ForbiddenError] or a [StaleError].
// A user without the role never may. No user approves what they prepared.
func (r Round) Allows(by Actor, kind ledger.ActKind, manifest ledger.Digest) error {
	state := r.State()
	switch kind {
	case ledger.Prepared:
		if !by.Preparer {
			return forbidden("Only a preparer may prepare a package.")
		}
		return nil // an approval before it is void
	case ledger.Returned, ledger.Approved:
		if !by.Reviewer {
			return forbidden("Only a reviewer may approve or return a package.")
		}
		if r.prepared(by.Name) {
			return forbidden("You prepared this package. Another user must review it.")
		}
	case ledger.Withdrawn:
		if !by.Preparer || r.by(ledger.Prepared) != by.Name {
			return forbidden("Only the preparer may withdraw a package.")
		}
	case ledger.Closed:
		own := by.Preparer && r.by(ledger.Prepared) == by.Name
		if !own && !by.Reviewer {
			return forbidden("Only the preparer or a reviewer may close a package.")
		}
		if r.by(ledger.Approved) == by.Name {
			return forbidden("You approved this package. The preparer or another reviewer must close it.")
		}
	default:
		return stale("%q is not one of the acts.", string(kind))
	}
	fits := map[ledger.ActKind][]ledger.ActKind{
		ledger.Returned: {ledger.Prepared, ledger.Approved}, ledger.Approved: {ledger.Prepared},
		ledger.Withdrawn: {ledger.Prepared, ledger.Approved, ledger.Returned}, ledger.Closed: {ledger.Approved},
	}[kind]
	switch {
	case !slices.Contains(fits, state):
		return stale("The package cannot be %s, because it is %s. Reload the page.", kind, stateName(state))
	case r[len(r)-1].Manifest != manifest:
		return stale("The package was prepared again since this page was shown. Reload the page.")
	}
	return nil
}

func stateName(state ledger.ActKind) string {
	if state == "" {
		return "not prepared"
	}
	return string(state)
}

// Whole returns a description of what a closed round lacks: it must end with the closing of a manifest that one user
// prepared and another approved. It returns "" if it lacks nothing.
func (r Round) Whole() string {
	if r.State() != ledger.Closed {
		return "the last act is not the closing"
	}
	closed := r[len(r)-1]
	before := r[:len(r)-1]
	if before.State() != ledger.Approved || before[len(before)-1].Manifest != closed.Manifest {
		return "the closed manifest was not approved"
	}
	approved := before[len(before)-1]
	if before.prepared(approved.User) || approved.User == closed.User || before.by(ledger.Prepared) == "" {
		return "the manifest was not approved by another user than its preparer"
	}
	return ""
}
