package app_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/test/devkeys"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/realmetadata"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/network"
)

// The genesis hashes as Polkadot's registry of chains has them.
const (
	moonbeamGenesis  = "0xfe58ea77779b7abda7da4ec526d14db9b1e9cd40a217c34892af80a9b332b76d"
	moonriverGenesis = "0x401a1f9dca3da46f5c4091016c8a2f26dcea05865116b286f60f668207d1474b"
)

func hashOf(t *testing.T, text string) chain.Hash {
	h, err := chain.ParseHash(text)
	require.NoError(t, err)
	return h
}

// moonbeam is the recorded node with Moonbeam's genesis hash: to the tables it is Moonbeam, of runtime 2600.
func moonbeam(t *testing.T) *sending {
	s := openSending(t)
	s.stated = app.ChainStatement{}
	var err error
	s.pool, err = s.node.OpenPool(hashOf(t, moonbeamGenesis), 1284)
	require.NoError(t, err)
	s.feeHistory(threeBlocks)
	s.node.SetHead(20)
	return s
}

func unpacked(t *testing.T, d *app.Draft) []byte {
	r, err := gzip.NewReader(bytes.NewReader(d.Native.Metadata))
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return text
}

func gzipped(t *testing.T, plain []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(plain)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// replaced changes strings in metadata, each for one of the same length, wherever they stand.
func replaced(t *testing.T, text []byte, changes ...string) []byte {
	for i := 0; i < len(changes); i += 2 {
		from, to := []byte(changes[i]), []byte(changes[i+1])
		require.Len(t, to, len(from))
		require.True(t, bytes.Contains(text, from), changes[i])
		text = bytes.ReplaceAll(text, from, to)
	}
	return text
}

// versioned changes the version of the runtime in the constant System.Version: the name, the implementation's name, and
// the authoring version stand before it.
func versioned(t *testing.T, text []byte, name string, from, to uint32) []byte {
	prefix := scale.AppendBlob(scale.AppendBlob(nil, []byte(name)), []byte(name))
	at := bytes.Index(text, prefix)
	require.Positive(t, at)
	at += len(prefix) + 4
	require.Equal(t, from, binary.LittleEndian.Uint32(text[at:]))
	text = bytes.Clone(text)
	binary.LittleEndian.PutUint32(text[at:], to)
	return text
}

// asked is a question that an attack changes.
type asked struct {
	app.SignRequest
	t *testing.T
}

func (a *asked) metadata(change func([]byte) []byte) {
	a.Draft.Native.Metadata = gzipped(a.t, change(unpacked(a.t, a.Draft)))
}

// TestNativeDraftsOfAttackers has drafts that somebody changed on their way to the signer. Each is refused, or shown as
// what it is: the case names what.
func TestNativeDraftsOfAttackers(t *testing.T) {
	s := moonbeam(t)
	build := func(call string, arguments ...string) *app.Draft {
		d, err := app.Build(t.Context(), app.BuildRequest{
			Node: s.client, Tables: network.BuiltIn(), Call: call, Arguments: arguments, Signer: address(t, alith), Tip: "0.01GLMR", Period: 64,
		})
		require.NoError(t, err)
		return d
	}
	honest := build("balances.transferKeepAlive", baltathar, "1.5GLMR")
	all := build("balances.transferAll", "0x00000000000000000000000000000000000000ff", "false")
	batch := build("utility.batch", `["`+honest.Native.CallData.String()+`"]`)
	older, err := os.ReadFile(pairs.Path(t, "moonbeam-2100", "node/metadata.hex"))
	require.NoError(t, err)
	of2100 := rawBytes(t, string(older))
	lying := func(text []byte) []byte { // balances.transferAll(dest, keepAlive) reads as evmNotes.remarkEvent(note, keepQuiet)
		return replaced(t, text, "\x20Balances", "\x20EvmNotes", "\x30transfer_all", "\x30remark_event", "\x10dest", "\x10note")
	}
	stranger := chain.Hash{0xbb}
	stated := func(a *asked) {
		a.Draft.Native.Genesis, a.Chain.Genesis = stranger, chain.Some(stranger)
	}
	renamed := func(from, to string) func(*asked) { // an extension, on the draft's word
		return func(a *asked) {
			a.metadata(func(b []byte) []byte { return replaced(t, b, from, to) })
			stated(a)
			a.TrustDraft = true
		}
	}
	birth, err := header.Read(honest.Native.BirthHeader)
	require.NoError(t, err)
	another := func(number uint64) []byte {
		h := birth
		h.Number = number
		return h.Encode()
	}

	pallet := func(p *app.Prepared) string {
		pallet, name := extrinsic.CallName(p.Native.Call)
		return pallet + "." + name
	}
	type show = func(*app.Prepared) any
	for name, c := range map[string]struct {
		change func(*asked)
		says   string // the error, or
		shows  show   // what the signer sees, which is
		want   any
	}{
		"nothing is changed":      {func(*asked) {}, "", func(p *app.Prepared) any { return [3]any{pallet(p), p.Chain.Name, p.Native.Metadata} }, [3]any{"balances.transferKeepAlive", "moonbeam", app.PinnedMetadata}},
		"the amount of the draft": {func(*asked) {}, "", func(p *app.Prepared) any { b, _ := p.Native.Balances(); return b }, []extrinsic.Balance{{Path: "value", Amount: wei(t, "1500000000000000000")}}},

		// The metadata.
		"strings in the metadata":                                {func(a *asked) { a.Draft = cloned(all); a.metadata(lying) }, "The metadata are not those of moonbeam 2600", nil, nil},
		"strings in the metadata, for a chain that no table has": {func(a *asked) { a.Draft = cloned(all); a.metadata(lying); stated(a) }, "Nothing confirms the draft's metadata", nil, nil},
		"strings in the metadata, on the draft's word": {func(a *asked) {
			a.Draft = cloned(all)
			a.metadata(lying)
			stated(a)
			a.TrustDraft = true
		}, "", func(p *app.Prepared) any { return [2]any{pallet(p), p.Native.Metadata} }, [2]any{"evmNotes.remarkEvent", app.UnverifiedMetadata}},
		"strings in the metadata, on the draft's word, for a chain with pins": {func(a *asked) { a.Draft = cloned(all); a.metadata(lying); a.TrustDraft = true }, "The metadata are not those of moonbeam 2600", nil, nil},
		"strings in the metadata of a file":                                   {func(a *asked) { a.Metadata = lying(unpacked(t, a.Draft)) }, "The metadata are not those of moonbeam 2600", nil, nil},
		"one byte of the metadata":                                            {func(a *asked) { a.metadata(func(b []byte) []byte { b[len(b)/2] ^= 1; return b }) }, "etadata", nil, nil},
		"metadata of another runtime":                                         {func(a *asked) { a.metadata(func([]byte) []byte { return of2100 }) }, "The metadata are for runtime 2100, but the draft is for 2600", nil, nil},
		"metadata of another runtime, and its version": {func(a *asked) {
			a.metadata(func([]byte) []byte { return of2100 })
			a.Draft.Native.SpecVersion = 2100
		}, "", func(p *app.Prepared) any { return [2]any{p.Native.SpecVersion, p.Native.Metadata} }, [2]any{uint32(2100), app.PinnedMetadata}},
		"metadata of another runtime in a file": {func(a *asked) { a.Metadata = of2100 }, "The metadata are for runtime 2100, but the draft is for 2600", nil, nil},
		"metadata that claim a runtime without a pin": {func(a *asked) {
			a.metadata(func(b []byte) []byte { return versioned(t, b, "moonbeam", 2600, 2601) })
			a.Draft.Native.SpecVersion = 2601
		}, "Nothing confirms the draft's metadata", nil, nil},
		"metadata that claim another chain": {func(a *asked) {
			a.metadata(func(b []byte) []byte { return replaced(t, b, "\x20moonbeam", "\x20moonbase") })
		}, "to another chain than moonbeam", nil, nil},
		"metadata without the genesis":                {renamed("CheckGenesis", "CheckNothing"), "the runtime requires the unsupported extension CheckNothing of type H256 in extrinsics", nil, nil},
		"metadata without the nonce":                  {renamed("CheckNonce", "CheckOther"), "the runtime requires the unsupported extension CheckOther of type CheckOther in extrinsics", nil, nil},
		"metadata whose genesis is another extension": {renamed("\x30CheckGenesis", "\x30CheckSpecVer"), "the runtime requires the unsupported extension CheckSpecVer of type H256 in extrinsics", nil, nil},
		"metadata that name no runtime": {func(a *asked) {
			a.metadata(func(b []byte) []byte { return replaced(t, b, "\x1cVersion", "\x1cVersiox") })
			stated(a)
		}, "lack the runtime version", nil, nil},
		"a table without a genesis, as named": {func(a *asked) {
			stated(a)
			a.Chain.Network = "datahaven"
		}, "to another chain than datahaven", nil, nil},
		"metadata that are no gzip":     {func(a *asked) { a.Draft.Native.Metadata = []byte("this is no gzip at all") }, "metadata: gzip", nil, nil},
		"metadata that are cut":         {func(a *asked) { a.Draft.Native.Metadata = a.Draft.Native.Metadata[:99] }, "metadata: unexpected EOF", nil, nil},
		"metadata that fill the memory": {func(a *asked) { a.metadata(func([]byte) []byte { return make([]byte, app.MaxDraft+1) }) }, "larger than 16777216 bytes", nil, nil},
		"metadata that are none":        {func(a *asked) { a.metadata(func([]byte) []byte { return []byte("no metadata") }) }, "metadata", nil, nil},

		// The chain.
		"another genesis":                        {func(a *asked) { a.Draft.Native.Genesis = stranger }, "which is in no table", nil, nil},
		"the genesis of another chain":           {func(a *asked) { a.Draft.Native.Genesis = hashOf(t, moonriverGenesis) }, "to another chain than moonriver", nil, nil},
		"another genesis than the user states":   {func(a *asked) { a.Chain.Genesis = chain.Some(stranger) }, "this is another chain", nil, nil},
		"another chain than the user names":      {func(a *asked) { a.Chain.Network = "moonriver" }, "belongs to moonbeam, not to moonriver", nil, nil},
		"another genesis than that of the named": {func(a *asked) { a.Chain.Network = "moonbeam"; a.Draft.Native.Genesis = stranger }, "this is another chain", nil, nil},
		"a chain that no table has, as stated":   {func(a *asked) { stated(a); a.TrustDraft = true }, "", func(p *app.Prepared) any { return [2]any{p.Chain.Name, p.Native.Genesis} }, [2]any{"", stranger}},
		"decimals against the table":             {func(a *asked) { a.Chain.Token = chain.Some(extrinsic.Token{Symbol: "GLMR", Decimals: 24}) }, "GLMR with 18 decimals, not GLMR with 24", nil, nil},
		"a symbol against the table":             {func(a *asked) { a.Chain.Token = chain.Some(extrinsic.Token{Symbol: "USDC", Decimals: 18}) }, "decimals, not USDC", nil, nil},
		"the token of a chain that no table has": {func(a *asked) { stated(a); a.TrustDraft = true }, "", func(p *app.Prepared) any { return p.Chain.Token }, extrinsic.Token{}},
		"the signer": {func(a *asked) { a.Draft.Signer = address(t, baltathar) }, "", func(p *app.Prepared) any {
			_, err := p.Sign(s.keys[address(t, alith)])
			return strings.Contains(err.Error(), baltathar)
		}, true},

		// The era.
		"an era that is taken away": {func(a *asked) { a.Draft.Native.EraPeriod, a.Draft.Native.EraPhase = 0, 0 }, "an era without a period", nil, nil},
		"an era that is taken away, with its block": {func(a *asked) {
			a.Draft.Native.EraPeriod, a.Draft.Native.EraPhase, a.Draft.Native.BirthHeader = 0, 0, nil
		}, "", func(p *app.Prepared) any { return [2]any{p.Native.Dies, p.Native.Signing.Birth} }, [2]any{chain.Optional[uint64]{}, hashOf(t, moonbeamGenesis)}},
		"a longer era":                       {func(a *asked) { a.Draft.Native.EraPeriod = 128 }, "", func(p *app.Prepared) any { return p.Native.Dies }, chain.Some[uint64](20 + 128)},
		"an era that began before the block": {func(a *asked) { a.Draft.Native.EraPeriod, a.Draft.Native.EraPhase = 65536, 16 }, "does not begin with block 20", nil, nil},
		"an era that is no power":            {func(a *asked) { a.Draft.Native.EraPeriod = 65 }, "does not begin with block", nil, nil},
		"another phase":                      {func(a *asked) { a.Draft.Native.EraPhase++ }, "does not begin with block", nil, nil},
		"a phase beyond the era":             {func(a *asked) { a.Draft.Native.EraPhase += 64 }, "does not begin with block", nil, nil},
		"a later block":                      {func(a *asked) { a.Draft.Native.BirthHeader = another(birth.Number + 64) }, "", func(p *app.Prepared) any { return p.Native.Dies }, chain.Some(birth.Number + 128)},
		"a block in the era":                 {func(a *asked) { a.Draft.Native.BirthHeader = another(birth.Number + 1) }, "does not begin with block", nil, nil},
		"no block":                           {func(a *asked) { a.Draft.Native.BirthHeader = nil }, "birth_header", nil, nil},
		"a part of a block":                  {func(a *asked) { a.Draft.Native.BirthHeader = a.Draft.Native.BirthHeader[:50] }, "birth_header", nil, nil},
		"more than a block":                  {func(a *asked) { a.Draft.Native.BirthHeader = append(bytes.Clone(a.Draft.Native.BirthHeader), 0) }, "birth_header", nil, nil},

		// The versions.
		"the runtime's version":       {func(a *asked) { a.Draft.Native.SpecVersion++ }, "The metadata are for runtime 2600, but the draft is for 2601", nil, nil},
		"the version of transactions": {func(a *asked) { a.Draft.Native.TransactionVersion++ }, "for transaction version 2, but the draft is for 3", nil, nil},

		// What the call does.
		"the amount": {func(a *asked) {
			c := build("balances.transferKeepAlive", baltathar, "1500000GLMR")
			a.Draft.Native.CallData = c.Native.CallData
		}, "", func(p *app.Prepared) any { b, _ := p.Native.Balances(); return b[0].Amount.String() }, "1500000" + strings.Repeat("0", 18)},
		"the call": {func(a *asked) { a.Draft.Native.CallData = all.Native.CallData }, "", func(p *app.Prepared) any { return pallet(p) }, "balances.transferAll"},
		"the recipient": {func(a *asked) {
			a.Draft.Native.CallData = bytes.Replace(a.Draft.Native.CallData, addressBytes(t, baltathar), make([]byte, 20), 1)
		}, "", func(p *app.Prepared) any { text, _ := p.Native.Call.Member("args").Member("dest").Text(); return text }, "0x" + strings.Repeat("0", 40)},
		"a call inside another": {func(a *asked) { a.Draft.Native.CallData = batch.Native.CallData }, "", func(p *app.Prepared) any { b, _ := p.Native.Balances(); return b }, []extrinsic.Balance{{Path: "calls[0].value", Amount: wei(t, "1500000000000000000")}}},
		"a byte more":           {func(a *asked) { a.Draft.Native.CallData = append(bytes.Clone(a.Draft.Native.CallData), 0) }, "", nil, nil},
		"a byte less":           {func(a *asked) { a.Draft.Native.CallData = a.Draft.Native.CallData[:len(a.Draft.Native.CallData)-1] }, "the metadata cannot decode the bytes to sign", nil, nil},
		"no call":               {func(a *asked) { a.Draft.Native.CallData = nil }, "", nil, nil},
		"the tip":               {func(a *asked) { a.Draft.Native.Tip = wei(t, "7") }, "", func(p *app.Prepared) any { return p.Native.Tip.String() }, "7"},
		"the nonce":             {func(a *asked) { a.Draft.Native.Nonce = chain.NewNonce(99) }, "", func(p *app.Prepared) any { return p.Native.Nonce.Uint64() }, uint64(99)},
	} {
		t.Run(name, func(t *testing.T) {
			a := &asked{app.SignRequest{Draft: cloned(honest), Tables: network.BuiltIn()}, t}
			c.change(a)
			p, err := app.Prepare(a.SignRequest)
			if c.shows == nil {
				require.ErrorContains(t, err, c.says)
				require.Equal(t, failure.NotUnderstood, app.KindOf(err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, c.shows(p))
		})
	}
}

func cloned(d *app.Draft) *app.Draft {
	n := *d.Native
	return &app.Draft{Signer: d.Signer, Native: &n}
}

func wei(t *testing.T, digits string) chain.Wei {
	w, err := chain.ParseWei(digits)
	require.NoError(t, err)
	return w
}

func addressBytes(t *testing.T, text string) []byte {
	a := address(t, text)
	return a.Bytes()
}

// A draft is strict JSON: what a draft of before said of itself (its chain's name, its call, its end) is refused.
func TestDraftFiles(t *testing.T) {
	s := moonbeam(t)
	native, err := app.Build(t.Context(), app.BuildRequest{Node: s.client, Tables: network.BuiltIn(), Call: "system.remark", Arguments: []string{"0x1234"}, Signer: address(t, alith)})
	require.NoError(t, err)
	ethereum, err := app.BuildEVM(t.Context(), app.BuildEVMRequest{Node: s.client, Tables: network.BuiltIn(), Type: chain.EIP1559, Signer: address(t, alith)})
	require.NoError(t, err)
	text, err := json.Marshal(native)
	require.NoError(t, err)
	other, err := json.Marshal(ethereum)
	require.NoError(t, err)
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(other, &members))
	put := func(before, more string) string {
		changed := strings.Replace(string(text), before, more+before, 1)
		require.NotEqual(t, string(text), changed)
		return changed
	}
	for changed, want := range map[string]string{
		"":                                     "not a transaction draft: ",
		string(text[:len(text)-1]):             "not a transaction draft: ",
		string(text) + "{}":                    "not a transaction draft: ",
		put(`"signer"`, `"chain":"Moonbeam",`): "unknown field",
		put(`"call_data"`, `"call":{},`):       "unknown field",
		put(`"genesis"`, `"dies":84,`):         "unknown field",
		put(`"nonce"`, `"tip":"1",`):           "twice",
		put(`"native"`, `"evm":`+string(members["evm"])+`,`):                    "want either native or evm",
		strings.Replace(string(text), `"call_data":"0x`, `"call_data":"`, 1):    "want 0x and hex digits",
		strings.Replace(string(text), `"call_data":"0x`, `"call_data":"0x0`, 1): "odd length",
		`{"signer":"` + alith + `"}`:                                            "want either native or evm",
	} {
		_, err := app.ParseDraft([]byte(changed))
		require.ErrorContains(t, err, want)
	}

	// No member of a draft may be missing, null or written in another case: it would silently be zero, or someone else's.
	listed := *ethereum.EVM
	listed.Type, listed.To = chain.EIP1559, chain.Some(address(t, alith))
	listed.AccessList = []chain.AccessEntry{{Address: address(t, alith), StorageKeys: []chain.Hash{{1}}}}
	withList, err := json.Marshal(&app.Draft{Signer: address(t, alith), EVM: &listed})
	require.NoError(t, err)
	for _, whole := range [][]byte{text, other, withList} {
		_, err := app.ParseDraft(whole)
		require.NoError(t, err)
		changedMembers(t, whole, func(changed []byte, path string) {
			switch _, err := app.ParseDraft(changed); path {
			case ".native.metadata_gzip null", ".evm.access_list null", ".evm.access_list[0].storageKeys null",
				".evm.to null", ".evm.max_fee_per_gas null", ".evm.max_priority_fee_per_gas null":
				require.NoError(t, err, "null is none: a creation, no list, and what signing refuses")
			default:
				require.ErrorContains(t, err, "not a transaction draft: ", "%s: %s", path, changed)
			}
		})
	}

	// What was signed is sent as it is, or not at all.
	for _, d := range []*app.Draft{native, ethereum} {
		signed, err := s.sign(d, s.keys[address(t, alith)])
		require.NoError(t, err)
		text, err := json.Marshal(signed)
		require.NoError(t, err)
		carried, err := app.ParseSigned(text)
		require.NoError(t, err)
		require.Equal(t, signed, carried)
		_, err = app.ParseSigned(append(text, '1'))
		require.ErrorContains(t, err, "not a signed transaction: ")
		changes := map[string]func(*app.SignedTransaction){
			", not 0x0000000000000000000000000000000000000000000000000000000000000000 as the file states": func(x *app.SignedTransaction) { x.Hash = chain.Hash{} },
			`layer "evm2"`: func(x *app.SignedTransaction) { x.Layer = "evm2" },
			"transaction":  func(x *app.SignedTransaction) { x.Raw = x.Raw[:len(x.Raw)-1] },
		}
		if d.Native != nil {
			changes["but the node's is "+moonbeamGenesis] = func(x *app.SignedTransaction) { x.Genesis = chain.Some(chain.Hash{1}) }
			changes["The file lacks the chain's genesis hash. Sign the draft again."] = func(x *app.SignedTransaction) { x.Genesis = chain.Optional[chain.Hash]{} }
		}
		for want, change := range changes {
			x := *signed
			change(&x)
			_, err := app.Send(t.Context(), app.SendRequest{Node: s.client, Signed: &x})
			require.ErrorContains(t, err, want)
			require.Equal(t, failure.NotUnderstood, app.KindOf(err))
		}
	}
	require.Empty(t, s.pool.Taken)
}

// TestEVMDraftsOfAttackers is as TestNativeDraftsOfAttackers.
func TestEVMDraftsOfAttackers(t *testing.T) {
	s := moonbeam(t)
	honest, err := app.BuildEVM(t.Context(), app.BuildEVMRequest{
		Node: s.client, Tables: network.BuiltIn(), Type: chain.EIP1559, Signer: address(t, alith), To: chain.Some(address(t, baltathar)), Value: "1.5GLMR",
	})
	require.NoError(t, err)
	none := chain.Optional[chain.GasPrice]{}
	type question = app.SignRequest
	for name, c := range map[string]struct {
		change func(*question)
		says   string
		shows  func(*app.Prepared) any
		want   any
	}{
		"nothing is changed": {func(*question) {}, "", func(p *app.Prepared) any { return [3]any{p.Chain.Name, p.EVM.ChainID, p.EVM.Value.String()} }, [3]any{"moonbeam", uint64(1284), "1500000000000000000"}},
		"no chain":           {func(q *question) { q.Draft.EVM.ChainID = 0 }, "is valid on every chain", nil, nil},
		"no chain, of a legacy one": {func(q *question) {
			e := q.Draft.EVM
			e.ChainID, e.Type, e.GasPrice, e.MaxFeePerGas, e.MaxPriorityFeePerGas = 0, chain.Legacy, e.MaxFeePerGas, none, none
		}, "is valid on every chain", nil, nil},
		"no chain, as stated":                  {func(q *question) { q.Draft.EVM.ChainID = 0; q.Chain.EVMChainID = chain.Some[uint64](0) }, "is valid on every chain", nil, nil},
		"Ethereum's chain":                     {func(q *question) { q.Draft.EVM.ChainID = 1 }, "No table has the EVM chain ID 1.", nil, nil},
		"another chain of the tables":          {func(q *question) { q.Draft.EVM.ChainID = 1285 }, "", func(p *app.Prepared) any { return [2]string{p.Chain.Name, p.Chain.Token.Symbol} }, [2]string{"moonriver", "MOVR"}},
		"another chain than the user states":   {func(q *question) { q.Draft.EVM.ChainID = 1285; q.Chain.EVMChainID = chain.Some[uint64](1284) }, "this is another chain", nil, nil},
		"another chain than the user names":    {func(q *question) { q.Draft.EVM.ChainID = 1285; q.Chain.Network = "moonbeam" }, "does not belong to moonbeam", nil, nil},
		"decimals against the table":           {func(q *question) { q.Chain.Token = chain.Some(extrinsic.Token{Symbol: "GLMR", Decimals: 6}) }, "not GLMR with 6", nil, nil},
		"a chain that no table has, as stated": {func(q *question) { q.Draft.EVM.ChainID = 1281; q.Chain.EVMChainID = chain.Some[uint64](1281) }, "", func(p *app.Prepared) any { return [2]string{p.Chain.Name, p.Chain.Token.Symbol} }, [2]string{"", ""}},
		"the value":                            {func(q *question) { q.Draft.EVM.Value = wei(t, "1500000000000000000000000") }, "", func(p *app.Prepared) any { return p.EVM.Value.String() }, "1500000000000000000000000"},
		"the recipient":                        {func(q *question) { q.Draft.EVM.To = chain.Some(chain.Address20([20]byte{9})) }, "", func(p *app.Prepared) any { return p.EVM.To }, chain.Some(chain.Address20([20]byte{9}))},
		"no recipient":                         {func(q *question) { q.Draft.EVM.To = chain.Optional[chain.Address]{} }, "", func(p *app.Prepared) any { return p.EVM.To.Known() }, false},
		"the price":                            {func(q *question) { q.Draft.EVM.MaxFeePerGas = chain.Some(gwei(1_000_000)) }, "", func(p *app.Prepared) any { return p.EVM.MaxFeePerGas }, gwei(1_000_000)},
		"the gas":                              {func(q *question) { q.Draft.EVM.GasLimit = 12_000_000 }, "", func(p *app.Prepared) any { return p.EVM.GasLimit.Uint64() }, uint64(12_000_000)},
		"the data":                             {func(q *question) { q.Draft.EVM.Input = []byte{1, 2, 3} }, "", func(p *app.Prepared) any { return p.EVM.Input }, []byte{1, 2, 3}},
		"a type that is not made here":         {func(q *question) { q.Draft.EVM.Type = "eip7702" }, "of type eip7702", nil, nil},
		"a price of another type":              {func(q *question) { q.Draft.EVM.Type = chain.Legacy }, "gas_price: required in a transaction of type legacy", nil, nil},
		"no price":                             {func(q *question) { q.Draft.EVM.MaxFeePerGas = none }, "max_fee_per_gas: required in a transaction of type eip1559", nil, nil},
		"no price for the block's author":      {func(q *question) { q.Draft.EVM.MaxPriorityFeePerGas = none }, "max_priority_fee_per_gas: required in a transaction of type eip1559", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			e := *honest.EVM
			q := question{Draft: &app.Draft{Signer: honest.Signer, EVM: &e}, Tables: network.BuiltIn()}
			c.change(&q)
			p, err := app.Prepare(q)
			if c.shows == nil {
				require.ErrorContains(t, err, c.says)
				require.Equal(t, failure.NotUnderstood, app.KindOf(err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, c.shows(p))
		})
	}
}

// alterHeaders has the node tell of block 20 with another root of its state.
func (s *sending) alterHeaders(t *testing.T) {
	list, err := s.client.Hashes(t.Context(), []uint64{19})
	require.NoError(t, err)
	parent, _ := list[0].Get()
	zero := chain.Hash{}
	text := fmt.Sprintf(`{"parentHash":"%v","number":"0x14","stateRoot":"%v","extrinsicsRoot":"%v","digest":{"logs":[]}}`, parent, zero, zero)
	s.node.Methods["chain_getHeader"] = func([]json.RawMessage) ([]byte, error) { return []byte(text), nil }
}

// A node that lies builds no draft, and gets no transaction.
func TestNodesOfAttackers(t *testing.T) {
	said := func(text string) func([]json.RawMessage) ([]byte, error) {
		return func([]json.RawMessage) ([]byte, error) { return []byte(text), nil }
	}
	unknown := chain.Hash{0xbb}
	glmr := chain.Some(extrinsic.Token{Symbol: "GLMR", Decimals: 18})
	for name, c := range map[string]struct {
		method, result string
		genesis        chain.Hash // of the node, Moonbeam's by default
		stated         app.ChainStatement
		native, evm    string // the errors, "" for none
	}{
		"nothing":                     {method: "system_name", result: `"x"`},
		"24 decimals":                 {"system_properties", `{"tokenDecimals":24,"tokenSymbol":"GLMR"}`, chain.Hash{}, app.ChainStatement{}, "reports the token GLMR with 24 decimals", "reports the token GLMR with 24 decimals"},
		"0 decimals, in a list":       {"system_properties", `{"tokenDecimals":[0],"tokenSymbol":["GLMR"]}`, chain.Hash{}, app.ChainStatement{}, "GLMR with 0 decimals", "GLMR with 0 decimals"},
		"another symbol":              {"system_properties", `{"tokenDecimals":18,"tokenSymbol":"MOVR"}`, chain.Hash{}, app.ChainStatement{}, "the token MOVR", "the token MOVR"},
		"no token":                    {method: "system_properties", result: `{}`},
		"Ethereum's chain":            {"eth_chainId", `"0x1"`, chain.Hash{}, app.ChainStatement{}, "", "EVM chain ID 1, but that of moonbeam is 1284"},
		"no chain":                    {"eth_chainId", `"0x0"`, chain.Hash{}, app.ChainStatement{}, "", "EVM chain ID 0, but that of moonbeam is 1284"},
		"another chain of the tables": {"eth_chainId", `"0x505"`, chain.Hash{}, app.ChainStatement{}, "", "EVM chain ID 1285, but that of moonbeam is 1284"},
		"another genesis":             {"system_name", `"x"`, unknown, app.ChainStatement{}, "the chain's token is unknown", "(moonbeam), but its block 0 is 0xbb"},
		"another genesis, decimals":   {"system_properties", `{"tokenDecimals":24,"tokenSymbol":"GLMR"}`, unknown, app.ChainStatement{Token: glmr}, "GLMR with 24 decimals, but the chain's is GLMR with 18", "(moonbeam), but its block 0 is 0xbb"},
		"another genesis, no chain":   {"eth_chainId", `"0x0"`, unknown, app.ChainStatement{Token: glmr}, "", "is valid on every chain"},
		"another genesis, Ethereum's": {"eth_chainId", `"0x1"`, unknown, app.ChainStatement{Token: glmr}, "", "No table has the EVM chain ID 1."},
		"another genesis than stated": {"system_name", `"x"`, unknown, app.ChainStatement{Genesis: chain.Some(chain.Hash{1}), Token: glmr}, "not 0x01", "not 0x01"},
		"another chain than stated":   {"eth_chainId", `"0x501"`, unknown, app.ChainStatement{EVMChainID: chain.Some[uint64](1282), Token: glmr}, "", "The EVM chain ID is 1281, not 1282 as stated"},
		"as stated":                   {"eth_chainId", `"0x501"`, unknown, app.ChainStatement{EVMChainID: chain.Some[uint64](1281), Token: glmr}, "", ""},
		"the version of transactions": {"state_getRuntimeVersion", `{"specName":"moonbeam","specVersion":2600,"transactionVersion":3,"apis":[],"authoringVersion":3,"implName":"moonbeam","implVersion":0}`, chain.Hash{}, app.ChainStatement{}, "for transaction version 2, but the draft is for 3", ""},
		"a header of another block":   {"chain_getHeader", "", chain.Hash{}, app.ChainStatement{}, "the node's header has the hash", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := moonbeam(t)
			if c.genesis != (chain.Hash{}) {
				var err error
				s.pool, err = s.node.OpenPool(c.genesis, 1284)
				require.NoError(t, err)
				s.feeHistory(threeBlocks)
			}
			if c.method == "chain_getHeader" {
				s.alterHeaders(t)
			} else {
				s.node.Methods[c.method] = said(c.result)
			}
			check := func(err error, says string) {
				t.Helper()
				if says == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, says)
				require.Contains(t, []failure.Kind{failure.NotUnderstood, failure.Unanswered}, app.KindOf(err))
			}
			_, err := app.Build(t.Context(), app.BuildRequest{
				Node: s.client, Tables: network.BuiltIn(), Chain: c.stated, Call: "balances.transferKeepAlive", Arguments: []string{baltathar, "1.5GLMR"}, Signer: address(t, alith), Period: 64,
			})
			check(err, c.native)
			one := chain.Some(gwei(200))
			_, err = app.BuildEVM(t.Context(), app.BuildEVMRequest{
				Node: s.client, Tables: network.BuiltIn(), Chain: c.stated, Type: chain.EIP1559, To: chain.Some(address(t, baltathar)), Value: "1.5GLMR", Signer: address(t, alith),
				MaxFeePerGas: one, MaxPriorityFeePerGas: one,
			})
			check(err, c.evm)
		})
	}
}

// The runtimes of Moonbase compare the digest of the metadata from 3200 on (RFC-0078). A runtime without a pin is signed
// for with the digest, so that lying metadata give a signature that the chain refuses.
func TestMetadataThatTheChainCompares(t *testing.T) {
	const name, pinnedVersion = "moonbase", 3700
	key := devkeys.All(t)[address(t, alith)]
	genesis := *network.BuiltIn().OfEVMChain(1287).Genesis
	pinned := realmetadata.Named(t, "moonbase-3700-moonwall")
	text := versioned(t, pinned, name, pinnedVersion, 3701)
	digest := func(text []byte) chain.Hash {
		m, err := metadata.Parse(text)
		require.NoError(t, err)
		hash, err := m.Digest("DEV", 18)
		require.NoError(t, err)
		return hash
	}
	prepare := func(text []byte, specVersion uint32, file bool) (*app.PreparedNative, error) {
		m, err := metadata.Parse(text)
		require.NoError(t, err)
		runtime, err := extrinsic.NewRuntime(m, extrinsic.Token{})
		require.NoError(t, err)
		pallet := "balances"
		if bytes.Contains(text, []byte("\x20EvmNotes")) {
			pallet = "evmNotes"
		}
		call, err := runtime.Call(pallet+".transferKeepAlive", []string{baltathar, "1"})
		require.NoError(t, err)
		d := &app.NativeDraft{CallData: call, Genesis: genesis, SpecVersion: specVersion, TransactionVersion: 3, Metadata: gzipped(t, text)}
		q := app.SignRequest{Draft: &app.Draft{Signer: key.Address(), Native: d}, Tables: network.BuiltIn()}
		if file {
			q.Metadata = text
		}
		p, err := app.Prepare(q)
		if err != nil {
			require.Equal(t, failure.NotUnderstood, app.KindOf(err))
			return nil, err
		}
		_, err = p.Sign(key)
		require.NoError(t, err)
		return p.Native, nil
	}

	n, err := prepare(pinned, pinnedVersion, false)
	require.NoError(t, err)
	require.Equal(t, app.PinnedMetadata, n.Metadata)
	require.Equal(t, digest(pinned), n.MetadataHash)

	n, err = prepare(text, 3701, false)
	require.NoError(t, err)
	require.Equal(t, app.BoundMetadata, n.Metadata)
	require.True(t, n.BindsMetadata)
	require.Equal(t, digest(text), n.MetadataHash)

	lying := replaced(t, text, "\x20Balances", "\x20EvmNotes")
	n, err = prepare(lying, 3701, false)
	require.NoError(t, err)
	require.Equal(t, app.BoundMetadata, n.Metadata)
	require.NotEqual(t, digest(text), n.MetadataHash, "the chain refuses it")

	old := realmetadata.Named(t, "moonbase-47")
	m, err := metadata.Parse(old)
	require.NoError(t, err)
	v, _ := m.RuntimeVersion()
	d := &app.NativeDraft{Genesis: genesis, SpecVersion: v.SpecVersion, TransactionVersion: v.TransactionVersion, Metadata: gzipped(t, old)}
	_, err = app.Prepare(app.SignRequest{Draft: &app.Draft{Signer: key.Address(), Native: d}, Tables: network.BuiltIn()})
	require.ErrorContains(t, err, "do not contain the runtime's types")

	// The digest counts where the chain has it: at the end, and in runtimes that compare it.
	_, err = prepare(hashFirst(t, text), 3701, false)
	require.ErrorContains(t, err, "Nothing confirms the draft's metadata")
	_, err = prepare(versioned(t, pinned, name, pinnedVersion, 3199), 3199, false)
	require.ErrorContains(t, err, "Nothing confirms the draft's metadata")
	n, err = prepare(versioned(t, pinned, name, pinnedVersion, 3199), 3199, true)
	require.NoError(t, err)
	require.Equal(t, app.GivenMetadata, n.Metadata)
	require.False(t, n.BindsMetadata)
}

// hashFirst moves the extension CheckMetadataHash before CheckMortality, so that the hash of the era's block is the last
// thing that is signed.
func hashFirst(t *testing.T, text []byte) []byte {
	first, last := bytes.LastIndex(text, []byte("\x38CheckMortality")), bytes.LastIndex(text, []byte("\x44CheckMetadataHash"))
	require.Greater(t, last, first)
	end := last + 1 + len("CheckMetadataHash")
	for range 2 { // compact numbers of two types
		end += 1 << (text[end] & 3)
	}
	return slices.Concat(text[:first], text[last:end], text[first:last], text[end:])
}

// An EVM transaction is sent to the chain that its bytes name, and one without a chain to none.
func TestSendEVMRefused(t *testing.T) {
	s := moonbeam(t)
	legacy := func(chainID uint64) *app.SignedTransaction {
		x := ethtx.Transaction{Type: chain.Legacy, ChainID: chainID, GasPrice: gwei(125), GasLimit: chain.NewGas(21_000), To: chain.Some(address(t, baltathar))}
		digest, err := x.Digest()
		require.NoError(t, err)
		signature, err := s.keys[address(t, alith)].Sign(digest)
		require.NoError(t, err)
		x.Sign(signature)
		raw, err := x.Encode()
		require.NoError(t, err)
		hash, err := x.Hash()
		require.NoError(t, err)
		return &app.SignedTransaction{Layer: app.EVMLayer, Signer: address(t, alith), Hash: hash, Raw: raw}
	}
	for id, want := range map[uint64]string{0: "is valid on every chain", 1: "for EVM chain ID 1, but the node's is 1284"} {
		_, err := app.Send(t.Context(), app.SendRequest{Node: s.client, Signed: legacy(id)})
		require.ErrorContains(t, err, want)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	}
	require.Empty(t, s.pool.Taken)
	_, err := app.Send(t.Context(), app.SendRequest{Node: s.client, Signed: legacy(1284)})
	require.NoError(t, err)
	require.Len(t, s.pool.Taken, 1)
}

// Call data are made of amounts in the token that the table has; a node that names another is refused.
func TestCallData(t *testing.T) {
	s := moonbeam(t)
	q := app.BuildRequest{Node: s.client, Tables: network.BuiltIn(), Call: "balances.transferKeepAlive", Arguments: []string{baltathar, "1.5GLMR"}}
	data, err := app.CallData(t.Context(), q)
	require.NoError(t, err)
	// pallet 10, call 3, the account, and 1.5 * 10^18 as a compact integer: 0x13 for eight bytes, the least first
	amount := binary.LittleEndian.AppendUint64([]byte{0x13}, 1_500_000_000_000_000_000)
	require.Equal(t, "0a03"+strings.ToLower(baltathar[2:])+hex.EncodeToString(amount), hex.EncodeToString(data))
	q.Chain.Network = "nowhere"
	_, err = app.CallData(t.Context(), q)
	require.ErrorContains(t, err, "nowhere")
	_, err = app.BuildEVM(t.Context(), app.BuildEVMRequest{Node: s.client, Tables: network.BuiltIn(), Chain: q.Chain, Signer: address(t, alith)})
	require.ErrorContains(t, err, "nowhere")
	_, err = app.Prepare(app.SignRequest{Draft: &app.Draft{EVM: &app.EVMDraft{Type: chain.Legacy, ChainID: 1284, GasPrice: chain.Some(gwei(1))}}, Tables: network.BuiltIn(), Chain: q.Chain})
	require.ErrorContains(t, err, "nowhere")
	q.Chain.Network = ""
	s.node.Methods["system_properties"] = func([]json.RawMessage) ([]byte, error) {
		return []byte(`{"tokenDecimals":24,"tokenSymbol":"GLMR"}`), nil
	}
	_, err = app.CallData(t.Context(), q)
	require.ErrorContains(t, err, "GLMR with 24 decimals")
}

// tablesWith are the built-in tables, and one of the user's own: Moonbeam's figures under another name.
func tablesWith(t *testing.T, change func(*network.Network)) network.Tables {
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	own := *moonbeam
	own.Name, own.SpecName, own.Chain, own.Genesis, own.EVMChainID, own.FirstMetadataHash, own.Sources = "own", "vflow", "", nil, 0, 0, nil
	own.Anchors, own.LastBlock, own.Treasury, own.Specification = nil, nil, nil, nil
	change(&own)
	text, err := json.Marshal(map[string]any{"networks": []network.Network{own}})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "own.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	tables, err := app.ReadTables(file)
	require.NoError(t, err)
	return tables
}

// A user's own table that lacks a genesis hash or an EVM chain ID can be named, and the chain ID stated.
func TestTablesOfOnesOwn(t *testing.T) {
	tables := tablesWith(t, func(*network.Network) {})
	q := app.SignRequest{
		Draft:  &app.Draft{EVM: &app.EVMDraft{Type: chain.Legacy, ChainID: 1408, GasPrice: chain.Some(gwei(1))}},
		Tables: tables, Chain: app.ChainStatement{Network: "own"},
	}
	_, err := app.Prepare(q)
	require.ErrorContains(t, err, "No table has the EVM chain ID 1408.")
	q.Chain.EVMChainID = chain.Some[uint64](1408)
	p, err := app.Prepare(q)
	require.NoError(t, err)
	require.Equal(t, "own", p.Chain.Name)
}

// Where the chain compares the metadata's digest, a draft of a runtime without a pin wants the metadata that have one, of
// version 15. A runtime that does not have those gives none.
func TestBuildWantsMetadataWithADigest(t *testing.T) {
	s := openSending(t)
	genesis, _ := s.stated.Genesis.Get()
	tables := tablesWith(t, func(n *network.Network) {
		n.SpecName, n.Genesis, n.FirstMetadataHash = "moonbeam", &genesis, 1
	})
	s.node.SetHead(20)
	s.node.Methods["state_getMetadata"] = func([]json.RawMessage) ([]byte, error) {
		file, err := os.ReadFile(pairs.Path(t, "moonbeam-2600", "node/metadata.hex"))
		if err != nil {
			return nil, err
		}
		text, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(string(file)), "0x"))
		if err != nil {
			return nil, err
		}
		return json.Marshal(app.HexBytes(versioned(t, text, "moonbeam", 2600, 2601)))
	}
	var asked []string
	s.node.Methods["state_call"] = func(params []json.RawMessage) ([]byte, error) {
		asked = append(asked, string(params[0])+" "+string(params[1]))
		return []byte(`"0x00"`), nil
	}
	_, err := app.Build(t.Context(), app.BuildRequest{Node: s.client, Tables: tables, Call: "system.remark", Arguments: []string{"0x"}, Signer: address(t, alith)})
	require.ErrorContains(t, err, "the runtime does not have metadata of version 15")
	require.ErrorIs(t, err, chain.ErrUnsupported)
	require.Equal(t, []string{`"Metadata_metadata_at_version" "0x0f000000"`}, asked)
}

// changedMembers calls try with a JSON text without one of its members, with null instead, and with its key in another case,
// alone and beside it, for each member. A member that is null stays.
func changedMembers(t *testing.T, text []byte, try func(changed []byte, path string)) {
	var whole any
	require.NoError(t, json.Unmarshal(text, &whole))
	encoded := func() []byte {
		out, err := json.Marshal(whole)
		require.NoError(t, err)
		return out
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case []any:
			for i := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), v[i])
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				here, was := path+"."+key, v[key]
				upper := strings.ToUpper(key)
				delete(v, key)
				try(encoded(), here+" missing")
				v[upper] = was
				try(encoded(), here+" in capitals")
				v[key] = was
				try(encoded(), here+" twice")
				delete(v, upper)
				if was != nil && path != "" || key == "signer" {
					v[key] = nil
					try(encoded(), here+" null")
				}
				v[key] = was
				walk(here, was)
			}
		}
	}
	walk("", whole)
}
