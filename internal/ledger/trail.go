package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/sys/plain"
)

// ActKind is what a user did with the package of a period, or with the address book.
type ActKind string

// The acts.
const (
	Prepared  ActKind = "prepared"
	Returned  ActKind = "returned" // to the preparer, by a reviewer
	Approved  ActKind = "approved"
	Closed    ActKind = "closed"
	Withdrawn ActKind = "withdrawn" // by the preparer
	Accepted  ActKind = "accepted"  // differences between the company's record and the ledger
	Asked     ActKind = "asked"     // a question about such differences
	Answered  ActKind = "answered"  // a question
	Labelled  ActKind = "labelled"  // an account's entry in the address book was edited

	AcceptanceWithdrawn ActKind = "acceptance withdrawn" // of all differences of an act
)

var packageKinds = []ActKind{Prepared, Returned, Approved, Closed, Withdrawn, Accepted, Asked, Answered, AcceptanceWithdrawn}

// Limits of an act's texts.
const (
	MaxComment   = 1000 // characters
	maxActText   = 256  // bytes of the other texts
	maxEntryText = 4096 // bytes of an entry of the address book
)

// Act is a line of the audit trail: who did what with the package of a period or its record of fees, or with an account's
// entry in the address book. Lines are never changed or removed.
type Act struct {
	Number      uint64     `json:"number"` // from 1 on, without gaps
	Time        chain.Time `json:"time"`
	User        string     `json:"user"`
	Kind        ActKind    `json:"act"`
	Period      string     `json:"period"`          // a month or a year, such as 2026-01; "" for labels
	Zone        string     `json:"timezone"`        // its time zone
	Manifest    Digest     `json:"manifest_sha256"` // of the package's manifest; for differences, of their list; for labels, of the address book's file after the edit; for an answer and a withdrawn acceptance, the digest of the line that it is about
	Comment     string     `json:"comment"`
	Account     string     `json:"account,omitempty"`      // whose entry was edited, one of 32 bytes in SS58; "" for packages
	EntryBefore string     `json:"entry_before,omitempty"` // the entry before the edit, as text; "" for none
	EntryAfter  string     `json:"entry_after,omitempty"`  // the entry after the edit
	Digest      Digest     `json:"trail_digest"`           // of this line and, through them, of all lines before it
}

// ErrAct reports an act with an invalid text.
var ErrAct = failure.New(failure.NotUnderstood, "not a valid act")

// Check returns ErrAct unless the texts can be stored, shown and opened in a spreadsheet: one line each, without control
// characters, and no formula.
func (a *Act) Check() error {
	if a.Kind == Labelled {
		return a.checkLabel()
	}
	for _, x := range []struct{ name, text string }{{"user", a.User}, {"period", a.Period}, {"time zone", a.Zone}} {
		if x.text == "" || len(x.text) > maxActText || plain.Line(x.text) != x.text {
			return fmt.Errorf("%w: the %s must be one line of up to %d bytes", ErrAct, x.name, maxActText)
		}
	}
	switch {
	case !slices.Contains(packageKinds, a.Kind):
		return fmt.Errorf("%w: %q is not one of the acts", ErrAct, string(a.Kind))
	case a.Account+a.EntryBefore+a.EntryAfter != "":
		return fmt.Errorf("%w: only an edit of the address book is about an account", ErrAct)
	case utf8.RuneCountInString(a.Comment) > MaxComment || !utf8.ValidString(a.Comment) || plain.Line(a.Comment) != a.Comment:
		return fmt.Errorf("%w: the comment must be one line of up to %d characters, without control characters", ErrAct, MaxComment)
	case plain.Cell(a.User) != a.User || plain.Cell(a.Comment) != a.Comment:
		return fmt.Errorf("%w: a spreadsheet would read the user or the comment as a formula; begin it with a letter or a digit", ErrAct)
	}
	return nil
}

// checkLabel checks an edit of the address book.
func (a *Act) checkLabel() error {
	account, err := chain.ParseAccount(a.Account)
	switch {
	case a.User == "" || len(a.User) > maxActText || plain.Cell(a.User) != a.User:
		return fmt.Errorf("%w: the user must be one line of up to %d bytes that begins with a letter or a digit", ErrAct, maxActText)
	case err != nil || account.Size() == chain.AddressSize && account.String() != a.Account || account.Size() != chain.AddressSize && strings.HasPrefix(a.Account, "0x"):
		return fmt.Errorf("%w: %q is not an account", ErrAct, a.Account)
	case a.Period+a.Zone+a.Comment != "":
		return fmt.Errorf("%w: an edit of the address book has no period and no comment", ErrAct)
	case a.EntryBefore == a.EntryAfter:
		return fmt.Errorf("%w: the entry of %s does not change", ErrAct, a.Account)
	}
	for _, text := range []string{a.EntryBefore, a.EntryAfter} {
		if len(text) > maxEntryText || plain.Cell(text) != text {
			return fmt.Errorf("%w: the entry of %s must be one line of up to %d bytes", ErrAct, a.Account, maxEntryText)
		}
	}
	return nil
}

// Texts returns the line's values as texts, in the order that the digest covers: number, time, user, act,
// period, time zone, SHA-256, comment; for an edit of the address book also the account and its entry before and after.
func (a *Act) Texts() []string {
	texts := []string{strconv.FormatUint(a.Number, 10), a.Time.String(), a.User, string(a.Kind), a.Period, a.Zone, a.Manifest.String(), a.Comment}
	if a.Kind == Labelled {
		texts = append(texts, a.Account, a.EntryBefore, a.EntryAfter)
	}
	return texts
}

// After returns the digest of the line that follows a line with another digest: the SHA-256 of that digest and
// the line's texts, each after its length in bytes (8 bytes, big-endian). The first line follows 32 zeros.
func (a *Act) After(before Digest) Digest {
	text := before[:]
	for _, t := range a.Texts() {
		text = append(binary.BigEndian.AppendUint64(text, uint64(len(t))), t...)
	}
	return sha256.Sum256(text)
}

var actFields = []field[Act]{
	{"number", fact, func(a *Act) any { return &a.Number }},
	{"time_ms", fact, func(a *Act) any { return &a.Time }},
	{"actor", fact, func(a *Act) any { return &a.User }},
	{"act", fact, func(a *Act) any { return (*string)(&a.Kind) }},
	{"period", fact, func(a *Act) any { return &a.Period }},
	{"zone", fact, func(a *Act) any { return &a.Zone }},
	{"manifest", fact, func(a *Act) any { return (*Seal)(&a.Manifest) }},
	{"comment", fact, func(a *Act) any { return &a.Comment }},
	{"account", fact, func(a *Act) any { return &a.Account }},
	{"entry_before", fact, func(a *Act) any { return &a.EntryBefore }},
	{"entry_after", fact, func(a *Act) any { return &a.EntryAfter }},
	{"digest", fact, func(a *Act) any { return (*Seal)(&a.Digest) }},
}

var actColumns = columnsOf(actFields)

// readTrail returns the lines of the trail in order. It returns ErrDamaged at the first line that was altered,
// removed or moved; lines removed from the end cannot be noticed.
func readTrail(ctx context.Context, q querier) (acts []Act, err error) {
	var before Digest
	err = list(ctx, q, actColumns, func(r row) error {
		number := uint64(len(acts)) + 1
		var a Act
		if err := readRow(actFields, r, &a); err != nil {
			return fmt.Errorf("%w: table trail: line %d was altered: %w", ErrDamaged, number, err)
		}
		if a.Number != number {
			return damaged("table trail: line %d is missing", number)
		}
		if a.Kind != Labelled && a.Account+a.EntryBefore+a.EntryAfter != "" { // the digest does not cover them
			return damaged("table trail: line %d was altered: it is about an account", number)
		}
		if before = a.After(before); before != a.Digest {
			return damaged("table trail: line %d was altered or moved: its digest is %v, not %v", number, before, a.Digest)
		}
		acts = append(acts, a)
		return nil
	}, selectFrom("trail", actColumns)+" ORDER BY number")
	return acts, err
}

// Trail returns the audit trail in order. It returns ErrDamaged if a line was altered, removed or moved.
func (b *Book) Trail(ctx context.Context) ([]Act, error) { return readTrail(ctx, b.engine.shared()) }

// Record appends an act to the audit trail in one transaction, reads it back and returns it with its number and digest. It
// calls allow, which may be nil, with the lines before it; an error of allow records nothing. An altered trail is not
// extended. The ledger must have been opened with OpenTrail or OpenWriter. It returns ErrDamaged if the database did not
// keep the act, and ErrLocked if another program's change of a file takes longer than five seconds.
func (b *Book) Record(ctx context.Context, act Act, allow func(before []Act) error) (Act, error) {
	list, err := b.RecordAll(ctx, []Act{act}, allow)
	return list[0], err
}

// RecordAll appends acts to the audit trail like [Book.Record]: all of them, or none.
func (b *Book) RecordAll(ctx context.Context, acts []Act, allow func(before []Act) error) ([]Act, error) {
	acts = slices.Clone(acts)
	for _, act := range acts {
		if err := act.Check(); err != nil {
			return acts, err
		}
	}
	err := b.change(ctx, func(tx transaction) error {
		if err := tx.lock(ctx, lockTrail); err != nil {
			return err
		}
		if _, err := readBookRow(ctx, tx); err != nil {
			return err
		}
		have, err := readTrail(ctx, tx)
		if err != nil {
			return err
		}
		if allow != nil {
			if err := allow(have); err != nil {
				return err
			}
		}
		var before Digest
		if n := len(have); n > 0 {
			before = have[n-1].Digest
		}
		var rows []row
		for i := range acts {
			act := &acts[i]
			act.Number = uint64(len(have)+i) + 1
			act.Digest = act.After(before)
			rows, before = append(rows, rowOf(actFields, act)), act.Digest
		}
		return tx.insert(ctx, "trail", actColumns, rows)
	})
	if err != nil {
		return acts, err
	}
	return acts, b.checkKept(ctx, acts)
}

// maxReadBack limits how long an act is read back.
const maxReadBack = 10 * time.Second

// checkKept returns ErrDamaged unless the trail contains the acts that were just recorded. A rule, a trigger or a view of the
// database can drop or change it without an error.
func (b *Book) checkKept(ctx context.Context, acts []Act) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxReadBack) // it is recorded, even if the caller has left
	defer cancel()
	have, err := b.Trail(ctx)
	for _, act := range acts {
		if err == nil && (uint64(len(have)) < act.Number || have[act.Number-1] != act) {
			err = damaged("table trail: line %d was written, but the database did not keep it. Find the cause with fees ledger verify", act.Number)
		}
	}
	return err
}

// trail finds the first line of the audit trail that was altered, removed or moved.
func (v *verification) trail(ctx context.Context) error {
	_, err := readTrail(ctx, v.q)
	return v.unlessDamaged("trail", err)
}
