package ledger

import (
	"context"
	"strings"
)

// Asked reports each query and its arguments to told, until the ledger is mended.
func (b *Book) Asked(told func(query string, arguments []any)) (mend func()) {
	whole := b.engine
	b.engine = &askedEngine{whole, askedQuerier{whole, told}}
	return func() { b.engine = whole }
}

type askedEngine struct {
	engine
	q askedQuerier
}

func (e *askedEngine) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	return e.q.query(ctx, query, arguments...)
}

func (e *askedEngine) shared() querier { return askedQuerier{e.engine.shared(), e.q.told} }

func (e *askedEngine) snapshot(ctx context.Context) (querier, func(), error) {
	q, end, err := e.engine.snapshot(ctx)
	return askedQuerier{q, e.q.told}, end, err
}

func (e *askedEngine) begin(ctx context.Context) (transaction, error) {
	tx, err := e.engine.begin(ctx)
	return askedTransaction{tx, askedQuerier{tx, e.q.told}}, err
}

type askedTransaction struct {
	transaction
	q askedQuerier
}

func (t askedTransaction) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	return t.q.query(ctx, query, arguments...)
}

func (t askedTransaction) exec(ctx context.Context, query string, arguments ...any) error {
	if strings.HasPrefix(query, "DELETE") || strings.HasPrefix(query, "UPDATE") {
		t.q.told(query, arguments)
	}
	return t.transaction.exec(ctx, query, arguments...)
}

type askedQuerier struct {
	querier
	told func(query string, arguments []any)
}

func (q askedQuerier) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	q.told(query, arguments)
	return q.querier.query(ctx, query, arguments...)
}
