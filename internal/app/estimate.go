package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/network"
)

// EstimateQuestion asks what a call would cost now.
type EstimateQuestion struct {
	Node      *rpc.Client
	Tables    network.Tables
	Chain     ChainStatement
	Call      string // as of [BuildQuestion]
	Arguments []string
	From      chain.Address // who would sign
	Tip       string
	Blocks    uint64 // that are looked at for the cheapest hour; 0 for none
}

// Estimate is what a call would cost in the next block. What cannot be told is not known, and a
// note says why.
type Estimate struct {
	At       render.At
	Symbol   string
	CallData []byte
	Native   extrinsic.Cost // without the tip
	Tip      chain.Wei
	Total    chain.Wei // of both
	// FeePerGas is what the pool orders native transactions by (specification, rule 10): the fee
	// with the tip, by the gas that the weight stands for. Not known where that is none.
	FeePerGas chain.Optional[chain.GasPrice]
	EVM       *EVMEstimate // the same transfer by the EVM, nil where the call is no transfer, or nobody tells
	Bids      []PriorityBid
	Hours     []Hour // by what they cost, the cheapest first
	Notes     []string
}

// EVMEstimate is what a transfer costs by the EVM.
type EVMEstimate struct {
	Gas           chain.Gas
	BaseFeePerGas chain.GasPrice // by our own rule
	Fee           chain.Wei      // without a priority fee
}

// PriorityBid is what a priority costs, in both layers.
type PriorityBid struct {
	Speed                fee.Speed
	MaxPriorityFeePerGas chain.GasPrice
	EVMPriorityFee       chain.Optional[chain.Wei] // for the gas of the transfer
	NativeTip            chain.Optional[chain.Wei] // the tip that is as much for each gas
}

// Hour is what blocks of an hour of the clock cost.
type Hour struct {
	Begin      time.Time // UTC
	Blocks     int
	Multiplier chain.Multiplier // the mean of what priced them, rounded down
}

// EstimateCall estimates a call.
func EstimateCall(ctx context.Context, q EstimateQuestion) (*Estimate, error) {
	c, _, err := q.Chain.ofNode(ctx, q.Node, q.Tables)
	if err != nil {
		return nil, err
	}
	view, call, err := openCall(ctx, q.Node, c, q.Call, q.Arguments)
	if err != nil {
		return nil, err
	}
	e := &Estimate{At: view.At, Symbol: c.Token.Symbol, CallData: call}
	if e.Tip, err = amountOf(q.Tip, c.Token); err != nil {
		return nil, notUnderstood("tip: %v", err)
	}
	if err := q.native(ctx, view, e); err != nil {
		return nil, err
	}
	rules, multiplier, err := q.rules(ctx, view, e)
	if err != nil {
		return nil, err
	}
	if err := q.byEVM(ctx, view, rules, multiplier, e); err != nil {
		return nil, err
	}
	if err := q.priority(ctx, rules, e); err != nil {
		return nil, err
	}
	if q.Blocks > 0 {
		e.Hours, err = q.hours(ctx, view)
	}
	return e, err
}

// native asks the runtime what the extrinsic would cost, and where the node does not let that be
// asked, the node.
func (q *EstimateQuestion) native(ctx context.Context, view *state.View, e *Estimate) error {
	nonce, err := q.Node.NextIndex(ctx, q.From)
	if errors.Is(err, rpc.ErrNoMethod) {
		e.Notes, err = append(e.Notes, "the node does not tell the next nonce: the extrinsic may be up to 3 bytes longer than was estimated"), nil
	}
	if err != nil {
		return err
	}
	const usual = 64 // blocks, of the era that fees tx build makes
	era, err := extrinsic.NewEra(usual, view.At.Height)
	if err != nil {
		return err
	}
	unmade, err := view.Runtime.EncodeUnmade(e.CallData, &extrinsic.Signing{Nonce: nonce, Tip: e.Tip, Era: era}, q.From)
	if err != nil {
		return err
	}
	said, err := q.Node.StateCall(ctx, extrinsic.QueryInfo, extrinsic.QueryInfoArguments(unmade), view.At.Hash)
	switch {
	case err == nil:
		e.Native, err = view.Runtime.ReadCost(said)
		if err != nil {
			err = &rpc.DecodeError{What: "dispatch info", Err: err}
		}
	case errors.Is(err, rpc.ErrNoMethod):
		var info rpc.DispatchInfo
		info, err = q.Node.QueryInfo(ctx, HexBytes(unmade).String(), chain.Some(view.At.Hash))
		e.Native = extrinsic.Cost{Weight: info.Weight, Class: info.Class, Fee: info.PartialFee}
	}
	if err != nil {
		return err
	}
	e.Total, err = e.Native.Fee.Add(e.Tip)
	return err
}

// rules are those of the runtime that executes the next block, and the multiplier that prices it.
func (q *EstimateQuestion) rules(ctx context.Context, view *state.View, e *Estimate) (rules chain.Optional[network.Rules], multiplier chain.Multiplier, err error) {
	v, err := view.Query(ctx, "transactionPayment.nextFeeMultiplier", nil)
	if err == nil {
		multiplier, err = chain.Read[chain.Multiplier](v.Member("value"))
	}
	if err != nil {
		return rules, multiplier, err
	}
	runtime, err := q.Node.Runtime(ctx, chain.Some(view.At.Hash))
	if err != nil {
		return rules, multiplier, err
	}
	n, _, err := q.Tables.Find(network.Identity{SpecName: runtime.SpecName}, "")
	var of network.Rules
	if err == nil {
		of, err = n.Rules(runtime.SpecVersion)
	}
	if err != nil {
		e.Notes = append(e.Notes, fmt.Sprintf("no table knows the runtime %s %d: what the EVM costs is not told", jsonscan.Excerpt(runtime.SpecName), runtime.SpecVersion))
		return rules, multiplier, nil
	}
	return chain.Some(of), multiplier, nil
}

// byEVM is what the same transfer costs by the EVM: its gas by the node, its price by our rule.
func (q *EstimateQuestion) byEVM(ctx context.Context, view *state.View, of chain.Optional[network.Rules], multiplier chain.Multiplier, e *Estimate) error {
	rules, known := of.Get()
	to, value, transfer := transferOf(view, e.CallData)
	if !known || !transfer {
		return nil
	}
	gas, err := q.Node.EstimateGas(ctx, rpc.EthCall{From: q.From, To: chain.Some(to), Value: value})
	var refused *rpc.RPCError
	if errors.As(err, &refused) {
		e.Notes = append(e.Notes, "the node does not estimate the gas of the transfer: "+jsonscan.Excerpt(refused.Message))
		return nil
	}
	if err != nil {
		return err
	}
	base, err := evm.BaseFeePerGas(rules.BaseFee, chain.Some(multiplier))
	if err != nil {
		return malformedPrices(err)
	}
	price, _ := base.Get() // the multiplier is known
	paid, err := price.Times(gas)
	if err != nil {
		return malformedPrices(err)
	}
	e.EVM = &EVMEstimate{gas, price, paid}
	return nil
}

// transferOf is what a call transfers, where it is a plain transfer.
func transferOf(view *state.View, data []byte) (to chain.Address, value chain.Wei, transfer bool) {
	call, err := view.Runtime.ReadCall(data)
	if err != nil {
		return to, value, false
	}
	pallet, name := extrinsic.CallName(call)
	if pallet != "balances" || !slices.Contains([]string{"transfer", "transferAllowDeath", "transferKeepAlive"}, name) {
		return to, value, false
	}
	to, err = chain.Read[chain.Address](call.Member("args").Member("dest"))
	if err == nil {
		value, err = chain.Read[chain.Wei](call.Member("args").Member("value"))
	}
	return to, value, err == nil
}

// priority is what a place before others costs, by what was paid for it in recent blocks.
func (q *EstimateQuestion) priority(ctx context.Context, of chain.Optional[network.Rules], e *Estimate) error {
	rules, known := of.Get()
	if !known {
		return nil
	}
	gas, _ := evm.Gas(e.Native.Weight.RefTime, rules.WeightPerGas)
	if gas.Uint64() > 0 {
		price, _ := e.Total.PricePer(gas) // rounded down, as the pool does
		e.FeePerGas = chain.Some(price)
	}
	const blocks = 20
	s, err := Suggest(ctx, SuggestQuestion{Blocks: blocks, Tables: q.Tables, Node: q.Node, Gateway: noGateway})
	var refused *rpc.RPCError
	switch {
	case errors.As(err, &refused):
		e.Notes = append(e.Notes, "what was paid for priority in recent blocks is not told, the node refuses: "+jsonscan.Excerpt(refused.Message))
		return nil
	case KindOf(err) == failure.NotUnderstood: // there is no gateway that could be asked for it
		e.Notes = append(e.Notes, "what was paid for priority in recent blocks is not told: the node has no eth_feeHistory")
		return nil
	case err != nil:
		return err
	}
	for _, b := range s.Bids {
		p := PriorityBid{Speed: b.Speed, MaxPriorityFeePerGas: b.MaxPriorityFeePerGas}
		if e.EVM != nil {
			paid, err := b.MaxPriorityFeePerGas.Times(e.EVM.Gas)
			if err != nil {
				return malformedPrices(err)
			}
			p.EVMPriorityFee = chain.Some(paid)
		}
		if gas.Uint64() > 0 {
			tip, err := b.MaxPriorityFeePerGas.Times(gas)
			if err != nil {
				return malformedPrices(err)
			}
			p.NativeTip = chain.Some(tip)
		}
		e.Bids = append(e.Bids, p)
	}
	return nil
}

// hours are those of the newest blocks, by the multiplier that priced their blocks: fees of both
// layers follow it.
func (q *EstimateQuestion) hours(ctx context.Context, view *state.View) ([]Hour, error) {
	first := view.At.Height + 1 - min(q.Blocks, view.At.Height)
	sums := map[time.Time]*Hour{}
	for height := first; height <= view.At.Height; height++ {
		when, multiplier, err := view.Priced(ctx, height)
		if err != nil {
			return nil, err
		}
		begin := when.Std().Truncate(time.Hour)
		h := sums[begin]
		if h == nil {
			h = &Hour{Begin: begin}
			sums[begin] = h
		}
		if h.Multiplier, err = h.Multiplier.Add(multiplier); err != nil {
			return nil, malformedPrices(err)
		}
		h.Blocks++
	}
	hours := make([]Hour, 0, len(sums))
	for _, h := range sums {
		blocks, err := chain.Ratio(uint64(h.Blocks), 1)
		if err != nil {
			return nil, malformedPrices(err)
		}
		mean, err := h.Multiplier.Div(blocks)
		if err != nil {
			return nil, malformedPrices(err)
		}
		hours = append(hours, Hour{h.Begin, h.Blocks, mean})
	}
	slices.SortFunc(hours, func(a, b Hour) int {
		return cmp.Or(a.Multiplier.Cmp(b.Multiplier), a.Begin.Compare(b.Begin))
	})
	return hours, nil
}

// Watch waits for the call to be in a final block, sent by who would sign it.
func (e *Estimate) Watch(ctx context.Context, q EstimateQuestion, every time.Duration) (Included, error) {
	s := &Sent{node: q.Node, from: e.At.Height + 1, every: cmp.Or(every, time.Second), told: func(string) {},
		is: func(encoded []byte, runtime func() (*extrinsic.Runtime, error)) (bool, error) {
			r, err := runtime()
			if err != nil {
				return false, err
			}
			x, err := r.Read(encoded)
			return err == nil && x.Signed && x.Signer == q.From && bytes.Equal(x.Data, e.CallData), nil
		}}
	return s.Wait(ctx, true)
}

// Beside is what was charged less what was estimated.
func (e *Estimate) Beside(charged chain.Optional[chain.Wei]) (none chain.Optional[chain.SignedWei]) {
	if wei, known := charged.Get(); known {
		return chain.Some(wei.Difference(e.Total))
	}
	return none
}
