package ledger

import "context"

// Altering makes the engine of a book deliver other rows than there are, as one does whose
// file is damaged. Alter is given each row that is read of a table, and how many of that
// query were read before. Mend makes the engine whole again.
func (b *Book) Altering(alter func(query string, before int, r []any)) (mend func()) {
	whole := b.engine
	b.engine = &alteringEngine{whole, alteringQuerier{whole, alter}}
	return func() { b.engine = whole }
}

type alteringEngine struct {
	engine
	q alteringQuerier
}

func (e *alteringEngine) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	return e.q.query(ctx, query, arguments...)
}

func (e *alteringEngine) shared() querier { return alteringQuerier{e.engine.shared(), e.q.alter} }

func (e *alteringEngine) snapshot(ctx context.Context) (querier, func(), error) {
	q, end, err := e.engine.snapshot(ctx)
	return alteringQuerier{q, e.q.alter}, end, err
}

type alteringQuerier struct {
	querier
	alter func(query string, before int, r []any)
}

func (q alteringQuerier) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	rows, err := q.querier.query(ctx, query, arguments...)
	return &alteringRows{rows, q.alter, query, 0}, err
}

type alteringRows struct {
	rowSet
	alter  func(query string, before int, r []any)
	query  string
	before int
}

func (r *alteringRows) values(columns []column, into row) error {
	err := r.rowSet.values(columns, into)
	if err == nil {
		r.alter(r.query, r.before, into)
		r.before++
	}
	return err
}
