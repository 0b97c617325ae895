package pricing

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
)

// column is a column of the CSV. Columns are named after the keys of the JSON, the block's first, with
// nested keys joined by "_". Only block_hash differs: hash is the transaction's.
type column struct {
	name  string
	value func(*evidence.Report, *evidence.Transaction) string
}

var columns = []column{
	{"network", func(r *evidence.Report, _ *evidence.Transaction) string { return r.Network }},
	{"runtime", func(r *evidence.Report, _ *evidence.Transaction) string { return console.Known(r.Runtime) }},
	{"rules", func(r *evidence.Report, _ *evidence.Transaction) string { return r.Rules }},
	{"certain", func(r *evidence.Report, _ *evidence.Transaction) string { return strconv.FormatBool(r.Certain) }},
	{"number", func(r *evidence.Report, _ *evidence.Transaction) string { return fmt.Sprint(r.Number) }},
	{"block_hash", func(r *evidence.Report, _ *evidence.Transaction) string { return r.Hash.String() }},
	{"parent_hash", func(r *evidence.Report, _ *evidence.Transaction) string { return r.ParentHash.String() }},
	{"time", func(r *evidence.Report, _ *evidence.Transaction) string { return console.Known(r.Time) }},
	{"finalized", func(r *evidence.Report, _ *evidence.Transaction) string { return console.Known(r.Finalized) }},
	{"multiplier_at", func(r *evidence.Report, _ *evidence.Transaction) string {
		if m, ok := r.Multiplier.Get(); ok {
			return fmt.Sprint(m.At)
		}
		return ""
	}},
	{"multiplier_value", func(r *evidence.Report, _ *evidence.Transaction) string {
		if m, ok := r.Multiplier.Get(); ok {
			return m.Value.String()
		}
		return ""
	}},
	{"base_fee_per_gas", func(r *evidence.Report, _ *evidence.Transaction) string { return console.Known(r.BaseFeePerGas) }},
	{"index", func(_ *evidence.Report, t *evidence.Transaction) string { return fmt.Sprint(t.Index) }},
	{"layer", func(_ *evidence.Report, t *evidence.Transaction) string { return string(t.Layer) }},
	{"type", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Type) }},
	{"call", func(_ *evidence.Report, t *evidence.Transaction) string { return t.Call }},
	{"hash", func(_ *evidence.Report, t *evidence.Transaction) string { return t.Hash.String() }},
	{"evm_hash", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.EVMHash) }},
	{"from", func(r *evidence.Report, t *evidence.Transaction) string { return account(r, t.From) }},
	{"to", func(r *evidence.Report, t *evidence.Transaction) string { return account(r, t.To) }},
	{"payer", func(r *evidence.Report, t *evidence.Transaction) string { return account(r, t.Payer) }},
	{"nonce", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Nonce) }},
	{"gas_price", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.GasPrice) }},
	{"gas", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Gas) }},
	{"weight", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Weight) }},
	{"fee", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Fee) }},
	{"fee_token", func(r *evidence.Report, t *evidence.Transaction) string {
		if paid, ok := t.Fee.Get(); ok {
			return app.ReportToken(r).Tokens(paid)
		}
		return ""
	}},
	{"method", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Method) }},
	{"priority_fee", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.PriorityFee) }},
	{"tip", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Tip) }},
	{"success", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Success) }},
	{"outcome", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Outcome) }},
	{"status", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Status) }},
	{"transfers", func(_ *evidence.Report, t *evidence.Transaction) string { return list(t.Transfers) }},
	{"notes", func(_ *evidence.Report, t *evidence.Transaction) string { return list(t.Notes) }},
	{"error", func(_ *evidence.Report, t *evidence.Transaction) string {
		if t.Error == nil {
			return ""
		}
		return t.Error.Error()
	}},
	{"charged", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Charged) }},
	{"verdict", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Verdict) }},
	{"failed_checks", func(_ *evidence.Report, t *evidence.Transaction) string { return t.Standing().List() }},
	{"drift", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Drift) }},
	{"class", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Class) }},
	{"burned", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Burned) }},
	{"treasury", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Treasury) }},
	{"author", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Author) }},
	{"level", func(_ *evidence.Report, t *evidence.Transaction) string { return console.Known(t.Level) }},
}

// account returns an account in the form of the block's network.
func account(r *evidence.Report, a chain.Optional[chain.Address]) string {
	return console.Known(app.ReportToken(r).AccountOf(a))
}

// list returns values as JSON, or "" if there are none.
func list[T any](values []T) string {
	if len(values) == 0 {
		return ""
	}
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // addresses, amounts and strings always marshal
	}
	return string(text)
}

// writeCSV writes a header and one row per transaction, with labels if there is an address book.
func writeCSV(w io.Writer, r *evidence.Report, book *app.AddressBook) error {
	return errors.Join(writeCSVHeader(w, book), writeCSVRows(w, r, book))
}

func writeCSVHeader(w io.Writer, book *app.AddressBook) error {
	var row []string
	for _, c := range columnsWith(book) {
		row = append(row, c.name)
	}
	return csv.NewWriter(w).WriteAll([][]string{row})
}

func writeCSVRows(w io.Writer, r *evidence.Report, book *app.AddressBook) error {
	var rows [][]string
	columns := columnsWith(book)
	for i := range r.Transactions {
		var row []string
		for _, c := range columns {
			row = append(row, plain.Cell(c.value(r, &r.Transactions[i])))
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}
