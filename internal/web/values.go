package web

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// notKnown is shown for an unknown figure, which is never 0.
const notKnown = "not known"

func textFact(name, text string) fact {
	return fact{Name: name, cell: cell{Text: plain.Line(text)}}
}

// amount returns an amount in the token, with all its decimals.
func amount[W chain.Wei | chain.SignedWei](name string, o chain.Optional[W], token console.Token) fact {
	wei, known := o.Get()
	if !known {
		return fact{Name: name, cell: cell{Text: notKnown, Class: "warn"}}
	}
	return fact{Name: name, cell: cell{Text: token.Tokens(any(wei).(fmt.Stringer)), Exact: fmt.Sprint(wei), Unit: plain.Line(token.Symbol)}}
}

// feesAndCharge returns the fees and what the chain charged: one fact with a name if they are equal and no transaction is unequal.
func feesAndCharge(name string, fees chain.Wei, charged chain.Optional[chain.Wei], unequal uint64, token console.Token) []fact {
	if unequal == 0 && charged == chain.Some(fees) {
		return []fact{amount(name, charged, token)}
	}
	return []fact{amount("fees", chain.Some(fees), token), amount("charged on chain", charged, token)}
}

const eachCharged = "fees paid"

// moment returns a time in UTC; without text if it is unknown.
func moment(name string, o chain.Optional[chain.Time]) fact {
	at, known := o.Get()
	if !known {
		return fact{Name: name}
	}
	return fact{Name: name, cell: timeCell(at)}
}

// hash returns a hash or an address in full.
func hash(name, text string) fact { return fact{Name: name, cell: cell{Text: text, Class: "hex"}} }

func spanText(o chain.Optional[chain.Heights]) string { return cmp.Or(console.Known(o), "none") }

// party returns an account of a transaction.
func (s *server) party(name string, o chain.Optional[string]) fact {
	account, ok := o.Get()
	if !ok {
		return textFact(name, notKnown)
	}
	return fact{Name: name, cell: cell{Text: s.called(account), To: "account/" + account}}
}

// network returns how the ledger's network writes accounts and amounts, as far as it can be read.
func (s *server) network(ctx context.Context) console.Token {
	token, _ := s.Ledger.Token(ctx)
	return token
}

// called returns an address's label, or the address shortened.
func (s *server) called(address string) string {
	if a, err := chain.ParseAccount(address); err == nil {
		if label, ok := s.label(a); ok {
			return label
		}
	}
	return console.Ends(address, 4)
}

// book returns the entries of the address book; nil for none.
func (s *server) book() *addressbook.Book {
	if s.labels() == nil {
		return nil
	}
	return s.labels().Book
}

// label returns the address book's label of an account.
func (s *server) label(account chain.Address) (string, bool) {
	if s.labels() == nil {
		return "", false
	}
	label, ok := s.labels().Label(account)
	return plain.Line(label), ok
}

func seen(name string, o chain.Optional[app.Seen]) fact {
	at, ok := o.Get()
	if !ok {
		return textFact(name, "not in these blocks")
	}
	return fact{Name: name, cell: cell{Text: strings.TrimSuffix(fmt.Sprintf("block %d, %s", at.Height, moment("", at.Time).Text), ", "), To: fmt.Sprintf("block/%d", at.Height)}}
}

// heightOf parses a height.
func heightOf(text string) (uint64, error) {
	height, err := strconv.ParseUint(text, 10, 32)
	if err != nil || strconv.FormatUint(height, 10) != text {
		return 0, invalidRequest("%q is not a height. Use a block number.", plain.Line(text))
	}
	return height, nil
}

// transactionSheet lists transactions.
func transactionSheet(token console.Token, list iter.Seq2[*ledger.Transaction, error], columns []transactionColumn) *table.Sheet {
	sheet := &table.Sheet{Name: "transactions", Title: "Transactions", Token: token}
	for _, c := range columns {
		sheet.Columns = append(sheet.Columns, c.Column)
	}
	sheet.Rows = func(yield func([]any, error) bool) {
		for t, err := range list {
			if err != nil {
				yield(nil, err)
				return
			}
			row := make([]any, len(columns))
			for i, c := range columns {
				row[i] = c.value(t)
			}
			if !yield(row, nil) {
				return
			}
		}
	}
	return sheet
}

// transactionColumn is a column of a list of transactions. It has the name of the key in their JSON.
type transactionColumn struct {
	table.Column
	value func(*ledger.Transaction) any
}

var (
	nameColumns = []transactionColumn{
		{table.Column{Name: "id", Kind: table.Text}, func(t *ledger.Transaction) any { return t.Place().String() }},
		{table.Column{Name: "time", Kind: table.Time}, func(t *ledger.Transaction) any { return t.Time }},
		{table.Column{Name: "layer", Kind: table.Text}, func(t *ledger.Transaction) any { return string(t.Layer) }},
	}
	kindColumns = []transactionColumn{
		{table.Column{Name: "type", Kind: table.Text}, func(t *ledger.Transaction) any { return table.OrNull(t.Type) }},
		{table.Column{Name: "call", Kind: table.Text}, func(t *ledger.Transaction) any { return t.Call }},
	}
	// oneKindColumn takes the place of the type and the call on pages: most EVM transactions have the same call.
	oneKindColumn = transactionColumn{table.Column{Name: "type_or_call", Kind: table.Text}, func(t *ledger.Transaction) any { return cmp.Or(t.Type, t.Call) }}
	payerColumn   = transactionColumn{table.Column{Name: "payer", Kind: table.Address}, func(t *ledger.Transaction) any { return t.Payer }}
	feeColumns    = []transactionColumn{
		{table.Column{Name: "outcome", Kind: table.Text}, func(t *ledger.Transaction) any { return outcome(t.Outcome) }},
		{table.Column{Name: "fee", Kind: table.Wei, Total: true, Whole: true}, func(t *ledger.Transaction) any { return t.Fee }},
		{table.Column{Name: "charged", Kind: table.Wei, Total: true, Whole: true}, func(t *ledger.Transaction) any { return t.Charged }},
		{table.Column{Name: "verdict", Kind: table.Text}, func(t *ledger.Transaction) any { return t.Standing() }},
	}
)

// fileColumns returns the columns of a file of transactions.
func fileColumns(more ...transactionColumn) []transactionColumn {
	return slices.Concat(nameColumns, kindColumns, []transactionColumn{payerColumn}, feeColumns, more)
}

// pageColumns returns the columns of a page of transactions, with more beside the payer.
func pageColumns(more ...transactionColumn) []transactionColumn {
	return slices.Concat(nameColumns, []transactionColumn{oneKindColumn, payerColumn}, more, feeColumns)
}

// outcome is the outcome of a transaction in a cell.
type outcome fee.Outcome

// String returns the outcome for programs, as in JSON.
func (o outcome) String() string { return string(o) }

// Words returns the outcome for people.
func (o outcome) Words() string { return table.Words(string(o)) }

// assetColumn is the column of a transaction's fee in an asset.
func assetColumn(token console.Token) transactionColumn {
	return transactionColumn{table.Column{Name: "asset_fee", Kind: table.Text}, func(t *ledger.Transaction) any {
		if !t.InAsset() {
			return nil
		}
		return t.AssetFee.Text(token.Amount)
	}}
}

// ledgerFlag returns the command-line flags for the ledger and its related data.
func (s *server) ledgerFlag() string { return s.placeFlag() + s.Flags + s.tablesFlag() }

// dataFlag returns the command-line flags for the ledger and the tables that it is read with.
func (s *server) dataFlag() string { return s.placeFlag() + s.tablesFlag() }

func (s *server) tablesFlag() string {
	if s.NetworkFile == "" {
		return ""
	}
	return " --network-file " + console.Argument(s.NetworkFile)
}

// placeFlag returns the command-line flag for the ledger only.
func (s *server) placeFlag() string {
	if s.Place == "" {
		return ""
	}
	return " --ledger " + console.Argument(s.Place)
}
