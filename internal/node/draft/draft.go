// Package draft writes the network table of a chain from what its node states: metadata, constants and storage.
package draft

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// Draft is a network table made from what a node states. The figures that no node states are listed in the
// table's ToFind: a table with such a list is not accepted.
type Draft struct {
	Table network.Network
	Block chain.Anchor // the block that it describes
	Read  int          // figures that were filled in
}

// drafting reads the figures of a table from a node.
type drafting struct {
	*Draft
	node *rpc.Client
	view *state.View
	m    *metadata.Metadata
	evm  rule.EVM // what runs its Ethereum transactions

	limits  weightLimits
	limited bool // limits are known
}

// OfNode writes the table of a node's chain, as of its newest final block: names, IDs, limits and accounts from the
// runtime's constants and storage. It states what a person must find in the runtime's source. Errors are the node's.
func OfNode(ctx context.Context, node *rpc.Client) (*Draft, error) {
	view, err := state.Open(ctx, node, chain.Optional[uint64]{}, extrinsic.Token{})
	if err != nil {
		return nil, err
	}
	m, err := metadata.Parse(view.Metadata)
	if err != nil {
		return nil, &rpc.DecodeError{What: "metadata", Err: err}
	}
	d := &drafting{Draft: &Draft{Block: chain.Anchor{Height: view.At.Height, Hash: view.At.Hash}}, node: node, view: view, m: m, evm: evmOf(m)}
	d.limits, d.limited = d.blockWeights()
	d.Table.Sources = map[string]string{}
	d.Table.Unverified = fmt.Sprintf("drafted from a node's answers at block %d", view.At.Height)
	for _, read := range []func(context.Context) error{d.identity, d.accounts, d.chainIDs, d.price, d.destinations, d.update, d.nativeFee, d.existentialDeposit} {
		if err := read(ctx); err != nil {
			return nil, err
		}
	}
	return d.Draft, nil
}

// find adds a figure that a person must find.
func (d *drafting) find(figure, where string) {
	d.Table.ToFind = append(d.Table.ToFind, figure+": "+where)
}

// source names the origin of a figure of the whole table.
func (d *drafting) source(key, text string) {
	d.Table.Sources[key] = text
	d.Read++
}

// constant reads a constant, if the runtime has it.
func (d *drafting) constant(pallet, name string) (v jsonscan.Value, known bool) {
	p := d.m.Pallet(pallet)
	if p == nil || p.Constant(name) == nil {
		return v, false
	}
	v, _, err := d.view.Constant(pallet + "." + name)
	return v, err == nil // a type that cannot be decoded is a figure to find
}

// stored reads an item of storage, if the runtime has it.
func (d *drafting) stored(ctx context.Context, pallet, item string) (v jsonscan.Value, known bool, err error) {
	p := d.m.Pallet(pallet)
	if p == nil || p.Entry(item) == nil {
		return v, false, nil
	}
	answer, err := d.view.Query(ctx, pallet+"."+item, nil)
	var refused *rpc.RPCError
	if errors.Is(err, chain.ErrUnsupported) || errors.As(err, &refused) { // a figure to find
		return v, false, nil
	}
	return answer.Member("value"), err == nil, err
}

var (
	notInNames   = regexp.MustCompile(`[^a-z0-9-]+`)
	notInSymbols = regexp.MustCompile(`[^A-Za-z0-9]+`)
)

// identity reads the names of chain and token, and block 0's hash.
func (d *drafting) identity(ctx context.Context) error {
	t := &d.Table
	if v, known := d.m.RuntimeVersion(); known {
		t.SpecName, t.LastRuntime = v.SpecName, v.SpecVersion
	} else {
		version, _, err := d.view.Version(ctx)
		if err != nil {
			return err
		}
		t.LastRuntime = version
		d.find("spec_name", "the runtime's name for itself, in RuntimeVersion")
	}
	d.Read++
	name, err := d.node.Chain(ctx)
	if err != nil {
		return err
	}
	t.Name = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if len(t.Name) > 32 || t.Name == "" || t.Name[0] < 'a' {
		t.Name = "mine"
	}
	if t.SpecName == "" {
		t.Chain = name
	}
	token, err := state.TokenOf(ctx, d.node)
	if err != nil {
		return err
	}
	if t.Symbol = notInSymbols.ReplaceAllString(token.Symbol, ""); t.Symbol == "" {
		t.Symbol = "UNIT"
		d.find("symbol", "the token's symbol, which the node does not state")
	}
	if token.Symbol != "" && token.Decimals != 18 {
		d.decimals(token.Decimals)
	}
	hashes, err := d.node.Hashes(ctx, []uint64{0})
	if err != nil {
		return err
	}
	if hash, known := hashes[0].Get(); known {
		t.Genesis = &hash
		d.source("genesis", "the node's hash of block 0")
	}
	if v, known := d.constant("Timestamp", "MinimumPeriod"); known {
		if period, err := jsonread.Uint64(v); err == nil && period == 0 {
			from := t.LastRuntime
			t.EqualTimesFrom = &from
			d.source("equal_times_from", "constant timestamp.minimumPeriod, of this runtime; earlier ones may have it too")
		}
	}
	if !d.has("Balances", "Withdraw") {
		d.find("first_withdraw_event", "the first runtime with the event balances.Withdraw, later than this one")
	}
	if !d.has("TransactionPayment", "TransactionFeePaid") {
		d.find("first_fee_event", "the first runtime with the event transactionPayment.TransactionFeePaid, later than this one")
	}
	return nil
}

// decimals takes the decimals that the node states. They say nothing about the EVM's unit.
func (d *drafting) decimals(decimals int) {
	if decimals > 18 {
		d.find("decimals", fmt.Sprintf("the token's decimals, at most 18; the node states %d", decimals))
		return
	}
	d.Table.Decimals = uint8(decimals)
	d.source("decimals", "system_properties")
	if d.evm != rule.Frontier {
		return // pallet revive states it, and a chain without an EVM has none
	}
	d.find("evm_unit", "how many of the EVM's wei are one of the token's smallest units, 10^9 on a chain with 9 decimals whose EVM has 18: the currency adapter of pallet evm in the runtime's source; leave it out if 1")
}

// accounts reads the size of accounts, and their prefix. How an address of the EVM becomes one of 32 bytes is in the
// source only.
func (d *drafting) accounts(context.Context) error {
	if d.Table.AccountMapping = d.accountMapping(); d.Table.AccountMapping != network.SameAccount {
		switch d.evm {
		case rule.Revive:
			d.source("account_mapping", "accounts of 32 bytes in the metadata, and pallet revive")
		case rule.NoEVM:
			d.source("account_mapping", "accounts of 32 bytes in the metadata; without an EVM, only their size counts")
		default:
			d.source("account_mapping", "accounts of 32 bytes in the metadata")
			d.find("account_mapping", "AddressMapping of pallet evm in the runtime's source: hashed if it is HashedAddressMapping, claimed if accounts can claim addresses")
		}
		v, known := d.constant("System", "SS58Prefix")
		if prefix, err := jsonread.Uint64(v); known && err == nil && prefix <= chain.MaxSS58Prefix {
			own := uint16(prefix)
			d.Table.SS58Prefix = &own
			d.source("ss58_prefix", "constant system.ss58Prefix")
		}
	}
	return nil
}

// has reports whether a pallet has an event.
func (d *drafting) has(pallet, event string) bool {
	list, err := d.view.Events(pallet)
	if err != nil {
		return false
	}
	for _, e := range list {
		if strings.EqualFold(e.Name, pallet+"."+event) {
			return true
		}
	}
	return false
}

// chainIDs reads the IDs of EIP-155 and of the relay chain.
func (d *drafting) chainIDs(ctx context.Context) error {
	for _, pallet := range []string{"EVMChainId", "EthereumChainId"} {
		v, known, err := d.stored(ctx, pallet, "ChainId")
		if err != nil {
			return err
		}
		if id, err := jsonread.Uint64(v); known && err == nil {
			d.Table.EVMChainID = id
			d.source("evm_chain_id", "storage of the pallet "+pallet)
		}
	}
	if id, known := d.number("ChainId"); known && d.evm == rule.Revive {
		d.Table.EVMChainID = id
		d.source("evm_chain_id", "constant revive.chainId")
	}
	if d.Table.EVMChainID == 0 && d.evm != rule.NoEVM {
		d.find("evm_chain_id", "the chain ID of signed EVM transactions")
	}
	v, known, err := d.stored(ctx, "ParachainInfo", "ParachainId")
	if err != nil {
		return err
	}
	if id, err := jsonread.Uint64(v); known && err == nil && id < 1<<32 {
		d.Table.Parachain = uint32(id)
		d.source("parachain", "storage of the pallet ParachainInfo")
	}
	return nil
}
