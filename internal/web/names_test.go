package web_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/web"
)

// jsonOf are the addresses of the JSON of lists that have none beside their CSV.
var jsonOf = map[string]string{"/findings": "/api/v1/findings", "/transactions": "/api/v1/transactions", "/accounts": "/accounts.jsonl"}

// asked are the parameters of lists that need some.
var asked = map[string]string{"/variance": "?period=13..24&against=1..12"}

// otherFiles are the CSV files that are not the list of a page, with the reason.
var otherFiles = map[string]string{"/accounts/unlabelled": "lines for an address book, in its form"}

// otherColumns are the columns that are not keys of the JSON, with the reason.
var otherColumns = map[string]string{"currency": "the JSON of a rollforward states it once, in prices"}

// otherHeads are the headings that are not the words of a column or a key, with the reason.
var otherHeads = map[string]string{
	"type or call":       "both in one cell: most EVM transactions have the same call",
	"fee February 2026":  "a figure beside the entry of an address book, with its month",
	"item":               "the sums of a statement, which fees statement --part summary lists",
	"count":              "also of these sums",
	"last activity":      "also such a figure",
	"closing reserved":   "in JSON, closing is null: the ledger has no balances",
	"select":             "a field of a form",
	"hash":               "of the record or of the ledger, whichever is known",
	"unclassified count": "the count of the line unclassified",
}

var (
	tableHead = regexp.MustCompile(`(?s)<thead.*?</thead>`)
	headCell  = regexp.MustCompile(`(?s)<th[ >].*?</th>`)
	anyTag    = regexp.MustCompile(`<[^>]*>`)
	inPeriod  = regexp.MustCompile(` in .*`)
)

// A list has one name for a thing in each of its forms: a column of its CSV is a key of its JSON, and the heading of a column on
// its page is that name in words, with a unit.
func TestListsHaveOneNameForEachThing(t *testing.T) {
	o, _ := labelling(t)
	upload := o.upload(t, "anna", "company.csv", o.companyRecord(t), "period", "2026-01", "accounts", "group:company")
	record, settings, _ := strings.Cut(upload, "?")
	ownHeads, err := csv.NewReader(bytes.NewReader(o.companyRecord(t))).Read()
	require.NoError(t, err)
	withFindings := served(t, filled(t, "1..27"), nil)
	used, lists := map[string]bool{}, 0
	for _, route := range web.Routes() {
		list, isCSV := strings.CutSuffix(route, ".csv")
		if !isCSV || otherFiles[list] != "" {
			used[list] = true
			continue
		}
		lists++
		read := func(path string, parameters string) string {
			if asked[list]+parameters != "" {
				path += "?" + strings.TrimPrefix(asked[list]+parameters, "?")
			}
			if list == "/findings" {
				return get(t, withFindings, path, nil).text
			}
			if rest, ofRecord := strings.CutPrefix(path, "/reconcile/{token}"); ofRecord {
				path = record + strings.ReplaceAll(rest, "?", "?all=1&") + "?" + settings
			}
			a := o.page(t, "anna", strings.ReplaceAll(path, "{address}", "0xb92Bc0D1d644481da04f5b98ddeEcb4A9a6eD7cb"))
			require.Equal(t, http.StatusOK, a.status, "%s\n%s", path, a.text)
			return a.text
		}
		columns, err := csv.NewReader(strings.NewReader(read(route, ""))).Read()
		require.NoError(t, err, route)
		of := list + ".json"
		if other := jsonOf[list]; other != "" {
			of = other
		}
		known, words := map[string]bool{}, map[string]bool{}
		values := json.NewDecoder(strings.NewReader(read(of, "")))
		for {
			var value any
			if err := values.Decode(&value); errors.Is(err, io.EOF) {
				break
			} else {
				require.NoError(t, err, of)
			}
			addKeys(known, words, "", value)
		}
		for _, column := range columns {
			wei, isToken := strings.CutSuffix(column, "_token")
			used[column], words[table.Words(column)] = true, true
			require.True(t, known[column] || isToken && known[wei] || otherColumns[column] != "", "%s: the column %s is not a key of %s", route, column, of)
		}
		page, all := strings.TrimSuffix(list, "/result"), ""
		if strings.Contains(read(page, ""), ">All columns<") {
			all = "&columns=all"
		}
		for _, head := range tableHead.FindAllString(read(page, all), -1) {
			for _, cell := range headCell.FindAllString(head, -1) {
				name, _, _ := strings.Cut(html.UnescapeString(anyTag.ReplaceAllString(cell, "")), ",")
				name = strings.TrimSuffix(inPeriod.ReplaceAllString(name, " before"), " %")
				if used[name] = true; list == "/reconcile/{token}/result" && slices.Contains(ownHeads, name) {
					continue // the first rows of the record
				}
				require.True(t, words[name] || otherHeads[name] != "", "%s: the heading %q is not a column in words", page, name)
			}
		}
	}
	require.Greater(t, lists, 7)
	for _, exceptions := range []map[string]string{otherFiles, otherColumns, otherHeads} {
		for name := range exceptions {
			require.True(t, used[name], "%s is no exception any more", name)
		}
	}
}

// addKeys adds the keys of a JSON value, with nested ones joined by "_", and their words. The lines of a rollforward are
// columns of a page.
func addKeys(to, words map[string]bool, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, of := range v {
			name := strings.TrimPrefix(path+"_"+key, "_")
			to[name], words[table.Words(name)] = true, true
			if line, isText := of.(string); isText && key == "line" {
				words[table.Words(line)] = true
			}
			addKeys(to, words, name, of)
		}
	case []any:
		for _, of := range v {
			addKeys(to, words, "", of)
		}
	}
}
