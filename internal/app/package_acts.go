package app

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/disk"
)

// ActsFile is the file of a package that was closed in the browser: who prepared, approved and closed it.
const ActsFile = "inputs/acts.csv"

// maxActsBytes limits the size of [ActsFile].
const maxActsBytes = 4 << 20

// actColumns are the columns of inputs/acts.csv.
var actColumns = []string{"number", "time", "user", "act", "period", "timezone", "manifest_sha256", "comment", "trail_digest"}

// WriteActs writes acts as csv: number, time, user, act, period, time zone, SHA-256 of the manifest, comment, and the
// digest of the trail up to the act.
func WriteActs(to io.Writer, acts []ledger.Act) error {
	out := csv.NewWriter(to)
	out.Write(actColumns)
	for _, a := range acts {
		out.Write(actCells(a))
	}
	out.Flush()
	return out.Error()
}

func actsText(acts []ledger.Act) []byte {
	var text bytes.Buffer
	_ = WriteActs(&text, acts) // a buffer takes everything
	return text.Bytes()
}

// WriteTrail writes all acts of an audit trail as csv: the columns of [WriteActs], with the account and its entry before
// and after an edit of the address book.
func WriteTrail(to io.Writer, acts []ledger.Act) error {
	out := csv.NewWriter(to)
	last := len(actColumns) - 1
	out.Write(slices.Concat(actColumns[:last], []string{"account", "entry_before", "entry_after"}, actColumns[last:]))
	for _, a := range acts {
		texts := a.Texts()
		out.Write(slices.Concat(texts[:last], []string{a.Account, a.EntryBefore, a.EntryAfter, a.Digest.String()}))
	}
	out.Flush()
	return out.Error()
}

func actCells(a ledger.Act) []string { return append(a.Texts(), a.Digest.String()) }

// ReadActs parses inputs/acts.csv of a package. Only the form that this program writes is accepted.
func ReadActs(text []byte) (acts []ledger.Act, err error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 || !slices.Equal(rows[0], actColumns) {
		return nil, fmt.Errorf("%w: %s is not in the form that fees writes", closing.ErrDamaged, ActsFile)
	}
	for i, r := range rows[1:] {
		a := ledger.Act{User: r[2], Kind: ledger.ActKind(r[3]), Period: r[4], Zone: r[5], Comment: r[7]}
		a.Number, _ = strconv.ParseUint(r[0], 10, 64)
		at, err := time.Parse(time.RFC3339, r[1])
		if err == nil {
			a.Time, err = chain.TimeAt(uint64(max(at.UnixMilli(), 0)))
		}
		if err == nil {
			err = a.Manifest.UnmarshalText([]byte(r[6]))
		}
		if err == nil {
			err = a.Digest.UnmarshalText([]byte(r[8]))
		}
		if err == nil {
			err = a.Check()
		}
		if err != nil || !slices.Equal(actCells(a), r) {
			return nil, fmt.Errorf("%w: %s, line %d is not in the form that fees writes", closing.ErrDamaged, ActsFile, i+2)
		}
		acts = append(acts, a)
	}
	return acts, nil
}

// makeActs stores who prepared, approved and closed the package.
func (x *maker) makeActs(ctx context.Context) error {
	if !x.manifest.Options.Acts {
		return nil
	}
	text, err := x.acts(ctx)
	if err == nil {
		x.round, err = ReadActs(text)
	}
	if err != nil {
		return err
	}
	return x.addText(ActsFile, text)
}

// ClosePrepared makes the final package from the inputs of a prepared one. It calls record after everything else is
// made and equals the prepared package; the returned acts become inputs/acts.csv. If the ledger, the balances or the
// program differ from those of the preparation, it returns a [StaleError] and calls nothing.
func (d *Ledger) ClosePrepared(ctx context.Context, prepared, dir string, o PackageOptions, record func(context.Context) ([]ledger.Act, error)) (*Closed, error) {
	p, err := closing.Open(prepared)
	if err != nil {
		return nil, err
	}
	problems, err := p.Problems()
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("%w: %s", closing.ErrDamaged, problems[0])
	}
	v := &verifier{PackageCheck: &PackageCheck{Package: p}, ledger: d, options: &o}
	x, err := v.maker(ctx)
	if err != nil {
		return nil, err
	}
	if x.lacksBefore {
		return nil, stale("The ledger no longer proves %s as it did, the period before. Prepare the package again.", x.manifest.Options.Variance.Against)
	}
	x.tool, x.trail, x.manifest.Options.Acts = "", chain.Optional[ledger.TrailHead]{}, true
	x.acts = func(ctx context.Context) ([]byte, error) {
		if err := x.sameAs(p.Manifest); err != nil {
			return nil, err
		}
		acts, err := record(ctx)
		return actsText(acts), err
	}
	return x.install(ctx, dir, nil, nil)
}

// sameAs returns a StaleError unless what was made so far equals a prepared package.
func (x *maker) sameAs(prepared *closing.Manifest) error {
	now, then := x.manifest, *prepared
	now.Options.Acts, now.Files = false, x.draft.Files()
	then.Trail = now.Trail                                                               // which is read last
	then.Files = slices.DeleteFunc(slices.Clone(then.Files), func(f closing.File) bool { // those that are made later
		return !slices.ContainsFunc(now.Files, func(own closing.File) bool { return own.Name == f.Name })
	})
	changes, err := closing.Compare(&then, &now)
	if err != nil {
		return err
	}
	if changes.None() {
		return nil
	}
	var names []string
	for _, list := range [][]closing.Change{changes.Totals, changes.Manifest} {
		for _, c := range list {
			names = append(names, c.Name)
		}
	}
	for _, f := range changes.Files {
		names = append(names, f.Name)
	}
	return stale("The package differs from the prepared one (%s), because the ledger, its inputs or the program changed. Prepare it again.", strings.Join(names[:min(len(names), 5)], ", "))
}

// Unchanged returns a [StaleError] unless the ledger still has the blocks of a prepared package.
func (d *Ledger) Unchanged(ctx context.Context, m *closing.Manifest) error {
	asked, err := PeriodInput{Month: m.Period.Month, Year: m.Period.Year, Timezone: m.Period.Timezone}.Parse()
	if err != nil {
		return err
	}
	now, err := closing.Examine(ctx, d.Book, asked.Asked, chain.Heights{First: m.Blocks.First, Last: m.Blocks.Last})
	if err != nil {
		return d.wrapErr(err)
	}
	id, err := d.Book.Identity(ctx)
	if err != nil {
		return d.wrapErr(err)
	}
	if list := m.Differ(id, now); len(list) > 0 {
		return stale("The ledger has changed since the package was prepared (%s). Prepare it again.", list[0])
	}
	return nil
}

// readTrail states the head of the audit trail, with the acts of this package. A package that is otherwise the version
// before it stays that version.
func (x *maker) readTrail(ctx context.Context) error {
	head, again := x.trail.Get()
	if !again {
		trail, err := x.Book.Trail(ctx)
		if err != nil {
			return x.wrapErr(err)
		}
		head = ledger.HeadOf(trail)
		if before := x.before; before != nil && before.Trail.Compare(trail) == nil && x.sameAs(before) == nil {
			head = before.Trail
		}
	}
	x.manifest.Trail = head
	return nil
}

// checkActs lists where the package's acts contradict each other or its manifest, which needs no ledger.
func (c *PackageCheck) checkActs() error {
	m := c.Manifest
	if !m.Options.Acts {
		return nil
	}
	text, err := disk.ReadSmall(filepath.Join(c.Dir, filepath.FromSlash(ActsFile)), maxActsBytes)
	if err != nil {
		return err
	}
	if c.acts, err = ReadActs(text); err != nil {
		return err
	}
	differ := func(format string, values ...any) {
		c.Differences = append(c.Differences, ActsFile+": "+fmt.Sprintf(format, values...))
	}
	if lack := Round(c.acts).Whole(); lack != "" {
		differ("%s", lack)
	}
	if err := c.checkApproval(differ); err != nil {
		return err
	}
	before := ledger.Act{}
	for _, a := range c.acts {
		switch {
		case a.Period != m.Period.Name() || a.Zone != m.Period.Timezone:
			differ("act %d is about %s in %s", a.Number, a.Period, a.Zone)
		case a.Number <= before.Number:
			differ("act %d is out of order", a.Number)
		case a.Number > m.Trail.Lines || a.Number == m.Trail.Lines && a.Digest != m.Trail.Digest:
			differ("act %d, %s by %s, is not in the audit trail of the manifest", a.Number, a.Kind, a.User)
		case a.Number == before.Number+1 && a.After(before.Digest) != a.Digest:
			differ("act %d, %s by %s, was altered: its digest does not follow from the act before", a.Number, a.Kind, a.User)
		}
		before = a
	}
	return nil
}

// compareTrail compares the package's acts, and the audit trail of its manifest, with the ledger's.
func (v *verifier) compareTrail(ctx context.Context) (differences []string, err error) {
	m := v.Manifest
	trail, err := v.ledger.Book.Trail(ctx)
	if err != nil {
		return nil, v.ledger.wrapErr(err)
	}
	if len(trail) == 0 && m.Trail.Lines > 0 { // the ledger may come from another source
		v.TrailLost = true
		v.notCompared(fmt.Sprintf("the audit trail, because the ledger's is empty; in the package, it has %s", console.Counted(m.Trail.Lines, "line")))
		if m.Options.Acts {
			v.notCompared(ActsFile)
		}
		if m.Options.About {
			v.notCompared(aboutFile + " and " + CoverFile + ": the audit trail, and who prepared, reviewed and closed the package")
		}
		return nil, nil
	}
	if err := m.Trail.Compare(trail); err != nil {
		differences = append(differences, "manifest: the ledger's audit trail is not that of the package: "+err.Error())
	}
	for _, a := range v.acts {
		if a.Number < 1 || a.Number > uint64(len(trail)) || trail[a.Number-1] != a {
			differences = append(differences, fmt.Sprintf("%s: act %d, %s by %s, is not in the ledger's audit trail", ActsFile, a.Number, a.Kind, a.User))
		}
	}
	return differences, nil
}
