package sidecar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

// transact returns a block with one ethereum.transact that has these arguments.
func transact(args string) string {
	hash := `"0x` + strings.Repeat("11", 32) + `"`
	return `{"number":"7","hash":` + hash + `,"parentHash":` + hash + `,"extrinsics":[{"method":{"pallet":"ethereum","method":"transact"},"signature":null,"nonce":null,"args":` +
		args + `,"tip":null,"hash":` + hash + `,"info":{},"era":{},"events":[],"success":true,"paysFee":false}]}`
}

const gasLimit = `"gasLimit":["21000","0","0","0"]`

// The numbers were computed by hand: limb i counts 2^(64·i).
func TestSuccessorsNumbers(t *testing.T) {
	for text, want := range map[string]string{
		`["100000000000","0","0","0"]`: "100000000000",
		`[100000000000,0,0,0]`:         "100000000000",
		`["0","1","0","0"]`:            "18446744073709551616",
		`["18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615"]`: "115792089237316195423570985008687907853269984665640564039457584007913129639935",
		`["6","0","0","0"]`: "6",
		`"0x06000000"`:      "6",
		`"0x00000000"`:      "0",
		`"0xff000000"`:      "255",
		`"0x00010000"`:      "18446744073709551616",
		`"0x01020000"`:      "36893488147419103233",
		`"100000000000"`:    "100000000000",
		`"0x00000001"`:      "6277101735386680763835789423207666416102355444464034512896",
	} {
		b, err := sidecar.DecodeBlock(transact(`{"transaction":{"eIP1559":{"nonce":"0","value":"0","maxPriorityFeePerGas":"0","maxFeePerGas":` + text + `,` + gasLimit + `}}}`))
		require.NoError(t, err, text)
		payload, err := b.Extrinsics[0].Ethereum()
		require.NoError(t, err, text)
		require.Equal(t, want, payload.MaxFeePerGas.String(), text)
	}
}

// The numbers of a transaction have Sidecar's form unless its gas limit is an array, even if they look like limbs.
func TestSidecarsFormStays(t *testing.T) {
	for args, want := range map[string]string{
		`"value":"0x06000000","gasLimit":"21000","input":"0x"`:      "100663296",
		`"value":"0x06000000","gasLimit":"0x00005208","input":"0x"`: "100663296",
		`"input":[],"gasLimit":21000,"value":"0x06000000"`:          "100663296",
		`"value":["6","0","0","0"],"gasLimit":21000`:                "args.transaction.legacy.value: want a number, have an array",
	} {
		p, err := sidecar.DecodePayload(`{"transaction":{"legacy":{"nonce":"0","gasPrice":"1",` + args + `}}}`)
		if err != nil {
			require.EqualError(t, err, want, args)
			continue
		}
		require.Equal(t, want, p.Value.String(), args)
	}
}

// A transaction in the successor's form is the same as one in Sidecar's. Its gas limit may come after other numbers.
func TestSuccessorsForms(t *testing.T) {
	const signed = `"address":"` + bob + `","signature":{"oddYParity":true,"r":"0x1111111111111111111111111111111111111111111111111111111111111111","s":"0x1111111111111111111111111111111111111111111111111111111111111111"}`
	for successors, sidecars := range map[string]string{
		`{"transaction":{"legacy":{"nonce":"0x05000000","gasPrice":"0x06000000","value":"7",` + gasLimit + `,"input":[]}}}`:                                                    `{"transaction":{"legacy":{"nonce":"5","gasPrice":"6","value":"7","gasLimit":"21000","input":"0x"}}}`,
		`{"transaction":{"legacy":{` + gasLimit + `,"nonce":5,"gasPrice":"0x06000000","value":["0","1","0","0"],"input":["7"],"signature":{"v":"27"}}}}`:                       `{"transaction":{"legacy":{"gasLimit":"21000","nonce":"5","gasPrice":"6","value":"18446744073709551616","input":"0x07","signature":{"v":"27"}}}}`,
		`{"transaction":{"eIP2930":{"nonce":"1","gasPrice":"2","gasLimit":"21000","value":"0x06000000","input":["7"]}}}`:                                                       `{"transaction":{"eip2930":{"nonce":"1","gasPrice":"2","gasLimit":"21000","value":"100663296","input":"0x07"}}}`,
		`{"transaction":{"EIP1559":{"nonce":"1","maxFeePerGas":"0x06000000","maxPriorityFeePerGas":["5","0","0","0"],"gasLimit":["21000","0","0","0"],"value":"0x06000000"}}}`: `{"transaction":{"eip1559":{"nonce":"1","maxFeePerGas":"6","maxPriorityFeePerGas":"5","gasLimit":"21000","value":"6"}}}`,
		`{"transaction":{"nonce":"0x05000000","gasPrice":["1","2","0","0"],"value":"0",` + gasLimit + `,"input":"0x1234"},"more":1}`:                                           `{"transaction":{"nonce":"5","gasPrice":"36893488147419103233","value":"0","gasLimit":"21000","input":"0x1234"},"more":1}`,
		`{"transaction":{"eIP7702":{"chainId":"1284","authorizationList":[{"chainId":"0","nonce":"0x09000000",` + signed + `},{"chainId":"1","nonce":["1","0","0","0"],` + signed + `}],` +
			`"nonce":"0","value":"0","maxFeePerGas":"1","maxPriorityFeePerGas":"1",` + gasLimit + `,"data":[]}}}`: `{"transaction":{"eip7702":{"chainId":"1284","authorizationList":[{"chainId":"0","nonce":"9",` + signed + `},{"chainId":"1","nonce":"1",` + signed + `}],` +
			`"nonce":"0","value":"0","maxFeePerGas":"1","maxPriorityFeePerGas":"1","gasLimit":"21000","data":"0x"}}}`,
	} {
		a, b := decoded(t, transact(successors)), decoded(t, transact(sidecars))
		have, err := a.Extrinsics[0].Ethereum()
		require.NoError(t, err, successors)
		want, err := b.Extrinsics[0].Ethereum()
		require.NoError(t, err, sidecars)
		require.Equal(t, want, have, successors)
		if want.Type == chain.EIP7702 {
			list, err := want.Authorizations.Get()
			require.NoError(t, err)
			require.Len(t, list, 2)
		}
		require.Empty(t, sidecar.Compare(a, b), successors)
		require.Empty(t, sidecar.Compare(b, a), successors)
	}
}

// Numbers are compared, not their form: the same text can be another number in the other form.
func TestCompareSuccessorsNumbers(t *testing.T) {
	block := func(limit, value string) *chain.Block {
		return decoded(t, transact(`{"transaction":{"legacy":{"nonce":"0","gasPrice":"1","gasLimit":`+limit+`,"value":`+value+`}}}`))
	}
	const limbs, number = `["21000","0","0","0"]`, `"21000"`
	for _, c := range []struct{ limitA, a, limitB, b, want string }{
		{limbs, `"0x06000000"`, number, `"6"`, ""},
		{limbs, `"0x06000000"`, limbs, `["6","0","0","0"]`, ""},
		{limbs, `["6","0","0","0"]`, number, `"0x6"`, ""},
		{limbs, `"0x06000000"`, number, `"0x06000000"`, `extrinsics[0].args.transaction.legacy.value: "6", and "0x06000000"`},
		{number, `"7"`, limbs, `"0x06000000"`, `extrinsics[0].args.transaction.legacy.value: "7", and "6"`},
		{`["21001","0","0","0"]`, `"0"`, number, `"0"`, `extrinsics[0].args.transaction.legacy.gasLimit: "21001", and "21000"`},
	} {
		require.Equal(t, c.want, sidecar.Compare(block(c.limitA, c.a), block(c.limitB, c.b)), c)
	}
}

// An error in the successor's form names its place. Values are never guessed.
func TestSuccessorsFormBroken(t *testing.T) {
	for text, want := range map[string]string{
		`["18446744073709551616","0","0","0"]`:   `limb 0: want decimal digits of at most 64 bits, have "18446744073709551616"`,
		`["0","0","0","-1"]`:                     `limb 3: want decimal digits of at most 64 bits, have "-1"`,
		`["+1","0","0","0"]`:                     `limb 0: want decimal digits`,
		`["0x1","0","0","0"]`:                    `limb 0: want decimal digits`,
		`[1.0,0,0,0]`:                            `limb 0: want decimal digits`,
		`[1e3,0,0,0]`:                            `limb 0: want decimal digits`,
		`[null,0,0,0]`:                           `limb 0: want decimal digits`,
		`[[1],0,0,0]`:                            `limb 0: want decimal digits`,
		`["1_0","0","0","0"]`:                    `limb 0: want decimal digits`,
		`["","0","0","0"]`:                       `limb 0: want decimal digits`,
		`[]`:                                     `have 0 limbs: want a U256`,
		`["1","0","0"]`:                          `have 3 limbs: want a U256`,
		`["1","0","0","0","0"]`:                  `have more than four limbs: want a U256`,
		`"0x"`:                                   `"0x": want a U256`,
		`"0x6"`:                                  `"0x6": want a U256`,
		`"0x06"`:                                 `"0x06": want a U256`,
		`"0x0600"`:                               `"0x0600": want a U256`,
		`"0x0600000"`:                            `"0x0600000": want a U256`,
		`"0x060000000"`:                          `"0x060000000": want a U256`,
		`"0x0600000000"`:                         `"0x0600000000": want a U256`,
		`"0x0600000g"`:                           `"0x0600000g": want a U256`,
		`"0x` + strings.Repeat("00", 31) + `06"`: `0006": want a U256`,
		`{"a":1}`:                                `have an object: want a U256`,
		`true`:                                   `have a bool: want a U256`,
		`null`:                                   `have null: want a U256`,
	} {
		for field, kind := range map[string]string{"gasPrice": "legacy", "maxPriorityFeePerGas": "eIP1559", "nonce": "eIP2930", "value": "eIP7702"} {
			_, err := sidecar.DecodeBlock(transact(fmt.Sprintf(`{"transaction":{%q:{%s,%q:%s}}}`, kind, gasLimit, field, text)))
			var malformed *sidecar.DecodeError
			require.ErrorAs(t, err, &malformed, text)
			require.ErrorContains(t, err, "block 7: extrinsics[0].args.transaction."+kind+"."+field+": ")
			require.ErrorContains(t, err, want)
		}
	}
	const others = `"nonce":"0","value":"0","maxFeePerGas":"1","maxPriorityFeePerGas":"1"`
	authorization := func(nonce string) string {
		return `{"chainId":"0","address":"` + bob + `","nonce":"` + nonce + `","signature":{"oddYParity":true,"r":"` + pointR + `","s":"` + pointS + `"}}`
	}
	for args, want := range map[string]string{
		`{"transaction":{"eIP1559":{"gasLimit":["1"]}}}`:                                                                                               "args.transaction.eIP1559.gasLimit: have 1 limbs",
		`{"transaction":{"legacy":{"gasLimit":"1","input":["256"]}}}`:                                                                                  "args.transaction.legacy.input: want hex digits, or an array of at most one byte",
		`{"transaction":{"legacy":{"gasLimit":"1","input":["1","2"]}}}`:                                                                                "args.transaction.legacy.input: want hex digits, or an array of at most one byte",
		`{"transaction":{"eIP7702":{` + gasLimit + `,"authorizationList":[` + authorization("1") + `,` + authorization("0x09") + `],` + others + `}}}`: "args.transaction.eIP7702.authorizationList[1].nonce: \"0x09\"",
		`{"transaction":{"gasPrice":"0x1",` + gasLimit + `}}`:                                                                                          `args.transaction.gasPrice: "0x1"`,
	} {
		_, err := sidecar.DecodeBlock(transact(args))
		require.ErrorContains(t, err, want)
	}
}

func TestSigner(t *testing.T) {
	text := strings.Replace(transact(`{}`), `"signature":null`, `"signature":{"signature":"0x12","signer":{"id":"0x`+strings.Repeat("ab", 20)+`"}}`, 1)
	b, err := sidecar.DecodeBlock(text)
	require.NoError(t, err)
	signer, err := b.Extrinsics[0].Signed.Signer.Account()
	require.NoError(t, err)
	require.Equal(t, "0x"+strings.Repeat("ab", 20), signer.Plain())
}

func TestPalletName(t *testing.T) {
	for name, want := range map[string]string{"transaction-payment": "transactionPayment", "transactionPayment": "transactionPayment", "system": "system", "a--b-": "aB", "": "", "/pallets/base-fee": "/pallets/baseFee"} {
		require.Equal(t, want, sidecar.PalletName(name))
	}
}
