package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// alithHashed is BLAKE2b-256 of "evm:" and the 20 bytes of alith, by Python's hashlib.
const alithHashed = "0xa02a00e549cb104f710d3fe6f2f83e91524d2a40c4ed831658a120883077f9a9"

func hashedAlith(t *testing.T) chain.Address {
	t.Helper()
	a, err := chain.ParseAccount(alithHashed)
	require.NoError(t, err)
	return a
}

// mapping is a table of networks by name, with their account mappings.
func mapping(t *testing.T, networks ...[2]string) network.Tables {
	t.Helper()
	var list []string
	for _, n := range networks {
		list = append(list, fmt.Sprintf(`{"name": %q, "symbol": "X", "last_runtime": 4500, %s "first_withdraw_event": 1201, "first_fee_event": 1801,
			"rows": [{"from_runtime": 900, "static_base_fee": "1", "source": "a test"}]}`, n[0], n[1]))
	}
	tables, err := app.ReadTables(write(t, "mine.json", `{"networks": [`+strings.Join(list, ",")+`]}`))
	require.NoError(t, err)
	return tables
}

// An EVM address means the account that pays for it, as far as a user's file names one mapping.
func TestNativesOf(t *testing.T) {
	evm, native := address(t, alith), hashedAlith(t)
	const hashed = `"account_mapping": "hashed",`
	list := func(a ...chain.Address) []chain.Address { return a }
	for name, c := range map[string]struct {
		tables         network.Tables
		accounts, want []chain.Address
		fails          string
	}{
		"no file":                 {network.BuiltIn(), list(evm, native), list(evm, native), ""},
		"no accounts":             {mapping(t, [2]string{"a", hashed}), nil, nil, ""},
		"hashed":                  {mapping(t, [2]string{"a", hashed}), list(evm), list(native), ""},
		"each once":               {mapping(t, [2]string{"a", hashed}), list(native, evm, evm), list(native), ""},
		"two networks, one size":  {mapping(t, [2]string{"a", hashed}, [2]string{"b", hashed}), list(evm), list(native), ""},
		"accounts of 20 bytes":    {mapping(t, [2]string{"a", ""}), list(evm), list(evm), ""},
		"two sizes":               {mapping(t, [2]string{"a", hashed}, [2]string{"b", ""}), list(native, evm), nil, evm.String() + ": the chains in network-file have accounts of different sizes"},
		"two sizes, a native one": {mapping(t, [2]string{"a", hashed}, [2]string{"b", ""}), list(native), list(native), ""},
	} {
		t.Run(name, func(t *testing.T) {
			have, err := app.NativesOf(c.tables, c.accounts)
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				require.Equal(t, []app.Field{app.FieldAccounts, app.FieldNetworkFile}, fieldsOf(t, err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, have)
		})
	}
}

// An examination asks for the balance of the account that pays for an EVM address.
func TestExamineMapsAccounts(t *testing.T) {
	asked := map[chain.Address]int{}
	src := withBalances(t)
	src.balance = func(a chain.Address, _ uint64) (none chain.Balance, err error) {
		asked[a]++
		return none, nil
	}
	read := func(s source.Source, n string) *source.Reader {
		return &source.Reader{Source: s, Tables: mapping(t, [2]string{n, `"account_mapping": "hashed",`})}
	}
	e := app.Examination{Reader: read(src, "moonbeam"), Accounts: []chain.Address{address(t, alith)}}
	summary, _, err := examined(t, spanOf(20, 21), e)
	require.NoError(t, err)
	require.Equal(t, 2, summary.Blocks)
	require.Equal(t, map[chain.Address]int{hashedAlith(t): 3}, asked, "before, and after each block")

	clear(asked)
	e.Reader = read(src, "elsewhere")
	e.Reader.Tables = mapping(t, [2]string{"elsewhere", `"account_mapping": "hashed",`}, [2]string{"moonbeam", ""})
	_, _, err = examined(t, spanOf(20, 20), e)
	require.NoError(t, err)
	require.Equal(t, map[chain.Address]int{address(t, alith): 2}, asked, "the mapping of another network is not used")

	src.block = func(*chain.Block) error { return errAway }
	e.Reader = read(src, "moonbeam")
	summary, _, err = examined(t, spanOf(20, 21), e)
	require.ErrorIs(t, err, errAway)
	require.Zero(t, summary.Blocks)
}

// An EVM address and the account that pays for it are one account of a ledger, with its text in the chain's own form.
func TestAccountOfAnEVMAddress(t *testing.T) {
	place := file(t)
	reader := demo(t)
	reader.Tables = mapping(t, [2]string{"moonbeam", `"account_mapping": "hashed", "ss58_prefix": 5,`})
	_, err := app.Sync(t.Context(), place, blocks(t, "0..3"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	d, err := app.Open(t.Context(), place, reader.Tables)
	require.NoError(t, err)
	defer d.Close()
	byEVM, err := d.Account(t.Context(), app.AccountRequest{Account: address(t, alith)})
	require.NoError(t, err)
	require.Equal(t, hashedAlith(t), byEVM.Account)
	require.Equal(t, chain.Some(address(t, alith)), byEVM.EVM)
	require.Equal(t, hashedAlith(t).SS58(5), byEVM.Token.Account(byEVM.Account))

	native, err := d.Account(t.Context(), app.AccountRequest{Account: hashedAlith(t)})
	require.NoError(t, err)
	require.False(t, native.EVM.Known(), "the question did not name it")
	byEVM.EVM = native.EVM
	require.Equal(t, native, byEVM)
}
