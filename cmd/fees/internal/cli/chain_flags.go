package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/network"
)

// ChainFlags describe the chain of a transaction if no network table does.
type ChainFlags struct {
	network, networkFile, genesis, symbol string
	evmChainID                            uint64
	decimals                              uint8
}

// Add adds the flags.
func (f *ChainFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.network, "network", "", "the name of the chain's table (default: found by genesis hash or EVM chain ID)")
	c.Flags().StringVar(&f.networkFile, "network-file", "", "a file with your own network tables")
	c.Flags().StringVar(&f.genesis, "genesis", "", "the chain's genesis hash, if no table has it")
	c.Flags().Uint64Var(&f.evmChainID, "chain-id", 0, "the chain's EVM chain ID, if no table has it")
	c.Flags().StringVar(&f.symbol, "symbol", "", "the symbol of the chain's token, if no table has it")
	c.Flags().Uint8Var(&f.decimals, "decimals", 0, "the decimals of the chain's token, if no table has them")
}

// maxDecimals limits the decimals that a node reports.
const maxDecimals = 36

// Chain returns the stated facts and the tables for all others.
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
		return s, tables, errors.New("--symbol and --decimals must be given together")
	case f.decimals > maxDecimals:
		return s, tables, fmt.Errorf("--decimals %d must be at most %d", f.decimals, maxDecimals)
	case symbol:
		s.Token = chain.Some(app.SignedToken{Symbol: f.symbol, Decimals: int(f.decimals)})
	}
	return s, tables, nil
}
