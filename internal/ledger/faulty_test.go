package ledger

import (
	"context"
	"errors"
	"sync/atomic"
)

// ErrFault is the error of an engine of FailAt.
var ErrFault = errors.New("the engine failed")

// FailAt makes a ledger's engine fail once, at its n-th step from now on: a step is a call, or a row that it returns. mend
// restores it, and reports whether that step was reached.
func (b *Book) FailAt(n int) (mend func() (failed bool)) {
	whole := b.engine
	f := &faults{at: int64(n)}
	b.engine = &faultyEngine{faultyQuerier{whole, f}, whole}
	return func() bool {
		b.engine = whole
		return f.steps.Load() >= f.at
	}
}

// faults counts steps up to the failing one. Several may run concurrently.
type faults struct {
	at    int64
	steps atomic.Int64
}

// step fails at the selected step.
func (f *faults) step() error {
	if f.steps.Add(1) == f.at {
		return ErrFault
	}
	return nil
}

type faultyQuerier struct {
	querier
	*faults
}

func (q faultyQuerier) exec(ctx context.Context, query string, arguments ...any) error {
	if err := q.step(); err != nil {
		return err
	}
	return q.querier.exec(ctx, query, arguments...)
}

func (q faultyQuerier) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	if err := q.step(); err != nil {
		return nil, err
	}
	rows, err := q.querier.query(ctx, query, arguments...)
	if err == nil && q.step() != nil {
		rows = faultyRows{rows}
	}
	return rows, err
}

// faultyRows fail at the first row, or at the end if there is none.
type faultyRows struct{ rowSet }

func (faultyRows) Scan(...any) error          { return ErrFault }
func (faultyRows) values([]column, row) error { return ErrFault }
func (faultyRows) Err() error                 { return ErrFault }

type faultyEngine struct {
	faultyQuerier
	engine
}

func (e *faultyEngine) exec(ctx context.Context, query string, arguments ...any) error {
	return e.faultyQuerier.exec(ctx, query, arguments...)
}

func (e *faultyEngine) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	return e.faultyQuerier.query(ctx, query, arguments...)
}

func (e *faultyEngine) shared() querier { return faultyQuerier{e.engine.shared(), e.faults} }

func (e *faultyEngine) begin(ctx context.Context) (transaction, error) {
	if err := e.step(); err != nil {
		return nil, err
	}
	tx, err := e.engine.begin(ctx)
	if err != nil {
		return nil, err
	}
	return &faultyTransaction{faultyQuerier{tx, e.faults}, tx}, nil
}

func (e *faultyEngine) snapshot(ctx context.Context) (querier, func(), error) {
	if err := e.step(); err != nil {
		return nil, nil, err
	}
	q, end, err := e.engine.snapshot(ctx)
	return faultyQuerier{q, e.faults}, end, err
}

type faultyTransaction struct {
	faultyQuerier
	transaction
}

func (t *faultyTransaction) exec(ctx context.Context, query string, arguments ...any) error {
	return t.faultyQuerier.exec(ctx, query, arguments...)
}

func (t *faultyTransaction) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	return t.faultyQuerier.query(ctx, query, arguments...)
}

func (t *faultyTransaction) insert(ctx context.Context, table string, columns []column, rows []row) error {
	if err := t.step(); err != nil {
		return err
	}
	return t.transaction.insert(ctx, table, columns, rows)
}

func (t *faultyTransaction) commit(ctx context.Context) error {
	if err := t.step(); err != nil {
		return err
	}
	return t.transaction.commit(ctx)
}
