package simulation

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// book contains everything in a ledger, read with plain SQL: the rows of each table.
type book struct {
	rows map[string][]string // by table, ordered by key
}

// tableOf describes how a table is read.
type tableOf struct {
	name, columns, order string
	without              []string // excluded columns
}

// read are the tables of a ledger. Findings and unanswered questions may depend on the gateway's responses, and are
// read separately.
var read = []tableOf{
	{name: "book", columns: "*", order: "one"},
	{name: "transactions", columns: "*", order: "id"},
	{name: "blocks", order: "height",
		columns: "height, lower(hex(substr(record, 10, 32))) AS hash, time_ms, flags & 5 AS flags, json_extract(known, '$.diagnoses') AS diagnoses, record"},
	{name: "proved", columns: "*", order: "first"},
	{name: "stretches", columns: "*", order: "unit, number", without: []string{"digest", "findings", "unanswered"}},
	{name: "parts", columns: "*", order: "unit, number, kind, part"},
}

// opened opens a ledger's file with plain SQL.
func opened(path string) (*sql.DB, error) {
	place := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	return sql.Open("sqlite", place.String())
}

// readBook reads a ledger's file.
func readBook(path string) (*book, error) {
	db, err := opened(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	b := &book{rows: map[string][]string{}}
	for _, t := range read {
		rows := []string{}
		err := each(db, "SELECT "+t.columns+" FROM "+t.name+" ORDER BY "+t.order, func(columns []string, r []any) error {
			line := make([]byte, 0, 512)
			for i, v := range r {
				if slices.Contains(t.without, columns[i]) {
					continue
				}
				line = append(append(line, columns[i]...), '=')
				switch v := v.(type) {
				case int64:
					line = strconv.AppendInt(line, v, 10)
				case string:
					line = append(line, v...)
				case []byte:
					line = hex.AppendEncode(line, v)
				default:
					line = fmt.Append(line, v)
				}
				line = append(line, ' ')
			}
			rows = append(rows, string(line))
			return nil
		})
		if err != nil {
			return nil, err
		}
		b.rows[t.name] = rows
	}
	return b, nil
}

// each calls a function for each row of a query.
func each(db *sql.DB, query string, row func(columns []string, values []any) error) error {
	rows, err := db.Query(query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := row(columns, values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// differs describes the first difference between two ledgers.
func (b *book) differs(other *book) error {
	for _, t := range read {
		name := t.name
		one, two := b.rows[name], other.rows[name]
		for i := range max(len(one), len(two)) {
			switch {
			case i >= len(one):
				return fmt.Errorf("table %s has %d rows, and lacks %s", name, len(one), two[i])
			case i >= len(two):
				return fmt.Errorf("table %s has %d rows, not %d: one more is %s", name, len(one), len(two), one[i])
			case one[i] != two[i]:
				return fmt.Errorf("table %s, row %d is\n  %s\nand should be\n  %s", name, i, one[i], two[i])
			}
		}
	}
	return nil
}

// count returns the number selected by a query.
func count(path, query string, arguments ...any) (n int64, err error) {
	db, err := opened(path)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.QueryRow(query, arguments...).Scan(&n)
	return n, err
}

// state is the state of a ledger.
type state struct {
	begun  bool
	next   uint64 // the next height to be sealed
	blocks map[uint64]stored
}

type stored struct {
	hash  chain.Hash
	final bool
}

// look reads the state of the ledger's file while no program runs.
func (w *world) look() error {
	w.ledger = state{}
	if _, err := os.Stat(w.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := opened(w.path)
	if err != nil {
		return err
	}
	defer db.Close()
	var first, sealed uint64
	err = db.QueryRow("SELECT first, sealed FROM book").Scan(&first, &sealed)
	if err != nil { // it has no tables yet, or is empty
		return nil
	}
	w.ledger = state{begun: true, next: first + sealed, blocks: map[uint64]stored{}}
	return each(db, "SELECT height, substr(record, 10, 32), flags & 1 FROM blocks", func(_ []string, r []any) error {
		w.ledger.blocks[uint64(r[0].(int64))] = stored{chain.Hash(r[1].([]byte)), r[2].(int64) == 0}
		return nil
	})
}

// verified requires that the ledger's own verification finds nothing.
func verified(path string) error {
	b, err := ledger.Open(context.Background(), path)
	if err != nil {
		return err
	}
	defer b.Close()
	var first error
	err = b.Verify(context.Background(), func(d ledger.Damage) {
		if first == nil {
			first = fmt.Errorf("damage: %v", d)
		}
	}, func(_, _ uint64) {})
	return errors.Join(err, first)
}
