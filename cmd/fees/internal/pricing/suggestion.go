package pricing

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
)

// suggestionRecord returns a suggestion as JSON, with prices in wei per gas.
func suggestionRecord(s *app.Suggestion) cli.Record {
	var network, rules chain.Optional[string]
	var minimum chain.Optional[chain.GasPrice]
	var static chain.Optional[bool]
	var raise chain.Optional[string]
	if r, ok := s.Rules.Get(); ok {
		network, rules = chain.Some(r.Network), chain.Some(r.Name)
		minimum, static = chain.Some(r.MinGasPrice), chain.Some(s.Market.Static)
	}
	if part, ok := s.Raise().Get(); ok {
		raise = chain.Some(console.Plain(console.Scaled(part, 18)))
	}
	var transactions chain.Optional[int]
	if s.From == app.FromGateway {
		transactions = chain.Some(s.Transactions)
	}
	bids, reasons := []cli.Record{}, []cli.Record{}
	for _, b := range s.Bids {
		bids = append(bids, cli.Record{
			{"speed", b.Speed}, {"max_priority_fee_per_gas", b.MaxPriorityFeePerGas}, {"max_fee_per_gas", b.MaxFeePerGas},
			{"percentile", b.Percentile}, {"headroom", console.Plain(console.Scaled(b.Headroom, 18))}, {"full_blocks", b.FullBlocks},
		})
	}
	for _, r := range s.Reasons() {
		reasons = append(reasons, cli.Record{{"figure", r.Figure}, {"reason", r.Text}})
	}
	return cli.Record{
		{"from", s.From}, {"network", network}, {"rules", rules}, {"newest_block", s.Newest},
		{"base_fee_per_gas", s.Market.BaseFeePerGas}, {"base_fee_static", static}, {"full_block_raise", raise}, {"minimum_gas_price", minimum},
		{"blocks", s.Blocks}, {"blocks_with_transactions", len(s.Market.PriorityFees)}, {"transactions", transactions},
		{"bids", bids}, {"reasons", reasons}, {"notes", append([]string{}, s.Notes...)},
	}
}

// writeSuggestion writes a suggestion as text, with prices in Gwei per gas.
func writeSuggestion(page *console.Page, s *app.Suggestion) {
	title := "Bids for the next block"
	if newest, ok := s.Newest.Get(); ok {
		title = fmt.Sprintf("Bids for block %d", newest+1)
	}
	if r, ok := s.Rules.Get(); ok {
		title += " of " + r.Network
	}
	page.Line(title+", in Gwei per gas", 2)
	page.WriteString("\n")
	rows := console.NewTable(
		console.Column{Name: "speed"}, console.Column{Name: "max priority fee", Right: true, Decimals: true},
		console.Column{Name: "max fee", Right: true, Decimals: true},
	)
	for _, b := range s.Bids {
		rows.Row(b.Speed, console.Gwei(b.MaxPriorityFeePerGas), console.Gwei(b.MaxFeePerGas))
	}
	page.Table(rows)
	page.WriteString("\n")
	var reasons console.Pairs
	for _, r := range s.Reasons() {
		reasons.Add(r.Figure, r.Text)
	}
	page.Pairs(reasons)
	page.Notes(s.Notes)
}
