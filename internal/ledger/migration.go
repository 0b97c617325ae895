package ledger

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/pressly/goose/v3"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/1_book.sql
var migration1 string

// migrations are the SQL scripts by schema version, from 1.
var migrations = []string{migration1}

// dialect contains the SQL that differs between the engines.
type dialect struct {
	goose goose.Dialect
	// sql is SQL by name, with $1 and $2 for its arguments: types of columns, suffixes of tables, and expressions.
	sql      map[string]string
	coin     func(column string, places int) string // an amount of the smallest unit in the token, with that many decimals
	hasTable func(name string) string               // the query that reports whether a table exists
}

// render renders a migration's SQL, with views of a token with that many decimals.
func (d *dialect) render(text string, places int) (string, error) {
	functions := template.FuncMap{
		"coin":    func(column string) string { return d.coin(column, places) },
		"counts":  func() []string { return sumNames(integer) },
		"amounts": func() []string { return sumNames(amount) },
		"usual":   func() []string { return usualTexts },
	}
	for name, sql := range d.sql {
		functions[name] = func(arguments ...string) string {
			text := sql
			for i, argument := range arguments {
				text = strings.ReplaceAll(text, fmt.Sprint("$", i+1), argument)
			}
			return text
		}
	}
	t, err := template.New("").Funcs(functions).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, nil)
	return out.String(), err
}

// sumNames returns the names of the sums with a column type.
func sumNames(of kind) (list []string) {
	for _, f := range partSums {
		if kindOf(f.at(new(Sums))) == of {
			list = append(list, f.name)
		}
	}
	return list
}

// ErrNewer reports that a newer program wrote the ledger.
var ErrNewer = errors.New("the ledger was written by a newer version of fees; update this one")

// ErrOlder reports that an older program wrote the ledger. Opening it with OpenWriter migrates it.
var ErrOlder = errors.New("the ledger was written by an older version of fees")

// migrate upgrades a ledger to the newest schema version.
func migrate(ctx context.Context, db *sql.DB, d *dialect) error {
	version, err := schemaVersion(ctx, db, d)
	if err != nil {
		return err
	}
	var list []*goose.Migration
	for i, text := range migrations {
		text, err := d.render(text, usualDecimals)
		if err != nil {
			return err
		}
		list = append(list, goose.NewGoMigration(int64(i+1), &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, text)
			return err
		}}, nil))
	}
	p, err := goose.NewProvider(d.goose, db, nil, goose.WithGoMigrations(list...), goose.WithDisableGlobalRegistry(true), goose.WithTableName(versionTable))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	if hasCode(err, sqlite3.SQLITE_ERROR) { // a column already exists, or a table does not
		return fmt.Errorf("%w: its tables do not match schema version %d: %w", ErrDamaged, version, err)
	}
	return err
}

const versionTable = "book_layout"

// checkSchema returns ErrNone if a database contains no ledger, and ErrNewer or ErrOlder if its schema
// version is not this program's.
func checkSchema(ctx context.Context, db *sql.DB, d *dialect) error {
	version, err := schemaVersion(ctx, db, d)
	if err == nil && version == 0 {
		err = fmt.Errorf("%w in this database", ErrNone)
	}
	if err == nil && version < len(migrations) {
		var begun bool
		if err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT * FROM book)").Scan(&begun); err != nil {
			return err
		}
		if !begun { // its creation was interrupted
			return fmt.Errorf("%w in this database: it is empty", ErrNone)
		}
		err = fmt.Errorf("%w (schema version %d, this program's is %d)", ErrOlder, version, len(migrations))
	}
	return err
}

// schemaVersion returns the schema version of a database; 0 without a ledger, or if its creation was interrupted.
// It returns ErrNewer if this program does not know the version.
func schemaVersion(ctx context.Context, db *sql.DB, d *dialect) (version int, err error) {
	var there bool
	if err := db.QueryRowContext(ctx, d.hasTable(versionTable)).Scan(&there); err != nil || !there {
		return 0, err
	}
	if err := db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+versionTable).Scan(&version); err != nil {
		return 0, err
	}
	if version > len(migrations) {
		return 0, fmt.Errorf("%w (schema version %d, this program supports %d)", ErrNewer, version, len(migrations))
	}
	return version, nil
}

// unitFields are the fields that the digest of the table book's row covers if the token has other than 18 decimals. They
// are in the table book_unit.
var unitFields = append(slices.Clip(bookFields), field[bookRow]{"decimals", fact, func(b *bookRow) any { return &b.Decimals }})

// usualDecimals are those of a token whose ledger does not state them.
const usualDecimals = 18

// decimalsOf returns the number of a token's decimals. 0 stands for 18.
func decimalsOf(stated int) int { return cmp.Or(stated, usualDecimals) }

// hasOtherDecimals reports whether a token has other than 18 decimals.
func hasOtherDecimals(decimals int) bool {
	return decimalsOf(decimals) != usualDecimals
}

// digest returns the row's digest.
func (c *bookRow) digest() Digest {
	if hasOtherDecimals(c.Decimals) {
		return digestOf(unitFields, c)
	}
	return digestOf(bookFields, c)
}

// readDecimals reads the token's decimals from table book_unit. It returns 0, which stands for 18, without that table.
func readDecimals(ctx context.Context, q querier) (decimals int, err error) {
	there := false
	if _, err := one(ctx, q, []any{&there}, q.dialect().hasTable("book_unit")); err != nil || !there {
		return 0, err
	}
	found, err := one(ctx, q, []any{&decimals}, "SELECT decimals FROM book_unit")
	if err == nil && (!found || decimals < 1 || decimals > usualDecimals) {
		err = damaged("table book_unit: a token has 1 to %d decimals, not %d", usualDecimals, decimals)
	}
	return decimals, err
}

// setDecimals sets the decimals of a new ledger's token, and changes the views of amounts in the token.
func setDecimals(ctx context.Context, q querier, decimals int) error {
	if !hasOtherDecimals(decimals) {
		return nil
	}
	if err := execAll(ctx, q, "CREATE TABLE book_unit (decimals INTEGER NOT NULL)", fmt.Sprintf("INSERT INTO book_unit (decimals) VALUES (%d)", decimals)); err != nil {
		return err
	}
	text, err := q.dialect().render(migration1, decimals)
	if err != nil {
		return err
	}
	for _, view := range viewForm.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(view[0], "_token") {
			continue
		}
		if err := execAll(ctx, q, "DROP VIEW "+view[1], view[0]); err != nil {
			return fmt.Errorf("view %s: %w", view[1], err)
		}
	}
	return nil
}

// viewForm matches the statements that create views.
var viewForm = regexp.MustCompile(`(?s)CREATE VIEW (\w+) AS [^;]*`)
