package app

import (
	"bytes"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/table"
)

// The verdict on a posted journal is the lowest of its results.
func TestVerdictOfATieOut(t *testing.T) {
	one := decimal.New(1, 0)
	summary := func(debit, credit, writtenDebit, writtenCredit decimal.Decimal) *Summary {
		return &Summary{Summary: &journal.Summary{
			Tie:   journal.Tie{Accounts: []*journal.AccountTotal{{Account: "6810", Debit: debit}, {Account: "1500", Credit: credit}}},
			Files: []*journal.File{{Debit: writtenDebit, Credit: writtenCredit}},
		}}
	}
	known, worth := chain.Some(chain.NewWei(7)), chain.Some("1")
	for want, of := range map[string]tieOut{
		tieAgrees:                {charged: known, worth: worth},
		tieUnknown:               {charged: known},
		tieUnknown + ", charged": {worth: worth},
		tieDiffers:               {charged: known, worth: worth, differs: true},
		tieDiffers + ", sums":    {charged: known, worth: worth, Summary: summary(one, decimal.Zero, one, one)},
		tieDiffers + ", debits":  {charged: known, worth: worth, Summary: summary(one, one, one.Add(one), one)},
		tieDiffers + ", credits": {charged: known, worth: worth, Summary: summary(one, one, one, decimal.Zero)},
	} {
		if of.Summary == nil {
			of.Summary = summary(one, one, one, one)
		}
		require.Contains(t, want, of.verdict())
		of.names = []string{"posted/xero.csv"}
		of.Undetermined, of.Suspense.Fees = 2, 3
		of.Format = journal.Xero
		x := &maker{}
		x.judge(&of)
		require.Equal(t, of.verdict() == tieDiffers, !x.manifest.Findings.None(), "a finding")
		require.Equal(t, []string{"xero " + of.verdict() + ", 3 fees in suspense"}, x.posted)
		var text bytes.Buffer
		require.NoError(t, table.WriteCSV(&text, tieSheet(console.Token{}, []*tieOut{&of})))
		require.Contains(t, text.String(), ",sums,,1.00,")
		require.Contains(t, text.String(), of.reported()+"\n")
		require.Contains(t, text.String(), `,"undetermined, not posted",,,,2,`)
	}
}
