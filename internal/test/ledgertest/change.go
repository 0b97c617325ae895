package ledgertest

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Change changes a ledger file with SQL statements, each of which must change something. They see the records as tables
// (Tables, with additional columns height and position), and the records are rebuilt from these tables afterwards. The
// changes are therefore valid data, not damage. The ledger's own table transactions, which no query reads, is not changed.
func Change(t testing.TB, path string, statements ...string) {
	t.Helper()
	if len(statements) == 0 {
		return
	}
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1) // temporary tables belong to a connection
	ask := Ask(t, db)
	unpack(t, db, ask)
	for _, statement := range statements {
		result, err := db.Exec(statement)
		require.NoError(t, err, statement)
		rows, err := result.RowsAffected()
		require.NoError(t, err)
		require.Positive(t, rows, statement)
	}
	_, blocks := ask("SELECT height, record, flags, coalesce(known, ''), sum FROM main.blocks ORDER BY height")
	for _, b := range blocks {
		height, record := b[0].(int64), b[1].([]byte)
		r := Record{record[:headSize], map[string][][]any{}}
		for _, table := range Tables {
			_, r.Tables[table.Name] = ask(fmt.Sprintf("SELECT %s FROM temp.%s WHERE height = %d ORDER BY position", table.list(), table.Name, height))
		}
		ms, timed := r.Tables["blocks"][0][0].(int64)
		flags := b[2].(int64) &^ 4
		if len(r.Tables["unclassified"]) > 0 {
			flags |= 4
		}
		record = r.Bytes(t)
		sum := Sum(record, ms, flags, timed, b[3].(string))
		if bytes.Equal(sum, b[4].([]byte)) {
			continue
		}
		_, err := db.Exec("UPDATE main.blocks SET record = ?, time_ms = ?, flags = ?, sum = ? WHERE height = ?", record, r.Tables["blocks"][0][0], flags, sum, height)
		require.NoError(t, err)
	}
}

// unpack creates temporary tables from the records.
func unpack(t testing.TB, db *sql.DB, ask Rows) {
	_, blocks := ask("SELECT height, record FROM blocks")
	for _, table := range Tables {
		var columns []string
		for _, c := range table.Columns {
			kind := map[string]string{"number": "INTEGER", "place": "INTEGER", "small": "INTEGER", "hash": "BLOB", "some hash": "BLOB", "account": "BLOB"}[c.Code]
			if kind == "" {
				kind = "TEXT"
			}
			columns = append(columns, c.Name+" "+kind)
		}
		_, err := db.Exec(fmt.Sprintf("CREATE TEMPORARY TABLE %s (height INTEGER, position INTEGER, %s)", table.Name, strings.Join(columns, ", ")))
		require.NoError(t, err)
	}
	tx, err := db.Begin()
	require.NoError(t, err)
	for _, b := range blocks {
		require.EqualValues(t, b[0], binary.BigEndian.Uint64(b[1].([]byte)[1:]))
		for name, rows := range ReadRecord(t, b[1].([]byte)).Tables {
			for i, row := range rows {
				_, err := tx.Exec("INSERT INTO temp."+name+" VALUES (?, ?"+strings.Repeat(", ?", len(row))+")", append([]any{b[0], i}, row...)...)
				require.NoError(t, err)
			}
		}
	}
	require.NoError(t, tx.Commit())
}

// list returns the table's columns as SQL.
func (t *Table) list() string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}
