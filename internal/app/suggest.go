package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// SuggestQuestion asks what to bid for gas in the next block.
type SuggestQuestion struct {
	Blocks  uint64 // recent ones whose priority fees are looked at, 1 or more
	Tables  network.Tables
	Network string      // where node or gateway do not tell; "" is what they tell
	Node    *rpc.Client // who is asked for its fee history; nil for nobody
	// Gateway opens what is asked where there is no node, or where it has no fee history.
	Gateway func() (*source.Reader, error)
}

// Suggest suggests bids for the next block.
func Suggest(ctx context.Context, q SuggestQuestion) (*Suggestion, error) {
	if q.Node == nil {
		return q.askGateway(ctx, "no node is named with --node or FEES_NODE: the figures are from the gateway's blocks")
	}
	s, err := q.askNode(ctx)
	why := ""
	switch {
	case errors.Is(err, rpc.ErrNoMethod):
		why = "the node does not have eth_feeHistory"
	case errors.Is(err, errNoHistory):
		why = "the node's eth_feeHistory has no blocks"
	default:
		return s, err
	}
	if s, err = q.askGateway(ctx, why+": the figures are from the gateway's blocks"); err != nil {
		return nil, fmt.Errorf("%s, and of the gateway: %w", why, err)
	}
	return s, nil
}

// errNoHistory says that a node has the method but no block: it keeps those since
// it was started.
var errNoHistory = errors.New("the fee history is empty")

func (q *SuggestQuestion) askNode(ctx context.Context) (*Suggestion, error) {
	var percentiles []float64
	for _, p := range fee.Percentiles() {
		percentiles = append(percentiles, float64(p))
	}
	history, err := q.Node.FeeHistory(ctx, q.Blocks, "latest", percentiles)
	if err != nil {
		return nil, err
	}
	base, known := history.NextBaseFee().Get()
	if !known {
		return nil, errNoHistory
	}
	s := &Suggestion{From: FromNode, Certain: true, Blocks: len(history.GasUsedRatio)}
	if have := uint64(s.Blocks); have == q.Blocks {
		s.Newest = chain.Some(history.OldestBlock + have - 1)
	} else { // some are left out, and it does not say which
		s.Notes = append(s.Notes, fmt.Sprintf("the node has %d of the %d blocks that were asked for", have, q.Blocks))
	}
	s.Market.BaseFeePerGas = base
	for i := range history.GasUsedRatio {
		if !history.Empty(i) {
			s.Market.PriorityFees = append(s.Market.PriorityFees, history.Reward[i])
		}
	}
	if err := q.addRules(ctx, s); err != nil {
		return nil, err
	}
	if s.Bids, err = fee.Suggest(s.Market); err != nil {
		return nil, &rpc.DecodeError{What: "fee history", Err: err}
	}
	return s, nil
}

// addRules adds what the table says of the runtime that the node has now. Where
// the node or the tables do not tell, the bids do without it.
func (q *SuggestQuestion) addRules(ctx context.Context, s *Suggestion) error {
	runtime, err := q.Node.Runtime(ctx, chain.Optional[chain.Hash]{})
	without := func(why string) error {
		s.Notes = append(s.Notes, why+": the network's minimum gas price is not known, and the base fee is taken to move")
		return nil
	}
	if errors.Is(err, rpc.ErrNoMethod) {
		return without("the node does not tell its runtime")
	}
	if err != nil {
		return err
	}
	n, note, err := q.Tables.Find(network.Identity{SpecName: runtime.SpecName}, q.Network)
	if errors.Is(err, network.ErrUnknownNetwork) && q.Network == "" {
		return without(fmt.Sprintf("no table knows the node's network %q", jsonscan.Excerpt(runtime.SpecName)))
	}
	if errors.Is(err, network.ErrConflict) {
		return fmt.Errorf("%w: --network says %s, the node says %s; leave --network out, or ask another node", network.ErrConflict, q.Network, jsonscan.Excerpt(runtime.SpecName))
	}
	if err != nil {
		return err
	}
	rules, err := n.Rules(runtime.SpecVersion)
	if errors.Is(err, network.ErrUnknownRuntime) {
		return without(fmt.Sprintf("no table knows the node's runtime %d", runtime.SpecVersion))
	}
	if err != nil {
		return err
	}
	if note != "" {
		rules.Notes = append(rules.Notes, fmt.Sprintf("the node calls its network %q: taken as %s, as --network says", jsonscan.Excerpt(runtime.SpecName), n.Name))
	}
	s.govern(rules, chain.Optional[chain.Multiplier]{})
	return nil
}

func (q *SuggestQuestion) askGateway(ctx context.Context, why string) (*Suggestion, error) {
	reader, err := q.Gateway()
	if err != nil {
		return nil, err
	}
	head, err := reader.Next(ctx, source.Ref{})
	if err != nil {
		return nil, err
	}
	s := &Suggestion{From: FromGateway, Notes: []string{why}, Newest: chain.Some(head.Block.Number), Multiplier: head.Multiplier}
	var value chain.Optional[chain.Multiplier]
	if m, ok := head.Multiplier.Get(); ok {
		value = chain.Some(m.Value)
	}
	s.govern(head.Rules, value)
	base, err := evm.BaseFeePerGas(head.Rules.BaseFee, value)
	if err != nil {
		return nil, malformedPrices(err)
	}
	s.Market.BaseFeePerGas, _ = base.Get() // Next has the multiplier where it is needed
	if err := s.lookBack(ctx, reader, head.Block.Number, q.Blocks); err != nil {
		return nil, err
	}
	if s.Bids, err = fee.Suggest(s.Market); err != nil {
		return nil, malformedPrices(err)
	}
	return s, nil
}

// malformedPrices is for prices that no chain can have charged.
func malformedPrices(err error) error {
	return &sidecar.DecodeError{What: "prices of recent blocks", Err: err}
}

// maxAhead is how many recent blocks are read at the same time.
const maxAhead = 8

// lookBack finds the priority fees of the blocks up to the head. Block 0 has no
// transactions.
func (s *Suggestion) lookBack(ctx context.Context, reader *source.Reader, head, blocks uint64) error {
	if head == 0 {
		return nil
	}
	first := head + 1 - min(blocks, head)
	kept, err := reader.Source.Kept()
	if err != nil {
		return err
	}
	if has, known := kept.Get(); known && has.First > first {
		first = has.First
		s.Notes = append(s.Notes, fmt.Sprintf("the recordings begin at block %d: they have %d of the %d blocks that were asked for", first, head+1-first, blocks))
	}
	passed := 0
	for item, err := range reader.Range(ctx, chain.Heights{First: first, Last: head}, maxAhead) {
		if err != nil {
			return err
		}
		s.Blocks++
		report := fee.Price(item.Block, item.Rules, item.Multiplier)
		prices, counted, err := fee.PriorityFees(report)
		if err != nil {
			return malformedPrices(err)
		}
		s.Transactions += counted
		passed += report.Totals.EVM - counted
		if counted > 0 {
			s.Market.PriorityFees = append(s.Market.PriorityFees, prices)
		}
	}
	if passed > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s not counted: %s priority fee is not known", console.Counted(passed, "EVM transaction")+console.Verb(passed, " is", " are"), console.Verb(passed, "its", "their")))
	}
	return nil
}
