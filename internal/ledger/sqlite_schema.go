package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// schema describes every table, index, view and trigger by the statement that created it.
func (e *sqliteEngine) schema(ctx context.Context) (schema, string, error) {
	s, err := sqliteSchema(ctx, e.shared())
	return s, "sqlite", err
}

// intendedSchema creates the tables in memory.
func (e *sqliteEngine) intendedSchema(ctx context.Context, decimals int) (schema, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection has its own database
	if err := migrate(ctx, db, &sqliteDialect); err != nil {
		return nil, err
	}
	if err := setDecimals(ctx, sqlQuerier{db}, decimals); err != nil {
		return nil, err
	}
	return sqliteSchema(ctx, sqlQuerier{db})
}

func sqliteSchema(ctx context.Context, q querier) (schema, error) {
	s := schema{}
	columns := []column{{"type", text}, {"name", text}, {"tbl_name", text}, {"sql", text}}
	err := list(ctx, q, columns, func(r row) error {
		kind, name, of, statement := fmt.Sprint(r[0]), fmt.Sprint(r[1]), strings.ToLower(fmt.Sprint(r[2])), fmt.Sprint(r[3])
		statement = strings.ReplaceAll(statement, `"`+of+`"`, of) // as after a renaming and back
		switch kind {
		case "table", "view":
			s.add(of, of, "definition", kind+" "+name+": "+statement)
		case "trigger": // the program has none
			s.add("blocks", "blocks", "trigger "+name, statement)
		default:
			s.add(of, of, kind+" "+name, statement)
		}
		return nil
	}, "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name NOT LIKE 'sqlite^_%' ESCAPE '^'") // SQLite's own statistics
	return s, err
}
