package desk

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/extrinsic"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/nodeclient"
	"github.com/feeledger/fees/nodestate"
	"github.com/feeledger/fees/source"
)

// BuildQuestion asks for a native extrinsic that is ready to be signed.
type BuildQuestion struct {
	Node      *nodeclient.Client
	Call      string   // pallet.call
	Arguments []string // as [extrinsic.Runtime.Call] takes them
	Signer    chain.Address
	Nonce     chain.Optional[uint64] // the node's next index by default
	Tip       string                 // in the smallest unit, or of the token; "" for none
	Period    uint64                 // of the era, in blocks; 0 for ever
}

// Build makes a draft of a native extrinsic.
func Build(ctx context.Context, q BuildQuestion) (*Draft, error) {
	view, err := nodestate.Open(ctx, q.Node, chain.Optional[uint64]{})
	if err != nil {
		return nil, err
	}
	call, err := view.Runtime.Call(q.Call, q.Arguments)
	if err != nil {
		return nil, notUnderstood("%v", err)
	}
	return q.draft(ctx, view, call)
}

func (q *BuildQuestion) draft(ctx context.Context, view *nodestate.View, call []byte) (*Draft, error) {
	name, err := q.Node.Chain(ctx)
	if err != nil {
		return nil, err
	}
	n := &NativeDraft{CallData: call, EraPeriod: q.Period}
	read, err := view.Runtime.ReadCall(call)
	if err != nil {
		return nil, err
	}
	n.Call = json.RawMessage(read.Raw())
	if n.Tip, err = amountOf(q.Tip, view.Token); err != nil {
		return nil, notUnderstood("tip: %v", err)
	}
	if nonce, given := q.Nonce.Get(); given {
		n.Nonce = chain.NewNonce(nonce)
	} else if n.Nonce, err = q.Node.NextIndex(ctx, q.Signer); err != nil {
		return nil, err
	}
	if n.SpecVersion, n.TransactionVersion, err = view.Version(ctx); err != nil {
		return nil, err
	}
	if err := q.bound(ctx, view, n); err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(view.Metadata)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, err
	}
	n.Metadata = packed.Bytes()
	d := &Draft{Chain: name, Signer: q.Signer, Native: n}
	_, err = n.Read()
	return d, err
}

// bound ties the draft to its chain, and to the blocks of its era.
func (q *BuildQuestion) bound(ctx context.Context, view *nodestate.View, n *NativeDraft) error {
	genesis, err := q.Node.Hashes(ctx, []uint64{0})
	if err != nil {
		return err
	}
	var known bool
	if n.Genesis, known = genesis[0].Get(); !known {
		return fmt.Errorf("the node does not have block 0: %w", chain.ErrNoBlock)
	}
	n.Birth = n.Genesis
	if q.Period == 0 {
		return nil
	}
	era, err := extrinsic.NewEra(q.Period, view.At.Height)
	if err != nil {
		return notUnderstood("era: %v", err)
	}
	n.EraPeriod, n.EraPhase = era.Period, era.Phase
	n.Dies, _ = era.Death(view.At.Height)
	birth, err := q.Node.Hashes(ctx, []uint64{era.Birth(view.At.Height)})
	if err != nil {
		return err
	}
	if n.Birth, known = birth[0].Get(); !known {
		return fmt.Errorf("the node does not have block %d, which the era begins with: %w", era.Birth(view.At.Height), chain.ErrNoBlock)
	}
	return nil
}

// amountOf is an amount that somebody wrote: the smallest unit, or the token.
func amountOf(text string, token extrinsic.Token) (chain.Wei, error) {
	if text == "" {
		return chain.Wei{}, nil
	}
	digits, err := token.Smallest(text)
	if err != nil {
		return chain.Wei{}, err
	}
	return chain.ParseWei(digits)
}

// BuildEVMQuestion asks for an EVM transaction that is ready to be signed. What is not given, the
// node tells.
type BuildEVMQuestion struct {
	Node                 *nodeclient.Client
	Tables               network.Tables
	Network              string // as of [SuggestQuestion]
	Signer               chain.Address
	Type                 evm.Type // eip1559 by default
	To                   chain.Optional[chain.Address]
	Value                string // as a tip of [BuildQuestion]
	Input                []byte
	AccessList           []evm.AccessEntry
	Nonce                chain.Optional[uint64]
	GasLimit             chain.Optional[uint64]
	GasPrice             chain.Optional[chain.GasPrice] // of legacy and eip2930
	MaxFeePerGas         chain.Optional[chain.GasPrice] // of eip1559
	MaxPriorityFeePerGas chain.Optional[chain.GasPrice]
}

// BuildEVM makes a draft of an EVM transaction. Prices that are not given are those of a normal
// bid, as [Suggest] has it.
func BuildEVM(ctx context.Context, q BuildEVMQuestion) (*Draft, error) {
	name, err := q.Node.Chain(ctx)
	if err != nil {
		return nil, err
	}
	token, err := nodestate.TokenOf(ctx, q.Node)
	if err != nil {
		return nil, err
	}
	d := &EVMDraft{Type: q.Type, To: q.To, Input: q.Input, AccessList: q.AccessList}
	if d.Value, err = amountOf(q.Value, token); err != nil {
		return nil, notUnderstood("value: %v", err)
	}
	if d.ChainID, err = q.Node.EthChainID(ctx); err != nil {
		return nil, err
	}
	if nonce, given := q.Nonce.Get(); given {
		d.Nonce = chain.NewNonce(nonce)
	} else if d.Nonce, err = q.Node.EthNonce(ctx, q.Signer); err != nil {
		return nil, err
	}
	if limit, given := q.GasLimit.Get(); given {
		d.GasLimit = limit
	} else {
		gas, err := q.Node.EstimateGas(ctx, nodeclient.EthCall{From: q.Signer, To: q.To, Value: d.Value, Input: q.Input})
		if err != nil {
			return nil, err
		}
		d.GasLimit = gas.Uint64()
	}
	if err := q.price(ctx, d); err != nil {
		return nil, err
	}
	if _, err := d.transaction(); err != nil {
		return nil, notUnderstood("%v", err)
	}
	return &Draft{Chain: name, Signer: q.Signer, EVM: d}, nil
}

// price sets the prices of the transaction's type. What a legacy or an eip2930 transaction offers is
// what it pays: that is the base fee of the next block and the priority fee of a normal bid.
func (q *BuildEVMQuestion) price(ctx context.Context, d *EVMDraft) error {
	dynamic := q.Type == evm.EIP1559
	d.GasPrice, d.MaxFeePerGas, d.MaxPriorityFeePerGas = q.GasPrice, q.MaxFeePerGas, q.MaxPriorityFeePerGas
	if dynamic && d.MaxFeePerGas.Known() && d.MaxPriorityFeePerGas.Known() || !dynamic && d.GasPrice.Known() {
		return nil
	}
	const blocks = 20
	s, err := Suggest(ctx, SuggestQuestion{Blocks: blocks, Tables: q.Tables, Network: q.Network, Node: q.Node, Gateway: noGateway})
	if err != nil {
		return fmt.Errorf("what to bid for gas: %w", err)
	}
	normal := s.Bids[slices.IndexFunc(s.Bids, func(b fee.Bid) bool { return b.Speed == fee.Normal })]
	if !dynamic {
		price, err := s.Market.Floor().Add(normal.MaxPriorityFeePerGas)
		d.GasPrice = chain.Some(price)
		return err
	}
	if !d.MaxPriorityFeePerGas.Known() {
		d.MaxPriorityFeePerGas = chain.Some(normal.MaxPriorityFeePerGas)
	}
	if !d.MaxFeePerGas.Known() {
		d.MaxFeePerGas = chain.Some(normal.MaxFeePerGas)
	}
	return nil
}

// noGateway is for who asks a node alone.
func noGateway() (*source.Reader, error) {
	return nil, notUnderstood("give the prices: the node does not tell what was paid for gas")
}
