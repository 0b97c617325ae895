package render_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/render"
)

// The authors are those from extractAuthor of @polkadot/api-derive 10.13.1, with three validators and with
// none.
func TestAuthors(t *testing.T) {
	m := sampleMetadata(t)
	m.Pallets = append(m.Pallets, metadata.Pallet{
		Name: "Session", Index: 250,
		Storage: []metadata.StorageEntry{{Name: "Validators", Value: listOfAccounts(t, m), Default: []byte{0}}},
	})
	runtime, err := render.NewRuntime(m)
	require.NoError(t, err)
	require.True(t, runtime.Session())

	first, second, third := "0x"+strings.Repeat("1", 40), "0x"+strings.Repeat("2", 40), "0x"+strings.Repeat("3", 40)
	validators := unhex(t, "0c"+first[2:]+second[2:]+third[2:])
	nimbus, cdcd := "0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB", "0xCdCDCdCdcdcdcdCdcDcDCdcDcDCdCdcdCdcDCDcD"
	nmbs, pow := "066e6d627380"+strings.Repeat("ab", 32), "05706f775f50"+strings.Repeat("cd", 20)
	for name, test := range map[string]struct {
		logs          []string
		three, nobody string
	}{
		"nimbus":                     {[]string{nmbs}, nimbus, nimbus},
		"nimbus, too short":          {[]string{"066e6d62730c010203", nmbs}, "", ""},
		"nimbus, second":             {[]string{"0672616e64080102", nmbs}, "", ""},
		"BABE":                       {[]string{"0642414245140100000000"}, first, ""},
		"BABE, third":                {[]string{"0642414245140202000000"}, third, ""},
		"BABE, nobody's number":      {[]string{"0642414245140209000000"}, "", ""},
		"BABE, of no kind":           {[]string{"0642414245140901000000"}, "", ""},
		"BABE, nobody's, and a seal": {[]string{"0642414245140209000000", pow}, cdcd, cdcd},
		"BABE, too short":            {[]string{"06424142450c020100"}, second, ""},
		"BABE, empty":                {[]string{"064241424500"}, first, ""},
		"aura":                       {[]string{"0661757261200500000000000000"}, third, ""},
		"aura, too short":            {[]string{"0661757261080100"}, second, ""},
		"a seal":                     {[]string{pow}, cdcd, cdcd},
		"consensus":                  {[]string{"046e6d627350" + strings.Repeat("cd", 20)}, cdcd, cdcd},
		"nobody":                     {[]string{"000401"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := &render.Block{}
			for _, log := range test.logs {
				b.Header.Logs = append(b.Header.Logs, unhex(t, log))
			}
			for _, by := range []struct {
				validators []byte
				want       string
			}{{validators, test.three}, {[]byte{0}, test.nobody}, {nil, test.nobody}} {
				b.Validators = by.validators
				text, err := runtime.AppendBlock(nil, b)
				require.NoError(t, err)
				v, err := jsonscan.Parse(string(text))
				require.NoError(t, err)
				have, _ := v.Member("authorId").Text()
				require.Equal(t, by.want, have)
			}
		})
	}
	b := &render.Block{Validators: validators[:30]}
	b.Header.Logs = [][]byte{unhex(t, "0642414245140202000000")}
	_, err = runtime.AppendBlock(nil, b)
	require.ErrorContains(t, err, "block 0: session.validators: SCALE at byte")
}

// Runtime 900 defines accounts as H160, but Sidecar writes the signer as an account.
func TestSignersOfH160(t *testing.T) {
	m := sampleMetadata(t)
	for id, typ := range m.Types {
		if typ.Is("primitive_types", "H160") {
			m.Extrinsic.Address = metadata.TypeID(id)
		}
	}
	runtime, err := render.NewRuntime(m)
	require.NoError(t, err)
	_, blocks := sample(t)
	text, err := runtime.AppendBlock(nil, blocks[2].raw)
	require.NoError(t, err)
	require.Contains(t, blocks[2].text, `"signer":"0x`)
	require.Equal(t, blocks[2].text, string(text))
}

func listOfAccounts(t testing.TB, m *metadata.Metadata) metadata.TypeID {
	for id, typ := range m.Types {
		if typ.Kind == metadata.Sequence && m.Types[typ.Element].Name() == "AccountId20" {
			return metadata.TypeID(id)
		}
	}
	require.Fail(t, "the runtime has no list of accounts")
	return 0
}

// The hashes are those of xxhashAsHex and blake2AsHex of @polkadot/util-crypto 12.6.2.
func TestHashers(t *testing.T) {
	m := sampleMetadata(t)
	entry := func(h metadata.Hasher) string {
		m.Pallets = []metadata.Pallet{{Name: "System", Prefix: "fees", Storage: append([]metadata.StorageEntry{
			{Name: "fees", Hashers: []metadata.Hasher{h}, Key: text(t, m), Value: 0},
		}, m.Pallet("System").Storage...)}}
		runtime, err := render.NewRuntime(m)
		require.NoError(t, err)
		item, err := runtime.Item("system", "fees", []string{"0x1066656573"}) // "fees"
		require.NoError(t, err)
		place := hex.EncodeToString(item.Place())
		const feesTwice = "c7d018c7b3f4026476989a3fa5ca87dac7d018c7b3f4026476989a3fa5ca87da"
		require.True(t, strings.HasPrefix(place, feesTwice))
		return place[len(feesTwice):]
	}
	// The key is the SCALE of the text, five bytes.
	require.Equal(t, "1066656573", entry(metadata.Identity))
	require.Equal(t, entry(metadata.Blake2_128)+"1066656573", entry(metadata.Blake2_128Concat))
	for h, want := range scaledFees {
		require.Equal(t, want, entry(h), "hasher %d", h)
	}
}

// text returns the type of texts.
func text(t testing.TB, m *metadata.Metadata) metadata.TypeID {
	for id, typ := range m.Types {
		if typ.Kind == metadata.Primitive && typ.Primitive == metadata.Str {
			return metadata.TypeID(id)
		}
	}
	require.Fail(t, "the runtime has no texts")
	return 0
}

// The texts are those of @polkadot/types 10.13.1 for these properties.
func TestSpecs(t *testing.T) {
	spec := func(version, chainType, properties string) (string, error) {
		var values [3]jsonscan.Value
		for i, text := range []string{version, chainType, properties} {
			var err error
			values[i], err = jsonscan.Parse(text)
			require.NoError(t, err)
		}
		text, err := render.Spec(render.At{Height: 7}, values[0], values[1], values[2])
		return string(text), err
	}
	const version = `{"specName":"moonbeam","implName":"moonbeam","authoringVersion":3,"specVersion":4401,"implVersion":0,"transactionVersion":3,"apis":[]}`
	const begin = `{"at":{"height":"7","hash":"0x0000000000000000000000000000000000000000000000000000000000000000"},` +
		`"authoringVersion":"3","transactionVersion":"3","implVersion":"0","specName":"moonbeam","specVersion":"4401","chainType":`
	for properties, want := range map[string]string{
		`{}`: `{"isEthereum":false,"ss58Format":null,"tokenDecimals":null,"tokenSymbol":null}`,
		`{"isEthereum":true,"ss58Format":1284,"tokenDecimals":18,"tokenSymbol":"GLMR"}`: `{"isEthereum":true,"ss58Format":"1284","tokenDecimals":["18"],"tokenSymbol":["GLMR"]}`,
		`{"tokenDecimals":[10,12],"tokenSymbol":["A","B"],"x":{"n":5,"l":[1,"a",null,true,false]},"SS58Prefix":7}`: `{"isEthereum":false,"ss58Format":null,"tokenDecimals":["10","12"],"tokenSymbol":["A","B"],` +
			`"x":{"n":"5","l":["1","a",null,true,false]},"SS58Prefix":"7"}`,
		`{"tokenSymbol":null,"tokenDecimals":null,"ss58Format":null}`: `{"isEthereum":false,"ss58Format":null,"tokenDecimals":null,"tokenSymbol":null}`,
	} {
		have, err := spec(version, `"Live"`, properties)
		require.NoError(t, err)
		require.Equal(t, begin+`{"live":null},"properties":`+want+"}", have)
	}
	for chainType, want := range map[string]string{`"Development"`: `{"development":null}`, `"Local"`: `{"local":null}`, `{"Custom":"a b"}`: `{"custom":"a b"}`} {
		have, err := spec(version, chainType, `{}`)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(have, begin+want+`,"properties":`), have)
	}
	_, err := spec(version, `"Test"`, `{}`)
	require.ErrorContains(t, err, "system_chainType")
	_, err = spec(`{}`, `"Live"`, `{}`)
	require.ErrorContains(t, err, "runtime version: authoringVersion: missing")
}

// A runtime without the parts that every response needs is rejected.
func TestRuntimesThatAreNone(t *testing.T) {
	for want, change := range map[string]func(m *metadata.Metadata){
		"do not contain the runtime's types": func(m *metadata.Metadata) { m.Types = nil },
		"want 20 or 32 bytes":                func(m *metadata.Metadata) { m.Extrinsic.Address = m.Extrinsic.Call },
		"has no list of System.Events":       func(m *metadata.Metadata) { m.Pallets = m.Pallets[1:] },
		"without a list of Validators":       func(m *metadata.Metadata) { m.Pallets[1].Name = "Session" },
		"do not start with phase and even":   func(m *metadata.Metadata) { m.Pallet("System").Entry("Events").Value = listOfAccounts(t, m) },
	} {
		m := sampleMetadata(t)
		change(m)
		_, err := render.NewRuntime(m)
		require.ErrorContains(t, err, want)
	}
}

func TestItems(t *testing.T) {
	runtime, _ := sample(t)
	for _, test := range []struct {
		pallet, name string
		keys         []string
		status       int
		message      string
	}{
		{"nonesuch", "x", nil, 400, `"nonesuch" was not recognized as a queryable pallet.`},
		{"transaction-payment", "nonesuch", nil, 500, `Could not find storage item ("nonesuch") in metadata. storage item names are expected to be in camel case, e.g. 'storageItemId'`},
		{"utility", "x", nil, 400, `no queryable storage items found for palletId "utility"`},
		{"system", "ACCOUNT", nil, 500, `system.account(AccountId20) is a map, requiring 1 arguments, 0 found`},
		{"system", "blockHash", nil, 500, `system.blockHash(u32) is a map, requiring 1 arguments, 0 found`},
		{"system", "number", []string{"1"}, 500, `system.number() does not take any arguments, 1 found`},
		{"system", "account", []string{"0x12"}, 500, "system.account: key \"0x12\": SCALE at byte 0: the bytes end too early: want 20 bytes, have 1"},
		{"system", "blockhash", []string{"1"}, 500, "historicApi.query[palletName][storageItemId] is not a function"},
	} {
		_, err := runtime.Item(test.pallet, test.name, test.keys)
		var refused *render.RefusedError
		require.ErrorAs(t, err, &refused, "%s.%s", test.pallet, test.name)
		require.Equal(t, test.message, refused.Message)
		require.Equal(t, test.status, refused.Status)
		require.Equal(t, test.message, err.Error())
	}

	item, err := runtime.Item("System", "block-hash", []string{"258"})
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(hex.EncodeToString(item.Place()), "02010000"))
	_, err = item.Answer(render.At{Height: 9}, []byte{1})
	require.ErrorContains(t, err, "System.BlockHash at block 9: SCALE at byte 0")

	// Items without keys are remembered, some of them, by their spelling.
	for hyphens := range 100 {
		for range 2 {
			item, err := runtime.Item(strings.Repeat("-", hyphens)+"system", "number", nil)
			require.NoError(t, err)
			require.Equal(t, "26aa394eea5630e07c48ae0c9558cef702a5c1b19ab7a04f536c519aca4983ac", hex.EncodeToString(item.Place()))
			_, err = runtime.Item(strings.Repeat("-", hyphens)+"system", "number", []string{"1"})
			require.ErrorContains(t, err, "does not take any arguments")
		}
	}
}

// scaledFees are the hashes of those five bytes.
var scaledFees = map[metadata.Hasher]string{
	metadata.Blake2_128:   "7daa502df22df44db8f8426e3218d2c0",
	metadata.Blake2_256:   "4fc042684f43aff53bd87846bc128e44f1909446ed68ef5bb5bf52e0dc601679",
	metadata.Twox128:      "ed5d946b7905dc7f61e663ba810dafbc",
	metadata.Twox256:      "ed5d946b7905dc7f61e663ba810dafbc46b6774e65160a647bfdba12e517748d",
	metadata.Twox64Concat: "ed5d946b7905dc7f1066656573",
}
