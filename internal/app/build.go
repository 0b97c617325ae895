package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"slices"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// BuildQuestion asks for a native extrinsic that is ready to be signed.
type BuildQuestion struct {
	Node      *rpc.Client
	Tables    network.Tables
	Chain     ChainStatement
	Call      string   // pallet.call
	Arguments []string // as [extrinsic.Runtime.Call] takes them
	Signer    chain.Address
	Nonce     chain.Optional[uint64] // the node's next index by default
	Tip       string                 // in the smallest unit, or of the token; "" for none
	Period    uint64                 // of the era, in blocks; 0 for ever
}

// Build makes a draft of a native extrinsic.
func Build(ctx context.Context, q BuildQuestion) (*Draft, error) {
	c, genesis, err := q.Chain.ofNode(ctx, q.Node, q.Tables)
	if err != nil {
		return nil, err
	}
	view, call, err := openCall(ctx, q.Node, c, q.Call, q.Arguments)
	if err != nil {
		return nil, err
	}
	n := &NativeDraft{CallData: call, Genesis: genesis}
	if n.Tip, err = amountOf(q.Tip, c.Token); err != nil {
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
	text, err := q.metadata(ctx, view, c, n.SpecVersion)
	if err != nil {
		return nil, err
	}
	n.Metadata = packed(text)
	d := &Draft{Signer: q.Signer, Native: n}
	said := q.Chain
	said.Genesis = chain.Some(genesis) // whether it is the right one, the signer is asked
	if _, err := Prepare(SignQuestion{Draft: d, Tables: q.Tables, Chain: said, TrustDraft: true}); err != nil {
		return nil, err
	}
	return d, nil
}

// CallData makes the call data of a call, by the runtime of the node's newest final block.
func CallData(ctx context.Context, q BuildQuestion) ([]byte, error) {
	c, _, err := q.Chain.ofNode(ctx, q.Node, q.Tables)
	if err != nil {
		return nil, err
	}
	_, call, err := openCall(ctx, q.Node, c, q.Call, q.Arguments)
	return call, err
}

func openCall(ctx context.Context, node *rpc.Client, c *KnownChain, name string, arguments []string) (*state.View, []byte, error) {
	view, err := state.Open(ctx, node, chain.Optional[uint64]{}, c.Token)
	if err != nil {
		return nil, nil, err
	}
	call, err := view.Runtime.Call(name, arguments)
	if err != nil {
		err = notUnderstood("%v", err)
	}
	return view, call, err
}

// metadata are those that the signer reads the call by: those that the node gives, if they are pinned, and else those
// whose digest can be signed, if the chain compares it.
func (q *BuildQuestion) metadata(ctx context.Context, view *state.View, c *KnownChain, specVersion uint32) ([]byte, error) {
	m := view.Runtime.Metadata()
	v, _ := m.RuntimeVersion()
	if !c.comparesMetadata(specVersion) || network.PinOf(v.SpecName, v.SpecVersion, m.Version, blake2b.Sum256(view.Metadata)) == network.Pinned {
		return view.Metadata, nil
	}
	return view.MetadataAt(ctx, 15)
}

func packed(text []byte) []byte {
	var to bytes.Buffer // which takes all that is written
	w, _ := gzip.NewWriterLevel(&to, gzip.BestCompression)
	w.Write(text)
	w.Close()
	return to.Bytes()
}

// bound ties the draft to the blocks of its era.
func (q *BuildQuestion) bound(ctx context.Context, view *state.View, n *NativeDraft) error {
	if q.Period == 0 {
		return nil
	}
	era, err := extrinsic.NewEra(q.Period, view.At.Height)
	if err != nil {
		return notUnderstood("era: %v", err)
	}
	n.EraPeriod, n.EraPhase = era.Period, era.Phase
	height := era.Birth(view.At.Height)
	list, err := q.Node.Hashes(ctx, []uint64{height})
	if err != nil {
		return err
	}
	hash, known := list[0].Get()
	if !known {
		return fmt.Errorf("the node does not have block %d, which the era begins with: %w", height, chain.ErrNoBlock)
	}
	birth, err := q.Node.Header(ctx, chain.Some(hash))
	if err != nil {
		return err
	}
	n.BirthHeader = birth.Encode()
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
	Node                 *rpc.Client
	Tables               network.Tables
	Chain                ChainStatement
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
	c, id, err := q.Chain.evmOfNode(ctx, q.Node, q.Tables)
	if err != nil {
		return nil, err
	}
	d := &EVMDraft{Type: q.Type, ChainID: id, To: q.To, Input: q.Input, AccessList: q.AccessList}
	if d.Value, err = amountOf(q.Value, c.Token); err != nil {
		return nil, notUnderstood("value: %v", err)
	}
	if nonce, given := q.Nonce.Get(); given {
		d.Nonce = chain.NewNonce(nonce)
	} else if d.Nonce, err = q.Node.EthNonce(ctx, q.Signer); err != nil {
		return nil, err
	}
	if limit, given := q.GasLimit.Get(); given {
		d.GasLimit = limit
	} else {
		gas, err := q.Node.EstimateGas(ctx, rpc.EthCall{From: q.Signer, To: q.To, Value: d.Value, Input: q.Input})
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
	return &Draft{Signer: q.Signer, EVM: d}, nil
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
	s, err := Suggest(ctx, SuggestQuestion{Blocks: blocks, Tables: q.Tables, Network: q.Chain.Network, Node: q.Node, Gateway: noGateway})
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
