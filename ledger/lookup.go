package ledger

import (
	"context"
	"fmt"
	"strings"
)

// lookup is an index for those who ask by account or hash. Its keys come in no
// order, which makes it dear while many blocks are stored: then it is dropped, and
// made again of all rows at once.
type lookup struct{ name, table, columns string }

var lookups = []lookup{
	{"transactions_by_payer", "transactions", "payer, height"},
	{"transactions_by_hash", "transactions", "hash"},
	{"transactions_by_evm_hash", "transactions", "evm_hash"},
	{"movements_by_account", "movements", "account, height"},
	{"transfers_by_sender", "transfers", "sender, height"},
	{"transfers_by_recipient", "transfers", "recipient, height"},
}

// DropLookups takes the look-ups away before many blocks are stored. Questions by
// account and hash are answered without them, slowly.
func (b *Book) DropLookups(ctx context.Context) error {
	for _, l := range lookups {
		if err := b.engine.exec(ctx, "DROP INDEX IF EXISTS "+l.name); err != nil {
			return err
		}
	}
	return nil
}

// BuildLookups makes the look-ups that are not there. Each is told before one is
// made. Several programs may do it at once.
func (b *Book) BuildLookups(ctx context.Context, each func(name string)) error {
	there, err := indexesThere(ctx, b.engine, b.engine.sql())
	if err != nil {
		return err
	}
	for _, l := range lookups {
		if _, ok := there[l.name]; ok {
			continue
		}
		each(l.name)
		err := b.change(ctx, func(tx transaction) error {
			if t, ok := tx.(*postgresTransaction); ok {
				if err := t.lock(ctx, lockLayout); err != nil {
					return err
				}
			}
			return tx.exec(ctx, strings.Replace(l.sql(), "INDEX", "INDEX IF NOT EXISTS", 1))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *Book) haveLookups(ctx context.Context, q querier) (bool, error) {
	there, err := indexesThere(ctx, q, b.engine.sql())
	for _, l := range lookups {
		if _, ok := there[l.name]; !ok {
			return false, err
		}
	}
	return true, err
}

// sql is the statement that makes it.
func (l *lookup) sql() string {
	return "CREATE INDEX " + l.name + " ON " + l.table + " (" + l.columns + ")"
}

// checkDefinitions tells which look-ups are not those of our making, such as one of a part of
// the rows.
func checkDefinitions(there map[string]string, found func(message string)) {
	for _, l := range lookups {
		if sql, ok := there[l.name]; ok && sql != l.sql() {
			found(fmt.Sprintf("%s is made by %q, not by %q: DROP INDEX %s, and fees sync makes it anew", l.name, sql, l.sql(), l.name))
		}
	}
}

// indexesThere are the indexes that there are, by name, and what makes them.
func indexesThere(ctx context.Context, q querier, d *dialect) (map[string]string, error) {
	there := map[string]string{}
	err := scan(ctx, q, definitionFields, func(x *definition) error {
		there[x.name] = x.sql
		return nil
	}, d.indexes)
	return there, err
}

// definition is an index that there is, and the statement that it is made by.
type definition struct{ name, sql string }

var definitionFields = []field[definition]{
	{name: "name", mark: state, at: func(x *definition) any { return &x.name }},
	{name: "sql", mark: state, at: func(x *definition) any { return (*nullable)(&x.sql) }},
}
