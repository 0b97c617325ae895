package app

import (
	"fmt"
	"slices"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
)

// Review is what decides about the approval and the closing of a prepared package, besides the acts of its round.
type Review struct {
	Dropped  string                 // the record of fees of an earlier version that the package lacks; "" for none
	Accepted []reconcile.Acceptance // differences that the package accepts
}

// DroppedRecord returns the name of the record of fees that a package lacks although one of the earlier ones has it; ""
// for none.
func DroppedRecord(m *closing.Manifest, earlier ...*closing.Manifest) string {
	for _, before := range earlier {
		if m.Options.Reconciliation == nil && before.Options.Reconciliation != nil {
			return before.Options.Reconciliation.Names()
		}
	}
	return ""
}

// NeedsComment returns why an approval needs a comment; "" if it needs none.
func (v *Review) NeedsComment(r Round) string {
	switch open := r.Unanswered(); {
	case v.Dropped != "":
		return "an earlier version had a record of fees, and this one has none"
	case len(open) > 0:
		return console.Counted(len(open), "question") + console.Verb(len(open), " is", " are") + " not answered"
	}
	return ""
}

// Allows returns nil if a user may do an act about a package now; otherwise a [ForbiddenError] or a [StaleError]. No user
// approves differences that they accepted, and nothing is approved or closed with an acceptance that was withdrawn.
func (v *Review) Allows(trail []ledger.Act, by Actor, act *ledger.Act) error {
	r := RoundOf(trail, act.Period, act.Zone)
	if act.Kind == ledger.Closed && r.State() == ledger.Closed { // its package was not made
		r = r.Unclosed()
	}
	if err := r.Allows(by, act.Kind, act.Manifest); err != nil {
		return err
	}
	if act.Kind != ledger.Approved && act.Kind != ledger.Closed {
		return nil
	}
	if _, gone := standing(trail, v.Accepted); len(gone) > 0 {
		return stale("%s of this package %s withdrawn. Prepare it again.", console.Counted(len(gone), "acceptance"), console.Verb(len(gone), "was", "were"))
	}
	if act.Kind == ledger.Closed {
		if open := r.AskedSince(r.Last().Number); len(open) > 0 {
			return stale("The question of act %d was asked after the approval. Answer it, then close.", open[0].Number)
		}
		return nil
	}
	if slices.ContainsFunc(v.Accepted, func(a reconcile.Acceptance) bool { return a.By == by.Name }) {
		return forbidden("You accepted differences of this package. Another user must review it.")
	}
	if why := v.NeedsComment(r); why != "" && act.Comment == "" {
		return notUnderstood("comment: %s. Say why you approve.", why)
	}
	return nil
}

// checkApproval lists where the approval of a package contradicts what is approved.
func (c *PackageCheck) checkApproval(differ func(format string, values ...any)) error {
	accepted, err := c.readAccepted()
	if err != nil {
		return err
	}
	var approved ledger.Act
	for _, a := range c.acts {
		if a.Kind == ledger.Approved {
			approved = a
		}
	}
	if slices.ContainsFunc(accepted, func(a reconcile.Acceptance) bool { return a.By == approved.User }) {
		differ("%s approved differences that they accepted", approved.User)
	}
	if c.Manifest.Version == 1 || approved.Comment != "" {
		return nil
	}
	before, err := c.Before()
	if err != nil {
		return err
	}
	if name := DroppedRecord(c.Manifest, before.Manifest); name != "" {
		differ("the manifest was approved without a comment, but version %d has the record %s, and this one has none", before.Manifest.Version, name)
	}
	return nil
}

// standing returns the acceptances that count, and those that were withdrawn.
func standing(trail []ledger.Act, list []reconcile.Acceptance) (kept, gone []reconcile.Acceptance) {
	withdrawn := map[ledger.Digest]bool{}
	for _, a := range trail {
		if a.Kind == ledger.AcceptanceWithdrawn {
			withdrawn[a.Manifest] = true
		}
	}
	for _, a := range list {
		if n := a.Act; n > 0 && n <= uint64(len(trail)) && withdrawn[trail[n-1].Digest] && trail[n-1].User == a.By && trail[n-1].Time.String() == a.Time {
			gone = append(gone, a)
		} else {
			kept = append(kept, a)
		}
	}
	return kept, gone
}

// WithdrawAcceptance returns the act that withdraws an acceptance, or an error if a user may not do that.
func WithdrawAcceptance(trail []ledger.Act, by Actor, number uint64, comment string) (act ledger.Act, err error) {
	if !by.Preparer {
		return act, forbidden("Only a preparer may withdraw an acceptance.")
	}
	if number == 0 || number > uint64(len(trail)) || trail[number-1].Kind != ledger.Accepted {
		return act, stale("Line %d of the audit trail is not an acceptance. Reload the page.", number)
	}
	of := trail[number-1]
	if _, gone := standing(trail, []reconcile.Acceptance{{Act: number, By: of.User, Time: of.Time.String()}}); len(gone) > 0 {
		return act, stale("The acceptance was withdrawn already. Reload the page.")
	}
	return ledger.Act{User: by.Name, Kind: ledger.AcceptanceWithdrawn, Period: of.Period, Zone: of.Zone, Manifest: of.Digest, Comment: comment}, nil
}

// withdrawnBy describes the line that withdraws the acceptance of a line; "" if it stands.
func withdrawnBy(trail []ledger.Act, number uint64) string {
	for _, a := range trail {
		if a.Kind == ledger.AcceptanceWithdrawn && a.Manifest == trail[number-1].Digest {
			return fmt.Sprintf("act %d, by %s", a.Number, a.User)
		}
	}
	return ""
}
