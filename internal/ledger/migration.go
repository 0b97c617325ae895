package ledger

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/pressly/goose/v3"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/1_book.sql
var layout1 string

// layouts are the migrations, the first is number 1.
var layouts = []string{layout1}

// dialect is what SQL the engines write differently.
type dialect struct {
	goose     goose.Dialect
	types     map[kind]string
	strict    string // what follows a table that is ordered by rows
	clustered string // what follows one that is ordered by its key
	hex       func(column string) string
	time      func(column string) string
	day       func(column string) string
	wei       func(column string) string
	sum       func(column string) string // the exact sum of amounts, as text
	wordOf    func(column string) string
	coin      func(column string) string // an amount of wei in the token
	dayText   func(column string) string // a day's number as YYYY-MM-DD
	monthText func(column string) string // a month's number as YYYY-MM
	laidOut   string                     // the query whether there is a table layoutTable

	json  func(of, key string) string  // the text that a JSON object has under a key
	each  func(of, list string) string // the elements of a list that one has
	by    func(key string) string      // what cuts a table into partitions
	files bool                         // a ledger is a file
}

// layout is a migration's SQL.
func (d *dialect) layout(text string) (string, error) {
	t, err := template.New("").Funcs(template.FuncMap{
		"integer":   func() string { return d.types[integer] },
		"data":      func() string { return d.types[data] },
		"amount":    func() string { return d.types[amount] },
		"word":      func() string { return d.types[word] },
		"wordOf":    d.wordOf,
		"strict":    func() string { return d.strict },
		"clustered": func() string { return d.clustered },
		"hex":       d.hex,
		"time":      d.time,
		"day":       d.day,
		"wei":       d.wei,
		"sum":       d.sum,
		"coin":      d.coin,
		"dayText":   d.dayText,
		"monthText": d.monthText,
		"json":      d.json,
		"each":      d.each,
		"by":        d.by,
		"files":     func() bool { return d.files },
		"counts":    func() []string { return sumNames(integer) },
		"amounts":   func() []string { return sumNames(amount) },
		"usual":     func() []string { return usualTexts },
	}).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, nil)
	return out.String(), err
}

// sumNames are those of the sums of a kind.
func sumNames(of kind) (list []string) {
	for _, f := range partSums {
		if kindOf(f.at(new(Sums))) == of {
			list = append(list, f.name)
		}
	}
	return list
}

// ErrNewer says that a newer program has written the ledger.
var ErrNewer = errors.New("the ledger was written by a newer fees: update this one")

// ErrOlder says that an older program has written the ledger. Whoever opens it to write
// brings it to the layout of this one.
var ErrOlder = errors.New("the ledger was written by an older fees")

// migrate brings a ledger to the newest layout.
func migrate(ctx context.Context, db *sql.DB, d *dialect) error {
	version, err := layoutOf(ctx, db, d)
	if err != nil {
		return err
	}
	var list []*goose.Migration
	for i, text := range layouts {
		text, err := d.layout(text)
		if err != nil {
			return err
		}
		list = append(list, goose.NewGoMigration(int64(i+1), &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, text)
			return err
		}}, nil))
	}
	p, err := goose.NewProvider(d.goose, db, nil, goose.WithGoMigrations(list...), goose.WithDisableGlobalRegistry(true), goose.WithTableName(layoutTable))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	if hasCode(err, sqlite3.SQLITE_ERROR) { // a column is there already, or a table is not
		return fmt.Errorf("%w: its tables are not those of layout %d: %w", ErrDamaged, version, err)
	}
	return err
}

const layoutTable = "book_layout"

// checkLayout is ErrNone where a database has no ledger in it, and ErrNewer or ErrOlder where
// its layout is not this program's.
func checkLayout(ctx context.Context, db *sql.DB, d *dialect) error {
	version, err := layoutOf(ctx, db, d)
	if err == nil && version == 0 {
		err = fmt.Errorf("%w in this database", ErrNone)
	}
	if err == nil && version < len(layouts) {
		var begun bool
		if err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT * FROM book)").Scan(&begun); err != nil {
			return err
		}
		if !begun { // who made it was stopped before it had all tables
			return fmt.Errorf("%w in this database: nothing was ever written to it", ErrNone)
		}
		err = fmt.Errorf("%w (its layout is %d, this program's is %d)", ErrOlder, version, len(layouts))
	}
	return err
}

// layoutOf is the layout that a database has, 0 where it has none, or where who made it
// was stopped. It is ErrNewer where this program does not know it.
func layoutOf(ctx context.Context, db *sql.DB, d *dialect) (version int, err error) {
	var there bool
	if err := db.QueryRowContext(ctx, d.laidOut).Scan(&there); err != nil || !there {
		return 0, err
	}
	if err := db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+layoutTable).Scan(&version); err != nil {
		return 0, err
	}
	if version > len(layouts) {
		return 0, fmt.Errorf("%w (its layout is %d, this program knows %d)", ErrNewer, version, len(layouts))
	}
	return version, nil
}
