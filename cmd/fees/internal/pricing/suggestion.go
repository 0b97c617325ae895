package pricing

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/internal/console"
)

// suggestionRecord is a suggestion for programs; prices are in wei per gas.
func suggestionRecord(s *desk.Suggestion) cli.Record {
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
	if s.From == desk.FromGateway {
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

// writeSuggestion writes a suggestion for people; prices are in Gwei per gas.
func writeSuggestion(w io.Writer, s *desk.Suggestion, width int) error {
	var out strings.Builder
	if newest, ok := s.Newest.Get(); ok {
		fmt.Fprintf(&out, "Bids for block %d", newest+1)
	} else {
		out.WriteString("Bids for the next block")
	}
	if r, ok := s.Rules.Get(); ok {
		out.WriteString(" of " + console.Printable(r.Network))
	}
	out.WriteString(", in Gwei per gas\n\n")
	var tips, caps []string
	for _, b := range s.Bids {
		tips, caps = append(tips, console.Gwei(b.MaxPriorityFeePerGas)), append(caps, console.Gwei(b.MaxFeePerGas))
	}
	tips, caps = console.SameDecimals(tips), console.SameDecimals(caps)
	rows := console.NewTable(2)
	rows.AppendHeader(table.Row{"speed", "max priority fee", "max fee"})
	console.RightAlign(rows, 2, 3)
	for i, b := range s.Bids {
		rows.AppendRow(table.Row{b.Speed, tips[i], caps[i]})
	}
	out.WriteString(rows.Render() + "\n\n")
	const indent = 14
	for _, r := range s.Reasons() {
		fmt.Fprintf(&out, "%-*s", indent, r.Figure)
		console.WriteWrapped(&out, r.Text, indent, width)
	}
	if len(s.Notes) > 0 {
		out.WriteString("\n")
	}
	for _, note := range s.Notes {
		console.WriteWrapped(&out, "note: "+note, 2, width)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
