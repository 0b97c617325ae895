package simulation

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// Users act in the browser while the program writes, between its runs, and when the machine dies. Their acts take no time
// and have dice of their own, so that a seed's history is the same with and without them.

// act returns what a user does next.
func (w *world) act() (ledger.Act, error) {
	n := len(w.trail)
	at, err := chain.TimeAt(uint64(time.Now().UnixMilli()))
	a := ledger.Act{Time: at, User: pick(roll(w.seed, "user", n), []string{"anna", "bob"}), Manifest: ledger.Digest{byte(n)}}
	if n%3 == 2 {
		a.Kind, a.Account, a.EntryAfter = ledger.Labelled, "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac", fmt.Sprintf("label %q", fmt.Sprint("Wallet ", n))
		return a, err
	}
	a.Kind, a.Period, a.Zone, a.Comment = pick(roll(w.seed, "kind", n), []ledger.ActKind{ledger.Prepared, ledger.Returned, ledger.Approved}), "2026-01", "UTC", fmt.Sprint("act ", n)
	return a, err
}

// acts appends an act to the ledger's audit trail, which must have exactly the acts before it.
func (w *world) acts() error {
	a, err := w.act()
	if err != nil {
		return err
	}
	trail, err := ledger.OpenTrail(context.Background(), w.path)
	if err != nil {
		return err
	}
	defer trail.Close()
	a, err = trail.Record(context.Background(), a, func(before []ledger.Act) error { return w.isTrail(before) })
	if err == nil {
		w.trail = append(w.trail, a)
		w.seen.acts++
	}
	return err
}

// isTrail returns an error unless these are the acts that were recorded.
func (w *world) isTrail(acts []ledger.Act) error {
	if !slices.Equal(acts, w.trail) {
		return fmt.Errorf("the audit trail has %d lines that differ from the %d that were recorded", len(acts), len(w.trail))
	}
	return nil
}

// keepsActs checks that the ledger has all acts, and no other.
func (w *world) keepsActs() error {
	if !w.ledger.begun {
		return nil
	}
	b, err := ledger.Open(context.Background(), w.path)
	if err != nil {
		return err
	}
	defer b.Close()
	acts, err := b.Trail(context.Background())
	if err != nil {
		return err
	}
	return w.isTrail(acts)
}

// actsBeside records an act now and then between two changes of the program that writes.
func (w *world) actsBeside(d *disk, step ...any) {
	if w.actError != nil || !roll(w.seed, append([]any{"beside", w.run}, step...)...).chance(30) {
		return
	}
	d.acting.Store(true)
	defer d.acting.Store(false)
	if err := w.acts(); err != nil && !d.dead.Load() {
		w.actError = fmt.Errorf("an act beside the program: %w", err)
	}
}

// actsBetween records acts while the program does not run. The machine may die before an act is committed: it is then
// not recorded. A stored act that is altered must be found.
func (w *world) actsBetween() error {
	d := roll(w.seed, "between", w.run)
	if !w.ledger.begun || w.spoiled != "" || !d.chance(400) {
		return nil
	}
	for range d.between(1, 3) {
		if err := w.acts(); err != nil {
			return fmt.Errorf("an act between two runs: %w", err)
		}
	}
	if d.chance(300) {
		left := filepath.Join(w.directory, fmt.Sprint("act-", w.run), "fees.db")
		dying := &disk{path: w.path, dies: 1, left: left, died: func() {}}
		release := dying.mount()
		err := w.acts()
		release()
		if err == nil || !dying.dead.Load() || dying.err != nil {
			return errors.Join(fmt.Errorf("the machine died before an act was committed: %w", err), dying.err)
		}
		w.path = left
	}
	if err := w.keepsActs(); err != nil || !d.chance(300) {
		return err
	}
	return w.lieAboutAnAct(d)
}

// lieAboutAnAct alters a stored act in a copy of the ledger. Verification must find it, nothing may read the trail, and
// nothing may extend it.
func (w *world) lieAboutAnAct(d dice) error {
	path := filepath.Join(w.directory, fmt.Sprint("lie-", w.run), "fees.db")
	if err := copyBook(w.path, path); err != nil {
		return err
	}
	db, err := opened(path)
	if err != nil {
		return err
	}
	statement := pick(d, []string{
		"UPDATE trail SET actor = 'eve' WHERE number = ?", "UPDATE trail SET comment = comment || '.' WHERE number = ?", "UPDATE trail SET time_ms = time_ms - 1 WHERE number = ?",
		"UPDATE trail SET entry_after = entry_after || '.' WHERE number = ?", "UPDATE trail SET act = 'closed' WHERE number = ?", "UPDATE trail SET number = number + 1000 WHERE number = ?",
	})
	result, err := db.Exec(statement, d.between(1, len(w.trail)))
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		return fmt.Errorf("%q altered %d rows: %w", statement, n, err)
	}
	b, err := ledger.OpenTrail(context.Background(), path)
	if err != nil {
		return err
	}
	defer b.Close()
	var found []ledger.Damage
	err = b.Verify(context.Background(), func(d ledger.Damage) { found = append(found, d) }, func(_, _ uint64) {})
	if err != nil || len(found) != 1 || found[0].Table != "trail" {
		return fmt.Errorf("after %q, verification found %v: %w", statement, found, err)
	}
	a, err := w.act()
	if err != nil {
		return err
	}
	if _, err := b.Record(context.Background(), a, nil); !errors.Is(err, ledger.ErrDamaged) {
		return fmt.Errorf("after %q, an act was recorded: %w", statement, err)
	}
	w.seen.lies++
	return nil
}
