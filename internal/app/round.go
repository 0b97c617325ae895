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
// closing, and the questions and answers meanwhile.
type Round []ledger.Act

// RoundOf returns the last round of a period in a time zone; without acts if it was never prepared. What is asked after a
// closing belongs to the next round.
func RoundOf(trail []ledger.Act, period, zone string) (r Round) {
	var next Round
	for _, a := range trail {
		switch {
		case a.Period != period || a.Zone != zone || a.Kind == ledger.Accepted || a.Kind == ledger.AcceptanceWithdrawn:
		case r.State() != ledger.Closed:
			r = append(r, a)
		case isTalk(a.Kind):
			next = append(next, a)
		default:
			r, next = append(next, a), nil
		}
	}
	return r
}

// isTalk reports whether an act is a question or an answer.
func isTalk(kind ledger.ActKind) bool { return kind == ledger.Asked || kind == ledger.Answered }

// Steps returns the acts without the questions and answers between them.
func (r Round) Steps() (list Round) {
	for _, a := range r {
		if !isTalk(a.Kind) {
			list = append(list, a)
		}
	}
	return list
}

// Last returns the last step; the zero act if there is none.
func (r Round) Last() ledger.Act {
	for _, a := range slices.Backward(r) {
		if !isTalk(a.Kind) {
			return a
		}
	}
	return ledger.Act{}
}

// Unclosed returns a round without its closing, whose package was not made.
func (r Round) Unclosed() Round {
	return slices.DeleteFunc(slices.Clone(r), func(a ledger.Act) bool { return a.Kind == ledger.Closed })
}

// State returns the kind of the last step; "" if there is none.
func (r Round) State() ledger.ActKind { return r.Last().Kind }

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
	case ledger.Answered:
		switch {
		case !by.Preparer && !by.Reviewer:
			return forbidden("Only a preparer or a reviewer may answer a question.")
		case !slices.ContainsFunc(r.Questions(), func(q Question) bool { return q.Digest == manifest }):
			return stale("The question does not belong to this round. Reload the page.")
		}
		return nil
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
	case r.Last().Manifest != manifest:
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
// prepared and another approved, who commented it if a question was not answered. It returns "" if it lacks nothing.
func (r Round) Whole() string {
	steps := r.Steps()
	if steps.State() != ledger.Closed {
		return "the last act is not the closing"
	}
	closed := steps.Last()
	before := steps[:len(steps)-1]
	approved := before.Last()
	if approved.Kind != ledger.Approved || approved.Manifest != closed.Manifest {
		return "the closed manifest was not approved"
	}
	if before.prepared(approved.User) || approved.User == closed.User || before.by(ledger.Prepared) == "" {
		return "the manifest was not approved by another user than its preparer"
	}
	at := slices.IndexFunc(r, func(a ledger.Act) bool { return a == approved })
	if open := r[:at].Unanswered(); len(open) > 0 && approved.Comment == "" {
		return fmt.Sprintf("the manifest was approved without a comment, but the question of act %d was not answered", open[0].Number)
	}
	end := slices.IndexFunc(r, func(a ledger.Act) bool { return a == closed })
	if open := r[:end].AskedSince(approved.Number); len(open) > 0 {
		return fmt.Sprintf("the manifest was closed, but the question of act %d was not answered", open[0].Number)
	}
	return ""
}

// Signed returns the acts that the closed manifest stands on, which its cover names: its last preparation, its last approval
// and the closing. Approvals that another preparation made void, and preparations of other manifests, are left out.
func (r Round) Signed() (list Round) {
	manifest := r.Last().Manifest
	for _, kind := range []ledger.ActKind{ledger.Prepared, ledger.Approved, ledger.Closed} {
		for _, a := range slices.Backward(r) {
			if a.Kind == kind && a.Manifest == manifest {
				list = append(list, a)
				break
			}
		}
	}
	return list
}

// AskedSince returns the questions without an answer that were asked after an act.
func (r Round) AskedSince(number uint64) []Question {
	return slices.DeleteFunc(r.Unanswered(), func(q Question) bool { return q.Number <= number })
}

// Question is a question about a package or about differences of its record, with the answers.
type Question struct {
	ledger.Act
	Answers []ledger.Act
}

// Questions returns the questions of a round in order: those about differences, and the comments of who returned a
// package. The comment of the next preparation answers the latter, too.
func (r Round) Questions() (list []Question) {
	returned := -1 // the question that the next preparation answers
	for _, a := range r {
		switch a.Kind {
		case ledger.Asked, ledger.Returned:
			if a.Comment == "" {
				continue
			}
			if list = append(list, Question{Act: a}); a.Kind == ledger.Returned {
				returned = len(list) - 1
			}
		case ledger.Prepared:
			if returned >= 0 && a.Comment != "" {
				list[returned].Answers = append(list[returned].Answers, a)
			}
			returned = -1
		case ledger.Answered:
			for i := range list {
				if list[i].Digest == a.Manifest {
					list[i].Answers = append(list[i].Answers, a)
				}
			}
		}
	}
	return list
}

// Unanswered returns the questions without an answer.
func (r Round) Unanswered() (list []Question) {
	for _, q := range r.Questions() {
		if len(q.Answers) == 0 {
			list = append(list, q)
		}
	}
	return list
}
