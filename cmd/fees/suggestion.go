package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/network"
)

// The places that a suggestion comes from.
const (
	fromNode    = "node"
	fromGateway = "gateway"
)

// suggestion is the bids with what they were made from.
type suggestion struct {
	from         string
	rules        chain.Optional[network.Rules] // of the next block
	certain      bool                          // the figures follow from rules that are known to apply
	market       fee.Market
	bids         []fee.Bid
	multiplier   chain.Optional[chain.StoredMultiplier] // by the gateway
	newest       chain.Optional[uint64]                 // height of the newest block
	blocks       int                                    // that were looked at
	transactions int                                    // of the gateway's blocks
	notes        []string
}

// govern sets the rules of the next block. A node's base fee is right by
// itself; the gateway's follows from them.
func (s *suggestion) govern(rules network.Rules) {
	s.rules = chain.Some(rules)
	s.certain = rules.Certain || s.from == fromNode
	s.market.Static = rules.BaseFee.Static.Known()
	s.market.MinGasPrice = rules.MinGasPrice
	s.notes = append(s.notes, rules.Notes...)
}

// reason says where one of the figures comes from.
type reason struct{ figure, text string }

func (s *suggestion) reasons() []reason {
	return []reason{
		{"base fee", s.baseFeeReason()},
		{"priority fee", s.priorityFeeReason()},
		{"max fee", s.maxFeeReason()},
		{"charged", "base fee + max priority fee per gas, and never more than the max fee"},
	}
}

func (s *suggestion) baseFeeReason() string {
	text := console.Plain(console.Gwei(s.market.BaseFeePerGas)) + " Gwei"
	rules, known := s.rules.Get()
	m, moved := s.multiplier.Get()
	switch {
	case s.from == fromNode:
		text += ", by eth_feeHistory: what the newest block left behind for the next one"
		if known {
			text += ", runtime " + rules.Name
		}
	case s.market.Static:
		text += ", static, by " + rules.Name
	case moved:
		text += fmt.Sprintf(" = %s × %s Gwei, the multiplier stored at block %d, by %s",
			console.Plain(console.Scaled(m.Value, 18)), console.Plain(console.Gwei(rules.BaseFee.Constant)), m.At, rules.Name)
	}
	if floor := s.market.Floor(); floor.Cmp(s.market.BaseFeePerGas) > 0 {
		text += fmt.Sprintf("; raised to %s Gwei, the network's minimum gas price", console.Plain(console.Gwei(floor)))
	}
	return text
}

func (s *suggestion) priorityFeeReason() string {
	// A node may leave out blocks in the middle, so that only their number is known.
	where := fmt.Sprintf("the %d newest blocks", s.blocks)
	newest, _ := s.newest.Get()
	switch {
	case s.blocks == 0:
		return "0: no block has had transactions yet"
	case s.blocks == 1:
		where = "the newest block"
	case s.from == fromGateway:
		where = fmt.Sprintf("the %d blocks up to %d", s.blocks, newest)
	}
	used := len(s.market.PriorityFees)
	if used == 0 {
		return "0: no EVM transaction in " + where
	}
	var percentiles []string
	for _, p := range fee.Percentiles() {
		percentiles = append(percentiles, fmt.Sprintf("%dth", p))
	}
	text := fmt.Sprintf("the %s percentile of each block's gas, and of these the median, of the %d with EVM transactions among %s",
		listed(percentiles), used, where)
	if s.blocks == 1 {
		text = fmt.Sprintf("the %s percentile of the gas of the newest block", listed(percentiles))
	}
	if s.from == fromGateway {
		text += fmt.Sprintf("; EVM transactions: %d", s.transactions)
	}
	return text
}

func (s *suggestion) maxFeeReason() string {
	if s.market.Static {
		return "base fee + priority fee: a static base fee needs no headroom"
	}
	var headrooms, blocks []string
	for _, b := range s.bids {
		headrooms = append(headrooms, console.Plain(console.Scaled(b.Headroom, 18)))
		blocks = append(blocks, fmt.Sprint(b.FullBlocks))
	}
	return fmt.Sprintf("%s times the base fee, + priority fee: good for %s full blocks in a row, each of which raises the base fee by 0.30045 %% at most",
		listed(headrooms), listed(blocks))
}

// listed is "a, b and c".
func listed(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// record is the suggestion for programs; prices are in wei per gas.
func (s *suggestion) record() record {
	var network, rules chain.Optional[string]
	var minimum chain.Optional[chain.GasPrice]
	var static chain.Optional[bool]
	if r, ok := s.rules.Get(); ok {
		network, rules = chain.Some(r.Network), chain.Some(r.Name)
		minimum, static = chain.Some(r.MinGasPrice), chain.Some(s.market.Static)
	}
	var transactions chain.Optional[int]
	if s.from == fromGateway {
		transactions = chain.Some(s.transactions)
	}
	bids, reasons := []record{}, []record{}
	for _, b := range s.bids {
		bids = append(bids, record{
			{"speed", b.Speed}, {"max_priority_fee_per_gas", b.MaxPriorityFeePerGas}, {"max_fee_per_gas", b.MaxFeePerGas},
			{"percentile", b.Percentile}, {"headroom", console.Plain(console.Scaled(b.Headroom, 18))}, {"full_blocks", b.FullBlocks},
		})
	}
	for _, r := range s.reasons() {
		reasons = append(reasons, record{{"figure", r.figure}, {"reason", r.text}})
	}
	return record{
		{"from", s.from}, {"network", network}, {"rules", rules}, {"newest_block", s.newest},
		{"base_fee_per_gas", s.market.BaseFeePerGas}, {"base_fee_static", static}, {"minimum_gas_price", minimum},
		{"blocks", s.blocks}, {"blocks_with_transactions", len(s.market.PriorityFees)}, {"transactions", transactions},
		{"bids", bids}, {"reasons", reasons}, {"notes", append([]string{}, s.notes...)},
	}
}

// writeTable writes the suggestion for people; prices are in Gwei per gas.
func (s *suggestion) writeTable(w io.Writer, width int) error {
	var out strings.Builder
	if newest, ok := s.newest.Get(); ok {
		fmt.Fprintf(&out, "Bids for block %d", newest+1)
	} else {
		out.WriteString("Bids for the next block")
	}
	if r, ok := s.rules.Get(); ok {
		out.WriteString(" of " + console.Printable(r.Network))
	}
	out.WriteString(", in Gwei per gas\n\n")
	var tips, caps []string
	for _, b := range s.bids {
		tips, caps = append(tips, console.Gwei(b.MaxPriorityFeePerGas)), append(caps, console.Gwei(b.MaxFeePerGas))
	}
	tips, caps = console.SameDecimals(tips), console.SameDecimals(caps)
	rows := console.NewTable(2)
	rows.AppendHeader(table.Row{"speed", "max priority fee", "max fee"})
	console.RightAlign(rows, 2, 3)
	for i, b := range s.bids {
		rows.AppendRow(table.Row{b.Speed, tips[i], caps[i]})
	}
	out.WriteString(rows.Render() + "\n\n")
	const indent = 14
	for _, r := range s.reasons() {
		fmt.Fprintf(&out, "%-*s", indent, r.figure)
		console.WriteWrapped(&out, r.text, indent, width)
	}
	if len(s.notes) > 0 {
		out.WriteString("\n")
	}
	for _, note := range s.notes {
		console.WriteWrapped(&out, "note: "+note, 2, width)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
