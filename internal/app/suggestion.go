package app

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app/market"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/network"
)

// The origins of a suggestion.
const (
	FromNode    = "node"
	FromGateway = "gateway"
)

// Suggestion contains bids and what they are based on.
type Suggestion struct {
	From         string                                 // FromNode or FromGateway
	Rules        chain.Optional[network.Rules]          // of the next block
	Certain      bool                                   // the rules are known to apply
	Market       market.Conditions                      // the basis of the bids
	Bids         []market.Bid                           // slowest first
	Multiplier   chain.Optional[chain.StoredMultiplier] // from the gateway
	Newest       chain.Optional[uint64]                 // height of the newest block
	Blocks       int                                    // number of blocks read
	Transactions int                                    // in the gateway's blocks
	Notes        []string
}

// govern sets the rules of the next block and, if known, the multiplier that prices it. A node's base fee is
// final; the gateway's is computed from both.
func (s *Suggestion) govern(rules network.Rules, multiplier chain.Optional[chain.Multiplier]) {
	s.Rules = chain.Some(rules)
	s.Certain = rules.Certain || s.From == FromNode
	update, known := rules.Update.Get()
	s.Market.Static = rules.BaseFee.Static.Known() || update.Constant.Known() && !rules.BaseFee.Stored.Known()
	if known && !s.Market.Static && !rules.BaseFee.Stored.Known() {
		s.Market.Movement = chain.Some(market.Movement{Update: update, Constant: rules.BaseFee.Constant, Multiplier: multiplier})
	}
	s.Market.MinGasPrice = rules.MinGasPrice
	s.Notes = append(s.Notes, rules.Notes...)
}

// Reason explains where a figure comes from.
type Reason struct{ Figure, Text string }

// Reasons explains where the figures come from.
func (s *Suggestion) Reasons() []Reason {
	return []Reason{
		{"base fee", s.baseFeeReason()},
		{"priority fee", s.priorityFeeReason()},
		{"max fee", s.maxFeeReason()},
		{"charged", "base fee + max priority fee per gas, and never more than the max fee"},
	}
}

func (s *Suggestion) baseFeeReason() string {
	text := console.Plain(console.Gwei(s.Market.BaseFeePerGas)) + " Gwei"
	rules, known := s.Rules.Get()
	m, moved := s.Multiplier.Get()
	switch {
	case s.From == FromNode:
		text += ", from eth_feeHistory: the next block's base fee after the newest block"
		if known {
			text += ", runtime " + rules.Name
		}
	case rules.BaseFee.Static.Known():
		text += ", static, by " + rules.Name
	case moved && rules.BaseFee.Stored.Known():
		text += fmt.Sprintf(", stored at block %d, by %s", m.At, rules.Name) // of a chain that stores it at the parent
	case moved:
		text += fmt.Sprintf(" = %s × %s Gwei, the multiplier stored at block %d, by %s",
			console.Plain(console.Scaled(m.Value, 18)), console.Plain(console.Gwei(rules.BaseFee.Constant)), m.At, rules.Name)
	}
	if floor := s.Market.Floor(); floor.Cmp(s.Market.BaseFeePerGas) > 0 {
		text += fmt.Sprintf("; raised to %s Gwei, the network's minimum gas price", console.Plain(console.Gwei(floor)))
	}
	return text
}

func (s *Suggestion) priorityFeeReason() string {
	// A node may leave out blocks in the middle, so only their number is known.
	where := fmt.Sprintf("the %d newest blocks", s.Blocks)
	newest, _ := s.Newest.Get()
	switch {
	case s.Blocks == 0:
		return "0: no block contains transactions yet"
	case s.Blocks == 1:
		where = "the newest block"
	case s.From == FromGateway:
		where = fmt.Sprintf("the %d blocks up to %d", s.Blocks, newest)
	}
	used := len(s.Market.PriorityFees)
	if used == 0 {
		return "0: no EVM transaction in " + where
	}
	var percentiles []string
	for _, p := range market.Percentiles() {
		percentiles = append(percentiles, fmt.Sprintf("%dth", p))
	}
	text := fmt.Sprintf("the median of each block's %s percentile, by gas, over the %d with EVM transactions among %s",
		listed(percentiles), used, where)
	if s.Blocks == 1 {
		text = fmt.Sprintf("the %s percentile, by gas, of the newest block", listed(percentiles))
	}
	if s.From == FromGateway {
		text += fmt.Sprintf("; EVM transactions: %d", s.Transactions)
	}
	return text
}

func (s *Suggestion) maxFeeReason() string {
	if s.Market.Static {
		return "base fee + priority fee: a static base fee needs no headroom"
	}
	var headrooms, blocks []string
	for _, b := range s.Bids {
		headrooms = append(headrooms, console.Plain(console.Scaled(b.Headroom, 18)))
		if n, _ := b.FullBlocks.Get(); n < market.MaxFullBlocks {
			blocks = append(blocks, fmt.Sprint(n))
		} else {
			blocks = append(blocks, fmt.Sprintf("%d or more", n))
		}
	}
	text := listed(headrooms) + " times the base fee, + priority fee"
	raise, known := s.Raise().Get()
	if !known {
		return text + "; how much a full block raises the base fee is unknown"
	}
	return fmt.Sprintf("%s: good for %s full blocks in a row, each of which raises the base fee by %s %% at most",
		text, listed(blocks), console.Plain(console.Scaled(raise, percentDecimals)))
}

// percentDecimals scales a multiplier's stored integer to a percentage.
const percentDecimals = 16

// Raise returns the fraction by which a full block raises the base fee; unknown if the base fee does not
// move or the rule is unknown.
func (s *Suggestion) Raise() (none chain.Optional[chain.Multiplier]) {
	moves, known := s.Market.Movement.Get()
	if !known {
		return none
	}
	raise, err := moves.Update.Raise()
	if err != nil { // [market.Suggest] would have failed on it before
		return none
	}
	return chain.Some(raise)
}

// listed joins words as "a, b and c".
func listed(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
