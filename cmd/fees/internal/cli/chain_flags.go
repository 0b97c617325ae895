package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/network"
)

// ChainFlags state the facts of the chain that a transaction is for, where no table has them.
type ChainFlags struct {
	network, networkFile, genesis, symbol string
	evmChainID                            uint64
	decimals                              uint8
}

// Add adds the flags.
func (f *ChainFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.network, "network", "", "the chain, by the name of its table (default: the table that the genesis hash or the EVM chain ID names)")
	c.Flags().StringVar(&f.networkFile, "network-file", "", "a file with network tables of your own")
	c.Flags().StringVar(&f.genesis, "genesis", "", "the genesis hash of your chain, if no table has it")
	c.Flags().Uint64Var(&f.evmChainID, "chain-id", 0, "the EVM chain ID of your chain, if no table has it")
	c.Flags().StringVar(&f.symbol, "symbol", "", "the symbol of your chain's token, if no table has it")
	c.Flags().Uint8Var(&f.decimals, "decimals", 0, "the decimals of your chain's token, if no table has them")
}

// maxDecimals is 10^36 of the smallest unit for a token, as much as nodes are believed to have.
const maxDecimals = 36

// Chain is what the flags state, and the tables that know the others.
func (f *ChainFlags) Chain(c *cobra.Command) (s app.ChainStatement, tables network.Tables, err error) {
	if tables, err = app.ReadTables(f.networkFile); err != nil {
		return s, tables, err
	}
	s.Network = f.network
	if f.genesis != "" {
		hash, err := chain.ParseHash(f.genesis)
		if err != nil {
			return s, tables, fmt.Errorf("--genesis: %w", err)
		}
		s.Genesis = chain.Some(hash)
	}
	if c.Flags().Changed("chain-id") {
		s.EVMChainID = chain.Some(f.evmChainID)
	}
	symbol, decimals := c.Flags().Changed("symbol"), c.Flags().Changed("decimals")
	switch {
	case symbol != decimals || symbol && f.symbol == "":
		return s, tables, errors.New("--symbol and --decimals belong together: give both")
	case f.decimals > maxDecimals:
		return s, tables, fmt.Errorf("--decimals %d: want at most %d", f.decimals, maxDecimals)
	case symbol:
		s.Token = chain.Some(extrinsic.Token{Symbol: f.symbol, Decimals: int(f.decimals)})
	}
	return s, tables, nil
}
