// Package ledgertest has the leaves of a ledger's blocks as the documentation of the package
// ledger gives them, in its own code, changes and unpacks ledgers, and has the balances that were
// recorded, for tests only.
package ledgertest

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rows asks a ledger by plain SQL, and gives the columns' names and the rows as the driver
// has them, but for what is compact in a file: there come the texts.
type Rows func(query string, arguments ...any) (columns []string, rows [][]any)

// Ask asks an open database.
func Ask(t testing.TB, db *sql.DB) Rows {
	return func(query string, arguments ...any) (columns []string, list [][]any) {
		t.Helper()
		rows, err := db.Query(query, arguments...)
		require.NoError(t, err, query)
		defer rows.Close()
		columns, err = rows.Columns()
		require.NoError(t, err)
		types, err := rows.ColumnTypes()
		require.NoError(t, err)
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			require.NoError(t, rows.Scan(into...))
			for i, v := range values {
				if b, ok := v.([]byte); ok && b == nil { // SQLite's driver, where there are none
					values[i] = []byte{}
				}
			}
			list = append(list, values)
		}
		require.NoError(t, rows.Err())
		rows.Close()
		for i, c := range types {
			for _, r := range list {
				if short, ok := r[i].([]byte); ok && columns[i] == "costs" && c.DatabaseTypeName() == "BLOB" && len(short) > 0 && short[0] == 2 {
					r[i] = wholeCosts(t, short)
				}
				if c.DatabaseTypeName() != "ANY" {
					continue
				}
				if n, ok := r[i].(int64); ok {
					r[i] = textOf(t, db, columns[i], n)
				}
			}
		}
		return columns, list
	}
}

// wholeCosts are the costs that a file holds without what they repeat, by the documentation.
func wholeCosts(t testing.TB, short []byte) []byte {
	known := []string{
		"evm", "native", "legacy", "eip2930", "eip1559", "eip7702", "ethereum.transact",
		"succeeded", "reverted", "out_of_gas", "failed", "match", "drift", "cash_only", "no_evidence",
	}
	costs := []byte{1}
	for in := bytes.NewReader(short[1:]); in.Len() > 0; {
		code, err := binary.ReadUvarint(in)
		require.NoError(t, err)
		if code%2 == 1 {
			costs = append(binary.AppendUvarint(costs, uint64(len(known[code/2])+1)), known[code/2]...)
			continue
		}
		costs = binary.AppendUvarint(costs, code/2)
		if code == 0 {
			continue
		}
		value := make([]byte, code/2-1)
		_, err = io.ReadFull(in, value)
		require.NoError(t, err)
		costs = append(costs, value...)
		if n := len(value); 2 <= n && n <= 64 {
			known = append(known, string(value))
		}
	}
	return costs
}

// textOf is what an integer in a file stands for: a word, or an amount.
func textOf(t testing.TB, db *sql.DB, column string, n int64) (text string) {
	if !slices.Contains(ofWords, column) {
		return strconv.FormatInt(n, 10)
	}
	require.NoError(t, db.QueryRow("SELECT word FROM words WHERE number = ?", n).Scan(&text), n)
	return text
}

// ofWords are the columns that have words, by the documentation.
var ofWords = []string{"rules", "layer", "type", "call", "method", "outcome", "status", "verdict", "event", "kind"}

// Leaves are the leaves of a block as its row has them, and how many bytes they are over.
func Leaves(t testing.TB, ask Rows, height int64, costs []byte) (leaves []byte, encoded int) {
	leaves = []byte{1, 0, 0}
	for i, table := range [][2]string{
		{"blocks", "height"}, {"transactions", "extrinsic"}, {"movements", "position"}, {"unclassified", "position"}, {"transfers", "position"},
		{"costs"}, {"diagnoses", "extrinsic"}, {"findings", "position"}, {"unanswered", "position"},
	} {
		var over []byte
		if table[0] == "costs" {
			over = slices.Concat(Value(t, "costs"), Value(t, height), Value(t, costs))
		} else if over = tableOf(t, ask, table[0], table[1], height); over == nil {
			continue
		}
		sum := sha256.Sum256(over)
		leaves[2-i/8] |= 1 << (i % 8)
		leaves = append(leaves, sum[:]...)
		encoded += len(over)
	}
	_, final := ask(fmt.Sprintf("SELECT final FROM blocks WHERE height = %d", height))
	if final[0][0] == true || final[0][0] == int64(1) {
		leaves[1] |= 0x80
	}
	return leaves, encoded
}

// tableOf are the bytes that the leaf of a table is over; none where it has no row of the
// block.
func tableOf(t testing.TB, ask Rows, table, key string, height int64) []byte {
	columns, rows := ask(fmt.Sprintf("SELECT * FROM %s WHERE height = %d ORDER BY %s", table, height, key))
	if len(rows) == 0 {
		return nil
	}
	over := slices.Concat(Value(t, table), Value(t, int64(len(rows))))
	for _, row := range rows {
		for i, v := range row {
			if table != "blocks" || !slices.Contains([]string{"costs", "final", "leaves"}, columns[i]) {
				over = append(over, valueOf(t, columns[i], v)...)
			}
		}
	}
	return over
}

// Values are the bytes of all that a question gives.
func Values(t testing.TB, ask Rows, query string) (all []byte) {
	columns, rows := ask(query)
	for _, row := range rows {
		for i, v := range row {
			all = append(all, valueOf(t, columns[i], v)...)
		}
	}
	return all
}

// valueOf encodes a column's value. SQLite has true and false as 1 and 0.
func valueOf(t testing.TB, column string, v any) []byte {
	if n, ok := v.(int64); ok && (column == "certain" || column == "success") {
		v = n == 1
	}
	return Value(t, v)
}

// Value encodes a value.
func Value(t testing.TB, v any) []byte {
	sized := func(tag byte, data []byte) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{tag}, uint32(len(data))), data...)
	}
	switch v := v.(type) {
	case nil:
		return []byte{0}
	case int64:
		return binary.BigEndian.AppendUint64([]byte{1}, uint64(v))
	case string:
		return sized(2, []byte(v))
	case []byte:
		return sized(3, v)
	case bool:
		if v {
			return []byte{5}
		}
		return []byte{4}
	}
	t.Fatalf("a value of type %T", v)
	return nil
}
