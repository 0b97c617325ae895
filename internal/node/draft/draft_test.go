package draft_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/draft"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/realmetadata"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/internal/test/rpcserver"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// nodeOf is a node of a chain with a runtime's metadata and an empty state.
func nodeOf(t *testing.T, metadata []byte, more map[string]rpcserver.Method) *rpc.Client {
	t.Helper()
	text := func(s string) rpcserver.Method {
		return func([]json.RawMessage) ([]byte, error) { return []byte(s), nil }
	}
	hash := func(n int) string { return fmt.Sprintf("0x%064x", n) }
	methods := map[string]rpcserver.Method{
		"chain_getFinalizedHead":  text(`"0xe30ea09aef1df156ebdf8bd283549aa6851d77913213f5a9b5b90ae8c631acee"`), // the hash of the header
		"chain_getHeader":         text(`{"parentHash":"` + hash(999) + `","number":"0x3e8","stateRoot":"` + hash(1) + `","extrinsicsRoot":"` + hash(2) + `","digest":{"logs":[]}}`),
		"chain_getBlockHash":      text(`["` + hash(0) + `"]`),
		"state_getMetadata":       text(`"0x` + hex.EncodeToString(metadata) + `"`),
		"state_getRuntimeVersion": text(`{"specName":"other","specVersion":77,"transactionVersion":1}`),
		"system_chain":            text(`"Some Chain 2"`),
		"system_properties":       text(`{"tokenSymbol":["SOME"],"tokenDecimals":[18]}`),
		"state_queryStorageAt": func([]json.RawMessage) ([]byte, error) {
			return nil, &rpcserver.Error{Code: 4003, Message: "no state"}
		},
	}
	for name, method := range more {
		methods[name] = method
	}
	server := httptest.NewServer(&rpcserver.Server{Methods: methods})
	t.Cleanup(server.Close)
	c, err := rpc.New(server.URL, httpclient.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// For real runtimes, a draft has the limits and the fees that another program read from their metadata, and is not
// accepted as a table until its list is empty.
func TestDraftsOfRealMetadata(t *testing.T) {
	facts, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "facts", "constants.md"))
	if err != nil {
		require.Empty(t, os.Getenv("FEES_REQUIRE_SHARED"))
		t.Skip("needs ../shared/facts/constants.md")
	}
	rows := map[string]string{} // by network and runtime
	for line := range strings.Lines(string(facts)) {
		cells := strings.Split(line, "|")
		if len(cells) < 8 {
			continue
		}
		for _, runtime := range regexp.MustCompile(`[0-9]+`).FindAllString(cells[2], -1) {
			rows[strings.TrimSpace(cells[1])+"-"+runtime] = line
		}
	}
	drafted, compared := 0, 0
	realmetadata.Each(t, func(name string, metadata []byte) {
		d, err := draft.OfNode(t.Context(), nodeOf(t, metadata, nil))
		if strings.Contains(fmt.Sprint(err), "no types") || metadata[4] < 14 {
			return // of version 13
		}
		require.NoError(t, err, name)
		drafted++
		text, err := jsontext.Indented(map[string]any{"networks": []network.Network{d.Table}}, "")
		require.NoError(t, err)
		_, err = network.BuiltIn().With("draft.json", text)
		require.ErrorContains(t, err, "is a draft that lacks", name)
		line, known := rows[regexp.MustCompile(`^[a-z]+-[0-9]+`).FindString(name)]
		if !known {
			return
		}
		compared++
		cells := strings.Split(line, "|")
		number := func(cell, form string) string {
			found := regexp.MustCompile(form).FindStringSubmatch(cell)
			require.NotNil(t, found, "%s: %s", name, cell)
			return found[1]
		}
		fee, update := d.Table.NativeFees[0], d.Table.MultiplierUpdates[0]
		require.Equal(t, number(cells[4], `^ \(+([0-9]+)`), fee.BaseWeight.String(), name)
		require.Equal(t, number(cells[5], `([0-9]+)`), update.MaxRefTime.String(), name)
		if strings.Contains(cells[5], "(") {
			require.Equal(t, number(cells[5], `, ([0-9]+)`), strconv.FormatUint(update.MaxProofSize, 10), name)
		}
		require.EqualValues(t, 750_000, update.NormalClass, name) // 375/500 and 1500/2000
		for key, have := range map[string]string{
			`'WeightToFee': \[\(([0-9]+), 0, 0, 1\)`: fee.WeightFee.String(), `'TransactionByteFee': \[([0-9]+)`: fee.LengthFee.Linear.String(),
			`'LengthToFee': \[\(([0-9]+), 0, 0, 1\)`: fee.LengthFee.Linear.String(), `'LengthToFee': .*\(([0-9]+), 0, 0, 3\)`: fee.LengthFee.Cubic.String(),
		} {
			if found := regexp.MustCompile(key).FindStringSubmatch(cells[7]); found != nil {
				require.Equal(t, found[1], have, "%s: %s", name, key)
			}
		}
	})
	t.Log(drafted, "drafts,", compared, "compared")
	require.Greater(t, compared, 60)
}

// A draft takes what storage states, and hints at what it measured. Completed, it prices blocks by rules that are not
// certain until the table is no longer unverified.
func TestDraftOfANode(t *testing.T) {
	stored := map[string]string{
		"0d715f2646c8f85767b5d2764bb2782604a74d81251e398fd8a0a4d55023bb3f": "0xd4070000",                         // ParachainInfo ParachainId, 2004
		"31f6b0f0044010d5ceda9252276a822ed8b4519d4aceb8073dbaffde1eef0d79": "0x0405000000000000",                 // EthereumChainId ChainId, 1284
		"3f1467a096bcd71a5b6a0c8155e208103f2edf3bdf381debe331ab7446addfdc": "0x000064a7b3b6e00d0000000000000000", // TransactionPayment NextFeeMultiplier, 1
	}
	node := nodeOf(t, realmetadata.Named(t, "moonbeam-2501-dcompoze-14ea8e0"), map[string]rpcserver.Method{
		"state_queryStorageAt": func(params []json.RawMessage) ([]byte, error) {
			var keys []string
			require.NoError(t, json.Unmarshal(params[0], &keys))
			value := "null"
			if text, ok := stored[keys[0][2:]]; ok {
				value = `"` + text + `"`
			}
			return fmt.Appendf(nil, `[{"block":%s,"changes":[["%s",%s]]}]`, params[1], keys[0], value), nil
		},
		"eth_feeHistory": func([]json.RawMessage) ([]byte, error) {
			return []byte(`{"oldestBlock":"0x3e8","baseFeePerGas":["0x1d1a94a2000","0x1d1a94a2000"],"gasUsedRatio":[0.5]}`), nil
		},
		"eth_getBlockByNumber": func([]json.RawMessage) ([]byte, error) { return []byte(`{"gasLimit":"0xe4e1c0"}`), nil },
	})
	d, err := draft.OfNode(t.Context(), node)
	require.NoError(t, err)
	n := d.Table
	require.Equal(t, "some-chain-2", n.Name)
	require.Equal(t, "moonbeam", n.SpecName)
	require.Equal(t, "SOME", n.Symbol)
	require.EqualValues(t, 2501, n.LastRuntime)
	require.EqualValues(t, 1284, n.EVMChainID)
	require.EqualValues(t, 2004, n.Parachain)
	require.Equal(t, "0x6d6f646C70792f74727372790000000000000000", n.Treasury.String()) // "modl", "py/trsry"
	require.Equal(t, "0", n.ExistentialDeposits[0].Deposit.String())
	list := strings.Join(n.ToFind, "\n")
	require.Contains(t, list, "The node's base fee is 2000000000000 wei. The multiplier is 1000000000000000000;")
	require.Contains(t, list, "The limit of class Normal, divided by a block's gas limit, is 25000") // 375,000,000,000 / 15,000,000
	require.NotContains(t, list, "evm_chain_id")

	price, err := chain.ParseGasPrice("125000000000")
	require.NoError(t, err)
	n.ToFind, n.Rows[0].StaticBaseFee, n.MultiplierUpdates, n.NativeFees = nil, &price, nil, nil
	text, err := jsontext.Indented(map[string]any{"networks": []network.Network{n}}, "")
	require.NoError(t, err)
	tables, err := network.BuiltIn().With("mine.json", text)
	require.NoError(t, err)
	mine, _ := tables.Named("some-chain-2")
	rules, err := mine.Rules(2501)
	require.NoError(t, err)
	require.False(t, rules.Certain)
	require.Equal(t, "some-chain-2/2501?", rules.Name)
	require.Contains(t, rules.Notes, "unverified: the table of some-chain-2 in mine.json was not compared with the chain's blocks; drafted from a node's answers at block 1000")
	mine.Unverified = ""
	rules, err = mine.Rules(2501)
	require.NoError(t, err)
	require.True(t, rules.Certain)
}

// The rule of a base fee that follows the multiplier is in the source only. The metadata are real ones, with the pallet's
// name changed: no recorded runtime has that pallet.
func TestDraftOfADynamicBaseFee(t *testing.T) {
	text, err := os.ReadFile(pairs.Path(t, "creditcoin3-87", "node", "metadata.hex"))
	require.NoError(t, err)
	recorded, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(string(text)), "0x"))
	require.NoError(t, err)
	const name, other = "\x1cBaseFee", "\x44DynamicEvmBaseFee" // with their compact lengths
	require.Contains(t, string(recorded), name)
	d, err := draft.OfNode(t.Context(), nodeOf(t, []byte(strings.ReplaceAll(string(recorded), name, other)), nil))
	require.NoError(t, err)
	require.Equal(t, "DynamicEvmBaseFee.BaseFeePerGas", d.Table.Rows[0].BaseFeeStored.Name())
	require.Empty(t, d.Table.BaseFeeUpdates)
	list := strings.Join(d.Table.ToFind, "\n")
	require.Contains(t, list, "base_fee_updates[0]: weight_factor, step, minimum and maximum: WeightFactor, StepLimitRatio")
	require.NotContains(t, list, "base_fee_updates[0].minimum")
}

// A draft of a real chain with accounts of 32 bytes, from its node, has the figures that its verified table has.
func TestDraftsOfChainsWith32Bytes(t *testing.T) {
	for name, c := range map[string]struct {
		table    string
		decimals uint8
	}{"creditcoin3-87": {"creditcoin", 0}, "bittensor-218": {"bittensor", 9}} {
		server := httptest.NewServer(nodetest.OpenPair(t, name))
		defer server.Close()
		node, err := rpc.New(server.URL, httpclient.Options{})
		require.NoError(t, err)
		defer node.Close()
		d, err := draft.OfNode(t.Context(), node)
		require.NoError(t, err, name)
		text, err := os.ReadFile(repository.Path("network", "tables", c.table+".json"))
		require.NoError(t, err)
		var verified struct{ Networks []network.Network }
		require.NoError(t, json.Unmarshal(text, &verified))
		want, have := verified.Networks[0], d.Table
		require.Equal(t, want.SpecName, have.SpecName)
		require.Equal(t, want.LastRuntime, have.LastRuntime)
		require.Equal(t, want.AccountMapping, have.AccountMapping)
		require.NotNil(t, have.SS58Prefix)
		require.EqualValues(t, 42, *have.SS58Prefix, "the prefix of the accounts in sent.json")
		require.Equal(t, want.Rows[0].BaseFeeStored, have.Rows[0].BaseFeeStored)
		require.Equal(t, want.NativeFees[0].BaseWeight, have.NativeFees[0].BaseWeight)
		require.Equal(t, want.BaseFeeUpdates[0].Elasticity, have.BaseFeeUpdates[0].Elasticity)
		require.Equal(t, want.BaseFeeUpdates[0].MaxRefTime, have.BaseFeeUpdates[0].MaxRefTime)
		require.Equal(t, c.decimals, have.Decimals)
		list := strings.Join(have.ToFind, "\n")
		require.Contains(t, list, "account_mapping: ")
		require.Equal(t, c.decimals > 0, strings.Contains(list, "evm_unit: "))
		t.Logf("%s: %d figures read, %d to find", name, d.Read, len(have.ToFind))
	}
}

// A draft of a chain with pallet revive has the figures of its verified table, and asks for none of a pallet that the
// runtime lacks.
func TestDraftsOfPalletRevive(t *testing.T) {
	for name, c := range map[string]struct {
		table  []string
		scaled bool
		pot    bool
	}{
		"passet-1019002":   {[]string{"network", "tables", "passet-hub.json"}, false, true},
		"stack-template-3": {[]string{"testdata", "networks", "stack-template-3.json"}, true, true},
	} {
		d, err := draft.OfNode(t.Context(), nodeOf(t, sharedMetadata(t, name), nil))
		require.NoError(t, err, name)
		text, err := os.ReadFile(repository.Path(c.table...))
		require.NoError(t, err)
		var verified struct{ Networks []network.Network }
		require.NoError(t, json.Unmarshal(text, &verified))
		want, have := verified.Networks[0], d.Table
		require.Equal(t, want.SpecName, have.SpecName)
		require.Equal(t, want.LastRuntime, have.LastRuntime)
		require.Equal(t, network.PaddedAccount, have.AccountMapping)
		require.Equal(t, want.SS58Prefix, have.SS58Prefix)
		require.Equal(t, want.EVMChainID, have.EVMChainID)
		require.Equal(t, want.EVMUnit, have.EVMUnit)
		require.Equal(t, want.EqualTimesFrom != nil, have.EqualTimesFrom != nil)
		row := have.Rows[0]
		require.Equal(t, rule.Revive, row.EVM)
		require.Equal(t, want.Rows[0].BaseFeeConstant, row.BaseFeeConstant)
		require.Equal(t, want.Rows[0].GasScale, row.GasScale)
		require.Equal(t, c.scaled, row.GasScale > 1)
		fee, update := have.NativeFees[0], have.MultiplierUpdates[0]
		require.Equal(t, want.NativeFees[0].BaseWeight, fee.BaseWeight)
		require.Equal(t, want.NativeFees[0].OperationalBaseWeight, fee.OperationalBaseWeight)
		require.True(t, fee.WeightIncludesBase && fee.Reclaims)
		require.Equal(t, want.MultiplierUpdates[0].MaxRefTime, update.MaxRefTime)
		require.Equal(t, want.MultiplierUpdates[0].MaxProofSize, update.MaxProofSize)
		require.EqualValues(t, 750_000, update.NormalClass)
		require.Equal(t, want.ExistentialDeposits[0].Deposit, have.ExistentialDeposits[0].Deposit)
		if c.pot {
			require.Equal(t, "staking pot", have.TreasuryName)
			require.Equal(t, "0x6d6f646c506f745374616b65"+strings.Repeat("00", 20), fmt.Sprintf("0x%x", have.Treasury.Bytes()))
		}
		list := strings.Join(have.ToFind, "\n")
		for _, absent := range []string{"pallet evm", "pallets evm", "weight_per_gas", "account_mapping", "evm_unit", "evm_chain_id"} {
			require.NotContains(t, list, absent, name)
		}
		require.Contains(t, list, "native_fees[0].proof_size_fee: ref_time_fee × 2000000000000 / 10485760 (limits of a block), rounded down")

		// Completed by what it asks for, it is a table.
		minimum := chain.NewMultiplier(100_000_000_000_000_000)
		have.ToFind, have.Rows[0].MinMultiplier, have.MultiplierUpdates = nil, &minimum, nil
		have.NativeFees[0].RefTimeFee, have.NativeFees[0].ProofSizeFee = want.NativeFees[0].RefTimeFee, want.NativeFees[0].ProofSizeFee
		have.NativeFees[0].LengthFee = want.NativeFees[0].LengthFee
		text, err = jsontext.Indented(map[string]any{"networks": []network.Network{have}}, "")
		require.NoError(t, err)
		_, err = network.BuiltIn().With("mine.json", text)
		require.NoError(t, err)
	}
}

// sharedMetadata returns the metadata of a recorded chain.
func sharedMetadata(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(repository.Shared(t, "pairs", name, "node", "metadata.hex"))
	require.NoError(t, err)
	recorded, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(string(text)), "0x"))
	require.NoError(t, err)
	return recorded
}

// A chain without an EVM is asked for nothing of one, whatever the size of its accounts; a pallet revive without its
// Ethereum call, or of the version with a fixed price, is not the one that the rules know. The metadata are real ones, with
// one name changed to another of the same length.
func TestDraftsWithoutAnEVM(t *testing.T) {
	instead := func(metadata []byte, old, other string) []byte {
		require.Len(t, other, len(old))
		require.Contains(t, string(metadata), old)
		return []byte(strings.ReplaceAll(string(metadata), old, other))
	}
	moonbeam, stack := realmetadata.Named(t, "moonbeam-2501-dcompoze-14ea8e0"), sharedMetadata(t, "stack-template-3")
	for name, c := range map[string]struct {
		metadata []byte
		evm      rule.EVM
		mapping  network.AccountMapping
		asks     string
	}{
		"no pallet ethereum":      {instead(moonbeam, "\x20Ethereum", "\x20Etherium"), rule.NoEVM, network.SameAccount, ""},
		"no pallet revive":        {instead(stack, "\x18Revive", "\x18Revise"), rule.NoEVM, network.HashedAccount, ""},
		"no Ethereum transaction": {instead(stack, "\x30eth_transact", "\x30eth_transakt"), rule.NoEVM, network.HashedAccount, ""},
		"a fixed price":           {instead(stack, "MaxEthExtrinsicWeight", "MaxEthExtrinsicWeighs"), rule.Revive, network.PaddedAccount, "rows[0].static_base_fee: GAS_PRICE of pallet revive"},
		"no ratio":                {instead(stack, "@NativeToEthRatio", "@NativeToEthRatia"), rule.Revive, network.PaddedAccount, "rows[0].base_fee_constant: NativeToEthRatio"},
	} {
		d, err := draft.OfNode(t.Context(), nodeOf(t, c.metadata, nil))
		require.NoError(t, err, name)
		n := d.Table
		require.Equal(t, c.evm, n.Rows[0].EVM, name)
		require.Equal(t, c.mapping, n.AccountMapping, name)
		list := strings.Join(n.ToFind, "\n")
		for _, absent := range []string{"pallet evm", "pallets evm", "weight_per_gas", "account_mapping", "evm_chain_id"} {
			require.NotContains(t, list, absent, name)
		}
		if c.asks != "" {
			require.Contains(t, list, c.asks)
			continue
		}
		require.NotContains(t, list, "rows[0]", name)
		require.NotEmpty(t, n.MultiplierUpdates[0].MaxRefTime, name)
		n.ToFind, n.MultiplierUpdates, n.NativeFees = nil, nil, nil
		text, err := jsontext.Indented(map[string]any{"networks": []network.Network{n}}, "")
		require.NoError(t, err)
		_, err = network.BuiltIn().With("mine.json", text)
		require.NoError(t, err, name)
	}
}

// A relay chain has no EVM, and its blocks no limit of proof size: the draft asks for nothing of an EVM, and only the ref
// time counts. The metadata are a real parachain's, without its pallet revive and with that limit.
func TestDraftOfARelayChain(t *testing.T) {
	parachain := sharedMetadata(t, "stack-template-3")
	m, err := metadata.Parse(parachain)
	require.NoError(t, err)
	weights := m.Pallet("System").Constant("BlockWeights").Value
	encoded := func(weights []byte) string {
		return string(scale.AppendCompact(nil, uint64(len(weights)))) + string(weights)
	}
	limit := scale.AppendCompact(scale.AppendCompact(nil, 2_000_000_000_000), 10_485_760)
	none := scale.AppendCompact(scale.AppendCompact(nil, 2_000_000_000_000), math.MaxUint64)
	require.True(t, bytes.Contains(weights, limit))
	relay := strings.Replace(string(parachain), encoded(weights), encoded(bytes.Replace(weights, limit, none, 1)), 1)
	d, err := draft.OfNode(t.Context(), nodeOf(t, []byte(strings.ReplaceAll(relay, "\x18Revive", "\x18Revise")), nil))
	require.NoError(t, err)
	n := d.Table
	require.Equal(t, []rule.PriceRow{{FromRuntime: 3, EVM: rule.NoEVM, Source: "metadata: no pallet runs Ethereum transactions"}}, n.Rows)
	require.Equal(t, "2000000000000", n.MultiplierUpdates[0].MaxRefTime.String())
	require.Zero(t, n.MultiplierUpdates[0].MaxProofSize)
	require.Equal(t, "125000000", n.NativeFees[0].BaseWeight.String())
	require.Equal(t, "1000000000", n.ExistentialDeposits[0].Deposit.String())
	require.Len(t, n.ToFind, 4)
	for _, asked := range n.ToFind {
		require.Regexp(t, "^(destinations|multiplier_updates|native_fees.*): .*pallet transaction-payment", asked)
	}
}
