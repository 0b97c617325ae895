package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/table"
)

// AcceptedFile is the file of a package that lists the accepted differences of its record of fees.
const AcceptedFile = "inputs/accepted.csv"

// Files of a package that a review reads.
const (
	ReconciliationFile = "reconciliation.json" // the comparison with the record
	AccountsFile       = "accounts.csv"        // fees by account
)

// ReadAcceptances reads the file of --accept; none if the path is "". Errors are of type [InputError].
func ReadAcceptances(path string) ([]reconcile.Acceptance, error) {
	if path == "" {
		return nil, nil
	}
	text, err := disk.ReadSmall(path, maxAcceptedBytes)
	var rows []reconcile.AcceptedRow
	if err == nil {
		rows, err = reconcile.ReadAccepted(text)
	}
	if err != nil {
		return nil, inFile(FieldAccept, path, err)
	}
	return reconcile.Acceptances(rows), nil
}

// maxAcceptedBytes limits the size of a file of accepted differences.
const maxAcceptedBytes = 64 << 20

// CheckAccepted returns an [InputError] if acceptances fit no difference of a comparison.
func CheckAccepted(r *reconcile.Result) error {
	if len(r.Unfit) == 0 {
		return nil
	}
	var lines []string
	for _, a := range r.Unfit[:min(len(r.Unfit), 5)] {
		lines = append(lines, fmt.Sprint(a.Line))
	}
	if more := len(r.Unfit) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("%d more", more))
	}
	return notUnderstood("%v: %s accepted that the record no longer has, that changed, or whose acceptance was withdrawn (lines %s). Write the list again with %v FILE.", FieldAccept,
		console.Counted(len(r.Unfit), "difference")+console.Verb(len(r.Unfit), " is", " are"), strings.Join(lines, ", "), FieldDifferences)
}

// keepAccepted stores the accepted differences of a comparison. When a package is made again, it notes those that fit none.
func (x *maker) keepAccepted(r *reconcile.Result) error {
	if err := x.checkDropped(r); err != nil {
		return err
	}
	if !x.manifest.Options.Reconciliation.Accepted {
		return nil
	}
	if !x.again && !x.inputs.Books.SomeAccepted {
		if err := CheckAccepted(r); err != nil {
			return err
		}
	}
	for _, a := range r.Unfit {
		x.unfit = append(x.unfit, fmt.Sprintf("%s, line %d: it accepts a difference that the record does not have, or whose acceptance was withdrawn", AcceptedFile, a.Line))
	}
	x.manifest.Findings.Accepted = uint64(r.Accepted())
	x.accepted = acceptedSums(r)
	return x.draft.Add(AcceptedFile, func(w io.Writer) error { return r.WriteDifferences(w, true) })
}

// acceptedSum is the accepted differences of a kind with the same person, time and comment.
type acceptedSum struct {
	group      *reconcile.Group
	acceptance reconcile.Acceptance
	count      uint64
	difference chain.Optional[chain.SignedWei] // unknown if that of any is
}

// maxAcceptedSums limits the rows on a cover.
const maxAcceptedSums = 100

// acceptedSums summarizes the accepted differences by group, and in the order of the record.
func acceptedSums(r *reconcile.Result) (list []acceptedSum) {
	type key struct {
		kind              reconcile.Kind
		by, time, comment string
	}
	places := map[key]int{}
	for i, err := range r.Items() {
		if err != nil { // writing them reports it
			break
		}
		a := r.AcceptanceOf(i)
		if a == nil {
			continue
		}
		group := r.GroupOf(i)
		k := key{group.Kind, a.By, a.Time, a.Comment}
		of, there := places[k]
		if !there {
			of = len(list)
			places[k] = of
			list = append(list, acceptedSum{group: group, acceptance: *a, difference: chain.Some(chain.SignedWei{})})
		}
		list[of].add(i.Difference)
	}
	order := func(s acceptedSum) int {
		return slices.IndexFunc(r.Groups, func(g reconcile.Group) bool { return g.Kind == s.group.Kind })
	}
	slices.SortStableFunc(list, func(a, b acceptedSum) int { return cmp.Compare(order(a), order(b)) })
	return list[:min(len(list), maxAcceptedSums)]
}

func (s *acceptedSum) add(difference chain.Optional[chain.SignedWei]) {
	s.count++
	sum, known := s.difference.Get()
	more, isKnown := difference.Get()
	sum, err := sum.Add(more)
	if s.difference = chain.Some(sum); !known || !isKnown || err != nil {
		s.difference = chain.Optional[chain.SignedWei]{}
	}
}

// acceptedSheet lists the accepted differences on a cover.
func (x *maker) acceptedSheet() *table.Sheet {
	counted := uint64(0)
	for _, s := range x.accepted {
		counted += s.count
	}
	sheet := &table.Sheet{
		Name: "accepted", Title: "Accepted differences", Token: console.Token(x.network.Token()),
		Columns: []table.Column{{Name: "kind", Kind: table.Text}, {Name: "count", Kind: table.Integer}, {Name: "difference", Kind: table.SignedWei}, {Name: "by", Kind: table.Text}, {Name: "time", Kind: table.Text}, {Name: "comment", Kind: table.Text}},
		Rows: rowsOf(x.accepted, func(s acceptedSum) []any {
			return []any{s.group.Title(), s.count, s.difference, s.acceptance.By, s.acceptance.Time, s.acceptance.Comment}
		}),
		Notes: []string{"they remain differences; " + AcceptedFile + " lists each"},
	}
	if more := x.manifest.Findings.Accepted - counted; more > 0 {
		sheet.Notes = append(sheet.Notes, fmt.Sprintf("%d more are only there", more))
	}
	return sheet
}

// readAccepted reads a package's accepted differences.
func (c *PackageCheck) readAccepted() ([]reconcile.Acceptance, error) {
	r := c.Manifest.Options.Reconciliation
	if r == nil || !r.Accepted {
		return nil, nil
	}
	text, err := disk.ReadSmall(filepath.Join(c.Dir, filepath.FromSlash(AcceptedFile)), maxAcceptedBytes)
	if err != nil {
		return nil, err
	}
	rows, err := ReadAccepted(text)
	return reconcile.Acceptances(rows), err
}

// ReadAccepted reads a package's file of accepted differences. If it is not what fees writes, the error is
// [closing.ErrDamaged].
func ReadAccepted(text []byte) ([]reconcile.AcceptedRow, error) {
	rows, err := reconcile.ReadAccepted(text)
	if err != nil {
		err = fmt.Errorf("%w: %s: %w", closing.ErrDamaged, AcceptedFile, err)
	}
	return rows, err
}

// checkAccepted compares a package's accepted differences with its own reconciliation, which needs no ledger.
func (c *PackageCheck) checkAccepted() error {
	list, err := c.readAccepted()
	if err != nil || list == nil && c.Manifest.Findings.Accepted == 0 {
		return err
	}
	file, err := os.Open(filepath.Join(c.Dir, ReconciliationFile))
	if err != nil {
		return err
	}
	defer file.Close()
	have, err := reconcile.AcceptedIn(file)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", closing.ErrDamaged, ReconciliationFile, err)
	}
	for i := range list {
		list[i].Line = 0
	}
	if !slices.Equal(list, have) {
		c.Differences = append(c.Differences, fmt.Sprintf("%s: its %d acceptances are not those of the differences in %s, %d", AcceptedFile, len(list), ReconciliationFile, len(have)))
	}
	if n := c.Manifest.Findings.Accepted; n != uint64(len(list)) {
		c.Differences = append(c.Differences, fmt.Sprintf("manifest: %d accepted differences, but %s has %d", n, AcceptedFile, len(list)))
	}
	return nil
}

// compareAccepted lists where a package's accepted differences differ from the ledger's audit trail.
func (v *verifier) compareAccepted(ctx context.Context) (differences []string, err error) {
	list, err := v.readAccepted()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	trail, err := v.ledger.Book.Trail(ctx)
	if err != nil {
		return nil, v.ledger.wrapErr(err)
	}
	m := v.Manifest
	together := map[uint64][]ledger.Digest{}
	for _, a := range list {
		together[a.Act] = append(together[a.Act], a.Difference)
	}
	if len(trail) == 0 && len(together[0]) < len(list) {
		v.TrailLost = true
		v.notCompared("the acts of " + AcceptedFile + ", because the ledger has no audit trail")
	}
	for _, a := range list {
		switch {
		case a.Act == 0:
			if m.Options.Acts {
				differences = append(differences, fmt.Sprintf("%s, line %d: it has no line in the audit trail, though the package was closed in the browser", AcceptedFile, a.Line))
			}
		case len(trail) == 0:
		case a.Act > uint64(len(trail)) || !isAcceptance(&trail[a.Act-1], &a, &m.Period, together[a.Act]):
			differences = append(differences, fmt.Sprintf("%s, line %d: act %d of the ledger's audit trail is not this acceptance", AcceptedFile, a.Line, a.Act))
		default:
			if by := withdrawnBy(trail, a.Act); by != "" {
				differences = append(differences, fmt.Sprintf("%s, line %d: the acceptance was withdrawn by %s", AcceptedFile, a.Line, by))
			}
		}
	}
	return differences, nil
}

// isAcceptance reports whether an act accepts these differences of a period.
func isAcceptance(act *ledger.Act, a *reconcile.Acceptance, p *closing.Period, together []ledger.Digest) bool {
	return act.Kind == ledger.Accepted && act.User == a.By && act.Time.String() == a.Time && act.Comment == a.Comment &&
		act.Period == p.Name() && act.Zone == p.Timezone && act.Manifest == reconcile.ActDigest(together)
}
