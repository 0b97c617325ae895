package journal_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// fees are the transactions of a test.
type fees []*ledger.Transaction

// paymentsOf returns the payments of everybody.
func paymentsOf(t testing.TB, list fees) *journal.Payments {
	book, accounts, last := &made{}, []chain.Address{{}}, uint64(0)
	for _, x := range list {
		last = max(last, x.Height)
		payer, known := x.Payer.Get()
		if !known {
			book.unpaid = append(book.unpaid, x)
			continue
		}
		book.payments = append(book.payments, x)
		if !slices.Contains(accounts, payer) {
			accounts = append(accounts, payer)
		}
	}
	payments, err := journal.Find(context.Background(), book, question(accounts, 0, last))
	require.NoError(t, err)
	return payments
}

// payment is a transaction of an account, made at a time.
func payment(t testing.TB, height uint64, at string, payer byte, amount string) *ledger.Transaction {
	when, err := time.Parse(time.RFC3339, at)
	require.NoError(t, err)
	made, err := chain.TimeAt(uint64(when.UnixMilli()))
	require.NoError(t, err)
	p := &ledger.Transaction{
		Cost: ledger.Cost{
			Height: height, Index: 4, Time: chain.Some(made), Payer: chain.Some(chain.Address20([20]byte{19: payer})),
			Kind: ledger.Kind{Layer: fee.EVM, Call: "ethereum.transact", Recipient: chain.Some(chain.Address20([20]byte{18: 1, 19: payer})), Outcome: fee.Succeeded},
		},
		Hash: chain.Hash{1, byte(height >> 8), byte(height)}, EVMHash: chain.Some(chain.Hash{2, byte(height >> 8), byte(height)}),
	}
	if amount != "" {
		p.Charged = chain.Some(wei(t, amount))
		p.Fee = p.Charged
	}
	return p
}

func readChart(t testing.TB, text string) *chart.Chart {
	c, err := chart.Read([]byte(text))
	require.NoError(t, err)
	return c
}

func readPrices(t testing.TB, text, currency string) *money.List {
	list, err := money.Read([]byte("# source: test\n"+text), currency)
	require.NoError(t, err)
	return list
}

func labels(t testing.TB, list ...addressbook.Entry) *addressbook.Book {
	book := &addressbook.Book{}
	for _, e := range list {
		require.NoError(t, book.Add(e))
	}
	return book
}

// settings are those of all formats, in a chart whose rules are added.
const settings = `# suspense: 9999
# rounding: 6859
# asset: 1500
# xero tax rate: Tax Exempt
# xero tracking 1: Region = location
# datev consultant: 29098
# datev client: 55003
# datev account length: 4
# quickbooks account 1500: Account 1500
# quickbooks account 1510: Account 1510
# quickbooks account 1511: Account 1511
# quickbooks account 1512: Account 1512
# quickbooks account 1599: Account 1599
# quickbooks account 6810: Account 6810
# quickbooks account 6811: Account 6811
# quickbooks account 6812: Account 6812
# quickbooks account 6859: Account 6859
# quickbooks account 9999: Account 9999
`

// january has a price for each day of a month.
func january(price func(day int) string) string {
	var list strings.Builder
	for day := 1; day <= 31; day++ {
		fmt.Fprintf(&list, "2026-01-%02d,%s\n", day, price(day))
	}
	return list.String()
}

// booked is a summary with its fees, to be made again in another format.
type booked struct {
	*journal.Summary
	fees
}

// summarise makes a summary; without a format, as CSV.
func summarise(t testing.TB, payments fees, q journal.Request) *booked {
	q.Network, q.Symbol = "moonbeam", "GLMR"
	if q.Format.Name == "" {
		q.Format = journal.CSV
	}
	j, err := journal.Summarise(context.Background(), paymentsOf(t, payments), q)
	require.NoError(t, err)
	return &booked{j, payments}
}

func entries(t testing.TB, j *booked) (list []*journal.Entry) {
	for e, err := range j.Each(context.Background()) {
		require.NoError(t, err)
		list = append(list, e)
	}
	return list
}

// files are the files of a journal in a format.
func files(t testing.TB, j *booked, name string) (contents []string, plan []*journal.File) {
	q := j.Request
	q.Format, _ = journal.FormatNamed(name)
	in := summarise(t, j.fees, q)
	err := in.Write(context.Background(), func(number int, write func(io.Writer) error) error {
		require.Len(t, contents, number)
		var file bytes.Buffer
		err := write(&file)
		contents = append(contents, file.String())
		return err
	})
	require.NoError(t, err)
	require.Len(t, contents, len(in.Files))
	return contents, in.Files
}

// rat is a decimal number as a fraction: what the tests calculate with.
func rat(t testing.TB, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return r
}

// halfUp rounds a fraction that is not negative to cents.
func halfUp(r *big.Rat) *big.Rat {
	scaled := new(big.Rat).Mul(r, big.NewRat(100, 1))
	scaled.Add(scaled, big.NewRat(1, 2))
	cents := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	return new(big.Rat).SetFrac(cents, big.NewInt(100))
}
