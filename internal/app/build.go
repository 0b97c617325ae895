package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"slices"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app/market"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// BuildRequest requests an unsigned native extrinsic.
type BuildRequest struct {
	Node      *rpc.Client
	Tables    network.Tables
	Chain     ChainStatement
	Call      string   // pallet.call
	Arguments []string // as [extrinsic.Runtime.Call] takes them
	Signer    chain.Address
	Nonce     chain.Optional[uint64] // by default the node's next index
	Tip       string                 // in the smallest unit, or in the token; "" for none
	Period    uint64                 // of the era, in blocks; 0 for no expiry
}

// Build returns the draft of a native extrinsic.
func Build(ctx context.Context, q BuildRequest) (*Draft, error) {
	c, genesis, err := q.Chain.ofNode(ctx, q.Node, q.Tables)
	if err != nil {
		return nil, err
	}
	view, call, err := openCall(ctx, q.Node, c, q.Call, q.Arguments)
	if err != nil {
		return nil, err
	}
	if err := view.Runtime.CanSign(); err != nil {
		return nil, notUnderstood("%v", err)
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
	said.Genesis = chain.Some(genesis) // the signer confirms the genesis hash
	if _, err := Prepare(SignRequest{Draft: d, Tables: q.Tables, Chain: said, TrustDraft: true}); err != nil {
		return nil, err
	}
	return d, nil
}

// CallData encodes a call for the runtime of the node's newest final block.
func CallData(ctx context.Context, q BuildRequest) ([]byte, error) {
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

// metadata returns the metadata that the signer reads the call with: the node's if they are pinned or if the
// chain does not compare metadata, else version 15, whose digest can be signed.
func (q *BuildRequest) metadata(ctx context.Context, view *state.View, c *KnownChain, specVersion uint32) ([]byte, error) {
	m := view.Runtime.Metadata()
	v, _ := m.RuntimeVersion()
	if !c.comparesMetadata(specVersion) || network.PinOf(v.SpecName, v.SpecVersion, m.Version, blake2b.Sum256(view.Metadata)) == network.Pinned {
		return view.Metadata, nil
	}
	return view.MetadataAt(ctx, 15)
}

func packed(text []byte) []byte {
	var to bytes.Buffer // writing to it never fails
	w, _ := gzip.NewWriterLevel(&to, gzip.BestCompression)
	w.Write(text)
	w.Close()
	return to.Bytes()
}

// bound limits the draft to the blocks of its era.
func (q *BuildRequest) bound(ctx context.Context, view *state.View, n *NativeDraft) error {
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
		return fmt.Errorf("the node does not have block %d, where the era begins: %w", height, chain.ErrNoBlock)
	}
	birth, err := q.Node.Header(ctx, chain.Some(hash))
	if err != nil {
		return err
	}
	n.BirthHeader = birth.Encode()
	return nil
}

// amountOf parses an amount in the smallest unit or in the token.
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

// BuildEVMRequest requests an unsigned EVM transaction. The node supplies missing values.
type BuildEVMRequest struct {
	Node                 *rpc.Client
	Tables               network.Tables
	Chain                ChainStatement
	Signer               chain.Address
	Type                 chain.TransactionType // eip1559 by default
	To                   chain.Optional[chain.Address]
	Value                string // same format as the tip of [BuildRequest]
	Input                []byte
	AccessList           []chain.AccessEntry
	Nonce                chain.Optional[uint64]
	GasLimit             chain.Optional[uint64]
	GasPrice             chain.Optional[chain.GasPrice] // for legacy and eip2930
	MaxFeePerGas         chain.Optional[chain.GasPrice] // for eip1559
	MaxPriorityFeePerGas chain.Optional[chain.GasPrice]
}

// BuildEVM returns the draft of an EVM transaction. Missing prices are those of the normal bid of [Suggest].
func BuildEVM(ctx context.Context, q BuildEVMRequest) (*Draft, error) {
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

// price sets the prices for the transaction's type. Legacy and eip2930 transactions pay exactly what
// they offer: the base fee of the next block plus the priority fee of a normal bid.
func (q *BuildEVMRequest) price(ctx context.Context, d *EVMDraft) error {
	dynamic := q.Type == chain.EIP1559
	d.GasPrice, d.MaxFeePerGas, d.MaxPriorityFeePerGas = q.GasPrice, q.MaxFeePerGas, q.MaxPriorityFeePerGas
	if dynamic && d.MaxFeePerGas.Known() && d.MaxPriorityFeePerGas.Known() || !dynamic && d.GasPrice.Known() {
		return nil
	}
	const blocks = 20
	s, err := Suggest(ctx, SuggestRequest{Blocks: blocks, Tables: q.Tables, Network: q.Chain.Network, Node: q.Node, Gateway: noGateway})
	if err != nil {
		return fmt.Errorf("gas price: %w", err)
	}
	normal := s.Bids[slices.IndexFunc(s.Bids, func(b market.Bid) bool { return b.Speed == market.Normal })]
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

// noGateway refuses to fall back to a gateway.
func noGateway() (*source.Reader, error) {
	return nil, notUnderstood("state the gas prices")
}
