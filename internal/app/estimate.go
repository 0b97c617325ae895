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
	"github.com/feeledger/fees/internal/app/market"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/network"
)

// ExtrinsicEstimate is the fee of a signed extrinsic, without its tip, as a node states it.
type ExtrinsicEstimate struct {
	rpc.DispatchInfo
	Token chain.Optional[console.Token] // unknown if no table knows the node's runtime
}

// EstimateExtrinsic estimates a signed extrinsic in 0x-hex on the state of a block, the newest by default.
func EstimateExtrinsic(ctx context.Context, node *rpc.Client, encoded string, at chain.Optional[chain.Hash]) (e ExtrinsicEstimate, err error) {
	if e.DispatchInfo, err = node.QueryInfo(ctx, encoded, at); err != nil {
		return e, err
	}
	runtime, err := node.Runtime(ctx, at)
	if errors.Is(err, rpc.ErrNoMethod) {
		return e, nil
	}
	if err != nil {
		return e, err
	}
	if n, _, unknown := network.BuiltIn().Find(network.Identity{SpecName: runtime.SpecName}, ""); unknown == nil {
		e.Token = chain.Some(console.Token(n.Token()))
	}
	return e, nil
}

// EstimateRequest requests an estimate of what a call would cost now.
type EstimateRequest struct {
	Node      *rpc.Client
	Tables    network.Tables
	Chain     ChainStatement
	Call      string // as in [BuildRequest]
	Arguments []string
	From      chain.Address // the signer
	Tip       string
	Blocks    uint64 // recent blocks read to find the cheapest hour; 0 for none
}

// Estimate is the estimated fee of a call in the next block. Figures that cannot be determined are
// unknown, and a note says why.
type Estimate struct {
	At       render.At
	Token    console.Token
	CallData []byte
	Native   extrinsic.Cost // excludes the tip
	Tip      chain.Wei
	Total    chain.Wei // fee and tip
	// FeePerGas is the transaction pool's sort key for native transactions (specification, rule 10): fee
	// plus tip, divided by the gas that the weight corresponds to. Unknown if that is zero.
	FeePerGas chain.Optional[chain.GasPrice]
	EVM       *EVMEstimate // the same transfer through the EVM; nil if the call is not a transfer or the node cannot estimate it
	Bids      []PriorityBid
	Hours     []Hour // cheapest first
	Notes     []string
}

// EVMEstimate is the estimated fee of a transfer through the EVM.
type EVMEstimate struct {
	Gas           chain.Gas
	BaseFeePerGas chain.GasPrice // from the network table's rule
	Fee           chain.Wei      // excludes any priority fee
}

// PriorityBid is the price of a priority in both layers.
type PriorityBid struct {
	Speed                market.Speed
	MaxPriorityFeePerGas chain.GasPrice
	EVMPriorityFee       chain.Optional[chain.Wei] // for the transfer's gas
	NativeTip            chain.Optional[chain.Wei] // the tip that pays the same per gas
}

// Hour is the average price of blocks in one clock hour.
type Hour struct {
	Begin      time.Time // UTC
	Blocks     int
	Multiplier chain.Multiplier // mean of the multipliers that priced the blocks, rounded down
}

// EstimateCall estimates a call.
func EstimateCall(ctx context.Context, q EstimateRequest) (*Estimate, error) {
	c, _, err := q.Chain.ofNode(ctx, q.Node, q.Tables)
	if err != nil {
		return nil, err
	}
	view, call, err := openCall(ctx, q.Node, c, q.Call, q.Arguments)
	if err != nil {
		return nil, err
	}
	e := &Estimate{At: view.At, Token: console.Token{Symbol: c.Token.Symbol, Decimals: c.Token.Decimals}, CallData: call}
	if e.Tip, err = amountOf(q.Tip, c.Token); err != nil {
		return nil, notUnderstood("tip: %v", err)
	}
	accounts := network.MappingOf(view.Runtime.Metadata().AccountSize())
	if err := accounts.CheckSize(q.From, cmp.Or(c.Name, "this chain")); err != nil {
		return nil, notUnderstood("%v: %v", FieldFrom, err)
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

// native asks the runtime for the fee of the extrinsic, or the node if the runtime call is not available.
func (q *EstimateRequest) native(ctx context.Context, view *state.View, e *Estimate) error {
	nonce, err := q.Node.NextIndex(ctx, q.From)
	if errors.Is(err, rpc.ErrNoMethod) {
		e.Notes, err = append(e.Notes, "the node does not report the next nonce; the extrinsic may be up to 3 bytes longer than estimated"), nil
	}
	if err != nil {
		return err
	}
	const usual = 64 // blocks, the default era of fees tx build
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

// rules returns the rules of the runtime that executes the next block, and the multiplier that prices it.
func (q *EstimateRequest) rules(ctx context.Context, view *state.View, e *Estimate) (rules chain.Optional[network.Rules], multiplier chain.Multiplier, err error) {
	v, err := view.Query(ctx, "transactionPayment.nextFeeMultiplier", nil)
	if err == nil {
		multiplier, err = jsonread.Multiplier(v.Member("value"))
	}
	if err != nil {
		return rules, multiplier, err
	}
	runtime, err := q.Node.Runtime(ctx, chain.Some(view.At.Hash))
	if err != nil {
		return rules, multiplier, err
	}
	of, _, err := q.Tables.Rules(network.Identity{SpecName: runtime.SpecName}, q.Chain.Network, chain.Some(runtime.SpecVersion))
	if errors.Is(err, network.ErrConflict) {
		return rules, multiplier, err
	}
	if err != nil {
		e.Notes = append(e.Notes, fmt.Sprintf("runtime %s %d is not in any table; no EVM estimate", jsonscan.Excerpt(runtime.SpecName), runtime.SpecVersion))
		return rules, multiplier, nil
	}
	return chain.Some(of), multiplier, nil
}

// byEVM estimates the same transfer through the EVM: gas from the node, price from the network table.
func (q *EstimateRequest) byEVM(ctx context.Context, view *state.View, of chain.Optional[network.Rules], multiplier chain.Multiplier, e *Estimate) error {
	rules, known := of.Get()
	to, value, transfer := transferOf(view, e.CallData)
	if !known || !transfer || to.Size() != chain.AddressSize { // the EVM's accounts have 20 bytes
		return nil
	}
	gas, err := q.Node.EstimateGas(ctx, rpc.EthCall{From: q.From, To: chain.Some(to), Value: value})
	var refused *rpc.RPCError
	if errors.As(err, &refused) {
		e.Notes = append(e.Notes, "the node cannot estimate the gas of the transfer: "+jsonscan.Excerpt(refused.Message))
		return nil
	}
	if err != nil {
		return err
	}
	stored := chain.StoredMultiplier{At: view.At.Height, Value: multiplier}
	if item, ok := rules.BaseFee.Stored.Get(); ok {
		if item.AtBlock() { // the next block will set it
			return nil
		}
		v, err := view.Query(ctx, item.Name(), nil)
		if err != nil {
			return err
		}
		base, err := jsonread.GasPrice(v.Member("value"))
		if err != nil {
			return malformedPrices(err)
		}
		stored.BaseFee = chain.Some(base)
	}
	base, err := evm.BaseFeePerGas(rules.BaseFee, chain.Some(stored))
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

// transferOf returns recipient and amount if the call is a plain transfer.
func transferOf(view *state.View, data []byte) (to chain.Address, value chain.Wei, transfer bool) {
	call, err := view.Runtime.ReadCall(data)
	if err != nil {
		return to, value, false
	}
	pallet, name := extrinsic.CallName(call)
	if pallet != "balances" || !slices.Contains([]string{"transfer", "transferAllowDeath", "transferKeepAlive"}, name) {
		return to, value, false
	}
	to, err = jsonread.Address(call.Member("args").Member("dest"))
	if err == nil {
		value, err = jsonread.Wei(call.Member("args").Member("value"))
	}
	return to, value, err == nil
}

// priority sets the prices of priorities, based on what recent blocks paid.
func (q *EstimateRequest) priority(ctx context.Context, of chain.Optional[network.Rules], e *Estimate) error {
	rules, known := of.Get()
	if !known || rules.EVMUnit > 1 { // the layers' prices have different units
		return nil
	}
	gas, _ := evm.Gas(e.Native.Weight.RefTime, rules.WeightPerGas)
	if gas.Uint64() > 0 {
		price, _ := e.Total.PricePer(gas) // rounded down, as the pool does
		e.FeePerGas = chain.Some(price)
	}
	const blocks = 20
	s, err := Suggest(ctx, SuggestRequest{Blocks: blocks, Tables: q.Tables, Node: q.Node, Gateway: noGateway})
	var refused *rpc.RPCError
	switch {
	case errors.As(err, &refused):
		e.Notes = append(e.Notes, "no priority fees: the node refuses to report them: "+jsonscan.Excerpt(refused.Message))
		return nil
	case KindOf(err) == failure.NotUnderstood: // and there is no gateway to ask instead
		e.Notes = append(e.Notes, "no priority fees: the node does not support eth_feeHistory")
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

// hours groups the newest blocks by hour, with the multipliers that priced them: fees of both layers
// are proportional to it.
func (q *EstimateRequest) hours(ctx context.Context, view *state.View) ([]Hour, error) {
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

// Watch waits until the estimated signer's call is in a final block.
func (e *Estimate) Watch(ctx context.Context, q EstimateRequest, every time.Duration) (Included, error) {
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

// Beside returns the charged fee minus the estimate.
func (e *Estimate) Beside(charged chain.Optional[chain.Wei]) (none chain.Optional[chain.SignedWei]) {
	if wei, known := charged.Get(); known {
		return chain.Some(wei.Difference(e.Total))
	}
	return none
}
