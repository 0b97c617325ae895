package ledger

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
)

// hooks observe and change what a ledger's engine does.
type hooks struct {
	step  func() error                            // before each call and each result; an error replaces it
	asked func(query string, arguments []any)     // each query, and each statement that deletes or changes rows
	alter func(query string, before int, r []any) // each row, with the number of rows that the query returned before
	ended func()                                  // the end of each snapshot
}

// hook makes a ledger's engine use the hooks that set sets. mend restores the engine.
func (b *Book) hook(set func(*hooks)) (mend func()) {
	h := &hooks{func() error { return nil }, func(string, []any) {}, func(string, int, []any) {}, func() {}}
	set(h)
	whole := b.engine
	b.engine = &hookedEngine{hookedQuerier{whole, h}, innerEngine{whole}}
	return func() { b.engine = whole }
}

// Altering makes a ledger's engine return other rows than are stored, like one with a damaged file. alter gets each row
// read from a table, and the number of rows that the query returned before. mend restores the engine.
func (b *Book) Altering(alter func(query string, before int, r []any)) (mend func()) {
	return b.hook(func(h *hooks) { h.alter = alter })
}

// Asked reports each query and its arguments to told, until the ledger is mended.
func (b *Book) Asked(told func(query string, arguments []any)) (mend func()) {
	return b.hook(func(h *hooks) { h.asked = told })
}

// AfterSnapshot calls do once after the first snapshot: a query of totals is cut into pieces in it, which are read later.
func AfterSnapshot(b *Book, do func()) { b.hook(func(h *hooks) { h.ended = sync.OnceFunc(do) }) }

// ErrFault is the error of an engine of FailAt.
var ErrFault = errors.New("the engine failed")

// FailAt makes a ledger's engine fail once, at its n-th step from now on: a step is a call, or its result. mend restores
// it, and reports whether that step was reached.
func (b *Book) FailAt(n int) (mend func() (failed bool)) {
	var steps atomic.Int64
	whole := b.hook(func(h *hooks) {
		h.step = func() error {
			if steps.Add(1) == int64(n) {
				return ErrFault
			}
			return nil
		}
	})
	return func() bool {
		whole()
		return steps.Load() >= int64(n)
	}
}

type hookedQuerier struct {
	querier
	*hooks
}

func (q hookedQuerier) dialect() *dialect { return q.querier.dialect() }

func (q hookedQuerier) exec(ctx context.Context, query string, arguments ...any) error {
	if err := q.step(); err != nil {
		return err
	}
	if strings.HasPrefix(query, "DELETE") || strings.HasPrefix(query, "UPDATE") {
		q.asked(query, arguments)
	}
	return q.querier.exec(ctx, query, arguments...)
}

func (q hookedQuerier) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	if err := q.step(); err != nil {
		return nil, err
	}
	q.asked(query, arguments)
	rows, err := q.querier.query(ctx, query, arguments...)
	if err != nil {
		return nil, err
	}
	return &hookedRows{rows, q.hooks, query, 0, q.step()}, nil
}

// hookedRows are the rows of a query; failed is their error.
type hookedRows struct {
	rowSet
	*hooks
	query  string
	before int
	failed error
}

func (r *hookedRows) Err() error { return cmp.Or(r.failed, r.rowSet.Err()) }

func (r *hookedRows) Scan(into ...any) error { return cmp.Or(r.failed, r.rowSet.Scan(into...)) }

func (r *hookedRows) values(columns []column, into row) error {
	err := cmp.Or(r.failed, r.rowSet.values(columns, into))
	if err == nil {
		r.alter(r.query, r.before, into)
		r.before++
	}
	return err
}

// The inner engine and transaction are embedded one level deeper, so that the methods of hookedQuerier take precedence.
type (
	innerEngine      struct{ engine }
	innerTransaction struct{ transaction }
)

type hookedEngine struct {
	hookedQuerier
	innerEngine
}

func (e *hookedEngine) shared() querier { return hookedQuerier{e.engine.shared(), e.hooks} }

func (e *hookedEngine) begin(ctx context.Context) (transaction, error) {
	if err := e.step(); err != nil {
		return nil, err
	}
	tx, err := e.engine.begin(ctx)
	if err != nil {
		return nil, err
	}
	return &hookedTransaction{hookedQuerier{tx, e.hooks}, innerTransaction{tx}}, nil
}

func (e *hookedEngine) snapshot(ctx context.Context) (querier, func(), error) {
	if err := e.step(); err != nil {
		return nil, nil, err
	}
	q, end, err := e.engine.snapshot(ctx)
	return hookedQuerier{q, e.hooks}, func() {
		end()
		e.ended()
	}, err
}

type hookedTransaction struct {
	hookedQuerier
	innerTransaction
}

func (t *hookedTransaction) insert(ctx context.Context, table string, columns []column, rows []row) error {
	if err := t.step(); err != nil {
		return err
	}
	return t.transaction.insert(ctx, table, columns, rows)
}

func (t *hookedTransaction) commit(ctx context.Context) error {
	if err := t.step(); err != nil {
		return err
	}
	return t.transaction.commit(ctx)
}
