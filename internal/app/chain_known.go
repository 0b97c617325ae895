package app

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/network"
)

// ChainStatement contains facts about a chain that the user states, for chains without a table. A statement that
// contradicts a table is an error.
type ChainStatement struct {
	Network    string // the name of a table; "" finds it by genesis hash or EVM chain ID
	Genesis    chain.Optional[chain.Hash]
	EVMChainID chain.Optional[uint64]
	Token      chain.Optional[extrinsic.Token]
}

// SignedToken is the token in which the amounts of a transaction are shown before it is signed.
type SignedToken = extrinsic.Token

// KnownChain is a chain whose facts come from a table or from the user, never from a node or a draft.
type KnownChain struct {
	Name  string          // from the table, or ""
	Token extrinsic.Token // symbol "" if unknown: amounts are then in the smallest unit

	table *network.Network
}

// ofTable combines a table, which may be nil, with the user's statement.
func (s *ChainStatement) ofTable(table *network.Network) (*KnownChain, error) {
	c := &KnownChain{table: table}
	stated, given := s.Token.Get()
	switch {
	case table == nil:
		c.Token = stated
		return c, nil
	case given && stated != signedTokenOf(table):
		return nil, notUnderstood("The token of %s is %s with %d decimals, not %s with %d. Omit --symbol and --decimals.",
			table.Name, table.Symbol, table.Token().TokenDecimals(), stated.Symbol, stated.Decimals)
	}
	c.Name, c.Token = table.Name, signedTokenOf(table)
	return c, nil
}

func signedTokenOf(table *network.Network) extrinsic.Token {
	return extrinsic.Token{Symbol: table.Symbol, Decimals: table.Token().TokenDecimals()}
}

// named returns the table that the user names, nil if none is named.
func (s *ChainStatement) named(tables network.Tables) (*network.Network, error) {
	if s.Network == "" {
		return nil, nil
	}
	return tables.Choose(s.Network)
}

// ofGenesis finds the chain by the hash of block 0. If no table has the hash, the user can name one.
func (s *ChainStatement) ofGenesis(tables network.Tables, genesis chain.Hash) (*KnownChain, error) {
	if stated, given := s.Genesis.Get(); given && stated != genesis {
		return nil, notUnderstood("The genesis hash is %v, not %v as stated: this is another chain.", genesis, stated)
	}
	table := tables.OfGenesis(genesis)
	named, err := s.named(tables)
	if err != nil {
		return nil, err
	}
	switch {
	case named == nil || named == table:
	case table != nil:
		return nil, notUnderstood("The genesis hash %v belongs to %s, not to %s: this is another chain.", genesis, table.Name, named.Name)
	case named.Genesis != nil:
		return nil, notUnderstood("The genesis hash is %v, but that of %s is %v: this is another chain.", genesis, named.Name, *named.Genesis)
	default:
		table = named
	}
	return s.ofTable(table)
}

var errNoChainID = notUnderstood("An EVM transaction without a chain ID is valid on every chain (EIP-155). Build it again with \"fees tx build-evm --chain-id ID\".")

// ofEVMChain finds the chain by its EVM chain ID.
func (s *ChainStatement) ofEVMChain(tables network.Tables, id uint64) (*KnownChain, error) {
	if id == 0 {
		return nil, errNoChainID
	}
	stated, given := s.EVMChainID.Get()
	if given && stated != id {
		return nil, notUnderstood("The EVM chain ID is %d, not %d as stated: this is another chain.", id, stated)
	}
	table := tables.OfEVMChain(id)
	named, err := s.named(tables)
	if err != nil {
		return nil, err
	}
	switch {
	case named != nil && named.EVMChainID == 0 && table == nil:
		table = named
	case named != nil && named != table:
		return nil, notUnderstood("The EVM chain ID %d does not belong to %s: this is another chain.", id, named.Name)
	}
	if !given && (table == nil || table.EVMChainID == 0) {
		return nil, notUnderstood("No table has the EVM chain ID %d. If a source other than the node and the draft confirms it, add --chain-id %[1]d.", id)
	}
	return s.ofTable(table)
}

// ofNode identifies the chain of a node by the hash of its block 0.
func (s *ChainStatement) ofNode(ctx context.Context, node *rpc.Client, tables network.Tables) (*KnownChain, chain.Hash, error) {
	genesis, err := genesisOf(ctx, node)
	if err != nil {
		return nil, genesis, err
	}
	c, err := s.ofGenesis(tables, genesis)
	if err != nil {
		return nil, genesis, err
	}
	return c, genesis, c.checkToken(ctx, node)
}

// evmOfNode identifies the chain of a node by its EVM chain ID, which must belong to the same chain as its block 0.
func (s *ChainStatement) evmOfNode(ctx context.Context, node *rpc.Client, tables network.Tables) (*KnownChain, uint64, error) {
	genesis, err := genesisOf(ctx, node)
	if err != nil {
		return nil, 0, err
	}
	native, err := s.ofGenesis(tables, genesis)
	if err != nil {
		return nil, 0, err
	}
	id, err := node.EthChainID(ctx)
	if err != nil {
		return nil, 0, err
	}
	if n := native.table; n != nil && n.EVMChainID > 0 && n.EVMChainID != id {
		return nil, 0, notUnderstood("The node reports EVM chain ID %d, but that of %s is %d. Use a node of the right chain.", id, n.Name, n.EVMChainID)
	}
	c, err := s.ofEVMChain(tables, id)
	if err != nil {
		return nil, 0, err
	}
	copied := s.Genesis.Known() && s.EVMChainID.Known() // the user states both: a test fork, for example
	if n := c.table; n != nil && n != native.table && n.Genesis != nil && !copied {
		return nil, 0, notUnderstood("The node reports EVM chain ID %d (%s), but its block 0 is %v. Use a node of the right chain.", id, n.Name, genesis)
	}
	return c, id, c.checkToken(ctx, node)
}

func genesisOf(ctx context.Context, node *rpc.Client) (genesis chain.Hash, err error) {
	list, err := node.Hashes(ctx, []uint64{0})
	if err != nil {
		return genesis, err
	}
	genesis, known := list[0].Get()
	if !known {
		return genesis, fmt.Errorf("the node does not have block 0: %w", chain.ErrNoBlock)
	}
	return genesis, nil
}

// checkToken compares the chain's token with the token that the node reports, if it does.
func (c *KnownChain) checkToken(ctx context.Context, node *rpc.Client) error {
	said, err := state.TokenOf(ctx, node)
	if err != nil || c.Token.Symbol == "" || said.Symbol == "" || said == c.Token {
		return err
	}
	return notUnderstood("The node reports the token %s with %d decimals, but the chain's is %s with %d. Use a node of the right chain.",
		plain.Line(said.Symbol), said.Decimals, c.Token.Symbol, c.Token.Decimals)
}
