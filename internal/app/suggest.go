package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/app/market"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// SuggestRequest requests gas price bids for the next block.
type SuggestRequest struct {
	Blocks  uint64 // recent blocks to read priority fees from, at least 1
	Tables  network.Tables
	Network string      // overrides the network that node or gateway report; "" for none
	Node    *rpc.Client // supplies the fee history; may be nil
	// Gateway opens the fallback for a missing node or an empty fee history.
	Gateway func() (*source.Reader, error)
}

// Suggest returns bids for the next block.
func Suggest(ctx context.Context, q SuggestRequest) (*Suggestion, error) {
	if q.Node == nil {
		return q.askGateway(ctx, "no node given (--node or FEES_NODE): the figures come from the gateway's blocks")
	}
	s, err := q.askNode(ctx)
	why := ""
	switch {
	case errors.Is(err, rpc.ErrNoMethod):
		why = "the node does not support eth_feeHistory"
	case errors.Is(err, errNoHistory):
		why = "the node's eth_feeHistory is empty"
	default:
		return s, err
	}
	if s, err = q.askGateway(ctx, why+": the figures come from the gateway's blocks"); err != nil {
		return nil, fmt.Errorf("%s, and the gateway failed: %w", why, err)
	}
	return s, nil
}

// errNoHistory reports that a node supports fee history but has no block in it: it keeps only blocks since it
// was started.
var errNoHistory = errors.New("the fee history is empty")

func (q *SuggestRequest) askNode(ctx context.Context) (*Suggestion, error) {
	var percentiles []float64
	for _, p := range market.Percentiles() {
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
	} else { // some blocks are missing, and it is unknown which
		s.Notes = append(s.Notes, fmt.Sprintf("the node returned %d of the %d requested blocks", have, q.Blocks))
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
	if s.Bids, err = market.Suggest(s.Market); err != nil {
		return nil, &rpc.DecodeError{What: "fee history", Err: err}
	}
	return s, nil
}

// addRules adds the table's rules for the node's current runtime. Without them, the bids rely on the fee
// history only.
func (q *SuggestRequest) addRules(ctx context.Context, s *Suggestion) error {
	runtime, err := q.Node.Runtime(ctx, chain.Optional[chain.Hash]{})
	without := func(why string) error {
		s.Notes = append(s.Notes, why+": the network's minimum gas price is unknown, and the base fee is assumed to move")
		return nil
	}
	if errors.Is(err, rpc.ErrNoMethod) {
		return without("the node does not report its runtime")
	}
	if err != nil {
		return err
	}
	name := jsonscan.Excerpt(runtime.SpecName)
	rules, note, err := q.Tables.Rules(network.Identity{SpecName: runtime.SpecName}, q.Network, chain.Some(runtime.SpecVersion))
	switch {
	case errors.Is(err, network.ErrUnknownNetwork) && q.Network == "":
		return without(fmt.Sprintf("the node's network %q is not in any table", name))
	case errors.Is(err, network.ErrConflict) && q.Network != "":
		return fmt.Errorf("%w: --network is %s, but the node serves %s. Omit --network, or use a different node.", network.ErrConflict, q.Network, name)
	case errors.Is(err, network.ErrUnknownRuntime):
		return without(fmt.Sprintf("the node's runtime %d is not in any table", runtime.SpecVersion))
	case err != nil:
		return err
	}
	if note != "" {
		rules.Notes = append(rules.Notes, fmt.Sprintf("the node calls its network %q; treated as %s because of --network", name, rules.Network))
	}
	s.govern(rules, chain.Optional[chain.Multiplier]{})
	return nil
}

func (q *SuggestRequest) askGateway(ctx context.Context, why string) (*Suggestion, error) {
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
	base, err := evm.BaseFeePerGas(head.Rules.BaseFee, head.Multiplier)
	if err != nil {
		return nil, malformedPrices(err)
	}
	s.Market.BaseFeePerGas, _ = base.Get() // Next includes the multiplier if it is needed
	if err := s.lookBack(ctx, reader, head.Block.Number, q.Blocks); err != nil {
		return nil, err
	}
	if s.Bids, err = market.Suggest(s.Market); err != nil {
		return nil, malformedPrices(err)
	}
	return s, nil
}

// malformedPrices reports prices that no chain can have charged.
func malformedPrices(err error) error {
	return &sidecar.DecodeError{What: "prices of recent blocks", Err: err}
}

// maxAhead limits how many recent blocks are read at the same time.
const maxAhead = 8

// lookBack collects the priority fees of the blocks up to the head. Block 0 has no transactions.
func (s *Suggestion) lookBack(ctx context.Context, reader *source.Reader, head, blocks uint64) error {
	if head == 0 {
		return nil
	}
	first := head + 1 - min(blocks, head)
	kept, err := source.Kept(reader.Source)
	if err != nil {
		return err
	}
	if has, known := kept.Get(); known && has.First > first {
		first = has.First
		s.Notes = append(s.Notes, fmt.Sprintf("the recordings begin at block %d and contain %d of the %d requested blocks", first, head+1-first, blocks))
	}
	passed := 0
	for item, err := range reader.Range(ctx, chain.Heights{First: first, Last: head}, maxAhead) {
		if err != nil {
			return err
		}
		s.Blocks++
		report := fee.Price(item.Block, &item.Rules, item.Multiplier)
		prices, counted, err := market.PriorityFees(report)
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
		s.Notes = append(s.Notes, fmt.Sprintf("%s not counted: %s priority fee is unknown", console.Counted(passed, "EVM transaction")+console.Verb(passed, " is", " are"), console.Verb(passed, "its", "their")))
	}
	return nil
}
