package sidecar_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

const (
	alice = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"
	bob   = "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"
	long  = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY" // an account of 32 bytes
)

func TestParsePayloadByType(t *testing.T) {
	for name, c := range map[string]struct {
		args                      string
		kind                      chain.TransactionType
		legacy, largest, priority string
	}{
		"legacy":                           {`{"transaction": {"legacy": {"nonce": "7", "gasPrice": "5", "gasLimit": "21000", "value": "9"}}}`, chain.Legacy, "5", "0", "0"},
		"eip2930":                          {`{"transaction": {"eip2930": {"chainId": 1284, "nonce": 7, "gasPrice": "0x5", "gasLimit": "0x5208", "value": 9}}}`, chain.EIP2930, "5", "0", "0"},
		"eip1559":                          {`{"transaction": {"eip1559": {"nonce": "7", "maxPriorityFeePerGas": "2", "maxFeePerGas": "6", "gasLimit": "21000", "value": "9"}}}`, chain.EIP1559, "0", "6", "2"},
		"eip7702":                          {`{"transaction": {"eip7702": {"authorizationList": [{"nonce": "1"}], "nonce": "7", "maxPriorityFeePerGas": "2", "maxFeePerGas": "6", "gasLimit": "21000", "value": "9"}}}`, chain.EIP7702, "0", "6", "2"},
		"without a type":                   {`{"transaction": {"nonce": "7", "gasPrice": "5", "gasLimit": "21000", "value": "9"}}`, chain.Legacy, "5", "0", "0"},
		"without a type, price first":      {`{"transaction": {"gasPrice": "5", "nonce": "7", "gasLimit": "21000", "value": "9"}}`, chain.Legacy, "5", "0", "0"},
		"other arguments before and after": {`{"a": {"transaction": 1}, "transaction": {"legacy": {"nonce": "7", "gasPrice": "5", "gasLimit": "21000", "value": "9"}}, "b": []}`, chain.Legacy, "5", "0", "0"},
		"both kinds of price":              {`{"transaction": {"legacy": {"nonce": "7", "gasPrice": "5", "maxFeePerGas": "6", "maxPriorityFeePerGas": "2", "gasLimit": "21000", "value": "9"}}}`, chain.Legacy, "5", "6", "2"},
		"white space":                      {"{ \"transaction\" :\n\t{ \"legacy\" : { \"nonce\" : \"7\" , \"gasPrice\" : 5 , \"gasLimit\" : 21000, \"value\" : 9 } } }", chain.Legacy, "5", "0", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := sidecar.DecodePayload(c.args)
			require.NoError(t, err)
			require.Equal(t, c.kind, p.Type)
			require.Equal(t, "7", p.Nonce.String())
			require.Equal(t, c.legacy, p.LegacyGasPrice.String())
			require.Equal(t, c.largest, p.MaxFeePerGas.String())
			require.Equal(t, c.priority, p.MaxPriorityFeePerGas.String())
			require.Equal(t, chain.NewGas(21000), p.GasLimit)
			require.Equal(t, chain.NewWei(9), p.Value)
		})
	}
}

func TestParsePayloadRefuses(t *testing.T) {
	const form = "args.transaction: want an object with one member, named after the transaction's type"
	legacy := func(from, to string) string {
		good := `{"transaction": {"legacy": {"nonce": "7", "gasPrice": "5", "gasLimit": "21000", "value": "9"}}}`
		return strings.Replace(good, from, to, 1)
	}
	dynamic := func(from, to string) string {
		good := `{"transaction": {"eip1559": {"nonce": "7", "maxPriorityFeePerGas": "2", "maxFeePerGas": "6", "gasLimit": "21000", "value": "9"}}}`
		return strings.Replace(good, from, to, 1)
	}
	for name, c := range map[string]struct{ args, want string }{
		"no transaction":             {`{}`, "args.transaction: missing"},
		"arguments that are null":    {`null`, "args.transaction: missing"},
		"arguments in an array":      {`[1]`, "args.transaction: missing"},
		"transaction null":           {`{"transaction": null}`, form},
		"transaction a string":       {`{"transaction": "0x02f8"}`, form},
		"transaction empty":          {`{"transaction": {}}`, form},
		"two types":                  {legacy(`"value": "9"}`, `"value": "9"}, "eip1559": {}`), form},
		"type in upper case":         {legacy("legacy", "Legacy"), `args.transaction: unknown transaction type "Legacy"`},
		"unknown type":               {legacy("legacy", "eip4844"), `args.transaction: unknown transaction type "eip4844"`},
		"long unknown type":          {legacy("legacy", strings.Repeat("x", 100)), `args.transaction: unknown transaction type "` + strings.Repeat("x", 80) + `…"`},
		"type that is a string":      {`{"transaction": {"legacy": "0x"}}`, "args.transaction.legacy: want an object, have a string"},
		"nonce missing":              {legacy(`"nonce": "7", `, ""), "args.transaction.legacy.nonce: missing"},
		"nonce over 64 bits":         {legacy(`"7"`, `"18446744073709551616"`), "args.transaction.legacy.nonce: 18446744073709551616 is more than 64 bits"},
		"gasPrice missing":           {legacy(`"gasPrice": "5", `, ""), "args.transaction.legacy.gasPrice: missing"},
		"gasPrice null":              {legacy(`"gasPrice": "5"`, `"gasPrice": null`), "args.transaction.legacy.gasPrice: missing"},
		"gasPrice negative":          {legacy(`"5"`, `"-5"`), `args.transaction.legacy.gasPrice: "-5" is not a non-negative integer`},
		"gasPrice negative number":   {legacy(`"5"`, `-5`), `args.transaction.legacy.gasPrice: "-5" is not a non-negative integer`},
		"gasPrice with a fraction":   {legacy(`"5"`, `5.0`), `args.transaction.legacy.gasPrice: "5.0" is not a non-negative integer`},
		"gasPrice over 256 bits":     {legacy(`"5"`, `"115792089237316195423570985008687907853269984665640564039457584007913129639936"`), "args.transaction.legacy.gasPrice: 115792089237316195423570985008687907853269984665640564039457584007913129639936 is more than 256 bits"},
		"gasPrice an object":         {legacy(`"5"`, `{}`), "args.transaction.legacy.gasPrice: want a number, have an object"},
		"gasLimit missing":           {legacy(`"gasLimit": "21000", `, ""), "args.transaction.legacy.gasLimit: missing"},
		"gasLimit over 64 bits":      {legacy(`"21000"`, `"0x10000000000000000"`), "args.transaction.legacy.gasLimit: 0x10000000000000000 is more than 64 bits"},
		"value missing":              {legacy(`, "value": "9"`, ""), "args.transaction.legacy.value: missing"},
		"value over 128 bits":        {legacy(`"9"`, `"340282366920938463463374607431768211456"`), "args.transaction.legacy.value: 340282366920938463463374607431768211456 is more than 128 bits"},
		"maxFeePerGas missing":       {dynamic(`"maxFeePerGas": "6", `, ""), "args.transaction.eip1559.maxFeePerGas: missing"},
		"priority missing":           {dynamic(`"maxPriorityFeePerGas": "2", `, ""), "args.transaction.eip1559.maxPriorityFeePerGas: missing"},
		"eip1559 with gasPrice":      {dynamic(`"maxPriorityFeePerGas": "2", "maxFeePerGas": "6"`, `"gasPrice": "6"`), "args.transaction.eip1559.maxFeePerGas: missing"},
		"maxFeePerGas a bool":        {dynamic(`"6"`, `true`), "args.transaction.eip1559.maxFeePerGas: want a number, have a bool"},
		"without a type, price null": {`{"transaction": {"gasPrice": null, "nonce": "7", "gasLimit": "21000", "value": "9"}}`, "args.transaction.gasPrice: missing"},
		"without a type, no nonce":   {`{"transaction": {"gasPrice": "5", "gasLimit": "21000", "value": "9"}}`, "args.transaction.nonce: missing"},
		"a type and fields beside":   {legacy(`{"legacy": `, `{"gasPrice": "5", "legacy": `), "args.transaction.nonce: missing"},
		"without a type or a price":  {`{"transaction": {"nonce": "7", "gasLimit": "21000", "value": "9"}}`, "args.transaction: want an object with one member, named after the transaction's type"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := sidecar.DecodePayload(c.args)
			require.EqualError(t, err, c.want)
			require.Nil(t, p)
		})
	}
}

func TestAction(t *testing.T) {
	to, err := chain.ParseAddress(bob)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		fields string
		want   chain.Action
		error  string
	}{
		"call":                  {`"action": {"call": "` + bob + `"}`, chain.Action{To: to}, ""},
		"call in upper case":    {`"action": {"Call": "` + strings.ToLower(bob) + `"}`, chain.Action{To: to}, ""},
		"create":                {`"action": {"create": null}`, chain.Action{Create: true}, ""},
		"create in upper case":  {`"action": {"Create": null}`, chain.Action{Create: true}, ""},
		"call of no address":    {`"action": {"call": null}`, chain.Action{}, "action.call: missing"},
		"call of half a one":    {`"action": {"call": "0x3Cd0A705"}`, chain.Action{}, `action.call: "0x3Cd0A705" is not an address: want 0x and 40 hex digits`},
		"another action":        {`"action": {"destroy": null}`, chain.Action{}, `action: want {"call": address} or {"create": null}`},
		"two actions":           {`"action": {"create": null, "call": "` + bob + `"}`, chain.Action{}, `action: want {"call": address} or {"create": null}`},
		"action that is a word": {`"action": "Create"`, chain.Action{}, `action: want {"call": address} or {"create": null}`},
		"no action":             {`"x": 1`, chain.Action{}, `action: want {"call": address} or {"create": null}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := payload(t, "legacy", `"gasPrice": "1", `+c.fields)
			action, err := p.Action.Get()
			requireError(t, c.error, err)
			require.Equal(t, c.want, action)
		})
	}
}

func TestInput(t *testing.T) {
	const want = "input: want a string of 0x and hex digits"
	for name, c := range map[string]struct {
		field string
		bytes []byte
		error string
	}{
		"empty":            {`"input": "0x"`, []byte{}, ""},
		"bytes":            {`"input": "0xa9059cbB"`, []byte{0xa9, 0x05, 0x9c, 0xbb}, ""},
		"half a byte":      {`"input": "0xa90"`, nil, want},
		"not hex":          {`"input": "0xzz"`, nil, want},
		"no 0x":            {`"input": "a905"`, nil, want},
		"another kind":     {`"input": 12`, nil, want},
		"null":             {`"input": null`, nil, want},
		"no input":         {`"data": "0x"`, nil, want},
		"0X in upper case": {`"input": "0X00"`, nil, want},
	} {
		t.Run(name, func(t *testing.T) {
			p := payload(t, "legacy", `"gasPrice": "1", `+c.field)
			input, err := p.Input.Get()
			requireError(t, c.error, err)
			require.Equal(t, c.bytes, input)
		})
	}
}

func TestAccessList(t *testing.T) {
	a, err := chain.ParseAddress(alice)
	require.NoError(t, err)
	b, err := chain.ParseAddress(bob)
	require.NoError(t, err)
	one, two := "0x"+strings.Repeat("11", 32), "0x"+strings.Repeat("2A", 32)
	first, err := chain.ParseHash(one)
	require.NoError(t, err)
	second, err := chain.ParseHash(two)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		kind, field string
		want        []chain.AccessEntry
		error       string
	}{
		"legacy has none":     {"legacy", `"x": 1`, nil, ""},
		"empty":               {"eip2930", `"accessList": []`, nil, ""},
		"one without keys":    {"eip2930", `"accessList": [{"address": "` + alice + `", "storageKeys": []}]`, []chain.AccessEntry{{Address: a}}, ""},
		"two with keys":       {"eip1559", `"accessList": [{"address": "` + alice + `", "storageKeys": ["` + one + `", "` + two + `"]}, {"storageKeys": ["` + one + `"], "address": "` + bob + `"}]`, []chain.AccessEntry{{Address: a, StorageKeys: []chain.Hash{first, second}}, {Address: b, StorageKeys: []chain.Hash{first}}}, ""},
		"missing":             {"eip2930", `"x": 1`, nil, "accessList: want an array, have absent"},
		"null":                {"eip1559", `"accessList": null`, nil, "accessList: want an array, have null"},
		"an object":           {"eip7702", `"accessList": {}`, nil, "accessList: want an array, have an object"},
		"address missing":     {"eip2930", `"accessList": [{"storageKeys": []}]`, nil, "accessList[0].address: missing"},
		"address of 32 bytes": {"eip2930", `"accessList": [{"address": "` + long + `"}]`, nil, `accessList[0].address: ` + long + `: want an EVM address, 0x and 40 hex digits`},
		"address too short":   {"eip2930", `"accessList": [{"address": "` + alice + `"}, {"address": "0x12"}]`, nil, `accessList[1].address: "0x12" is not an address: want 0x and 40 hex digits`},
		"key too short":       {"eip2930", `"accessList": [{"address": "` + alice + `", "storageKeys": ["` + one + `", "0x11"]}]`, nil, `accessList[0].storageKeys[1]: "0x11" is not a hash: want 0x and 64 hex digits`},
		"entry not an object": {"eip2930", `"accessList": ["` + alice + `"]`, nil, "accessList[0].address: missing"},
	} {
		t.Run(name, func(t *testing.T) {
			p := payload(t, c.kind, `"gasPrice": "1", "maxFeePerGas": "1", "maxPriorityFeePerGas": "1", `+c.field)
			list, err := p.AccessList.Get()
			requireError(t, c.error, err)
			require.Equal(t, c.want, list)
		})
	}
}

func TestOddYParity(t *testing.T) {
	for name, c := range map[string]struct {
		field string
		want  bool
		error string
	}{
		"true":      {`"oddYParity": true`, true, ""},
		"false":     {`"oddYParity": false`, false, ""},
		"number 1":  {`"oddYParity": 1`, true, ""},
		"number 0":  {`"oddYParity": 0`, false, ""},
		"text 1":    {`"oddYParity": "1"`, true, ""},
		"text 0":    {`"oddYParity": "0"`, false, ""},
		"hex 1":     {`"oddYParity": "0x1"`, true, ""},
		"hex 0":     {`"oddYParity": "0x00"`, false, ""},
		"2":         {`"oddYParity": 2`, false, "oddYParity: want 0 or 1, have 2"},
		"text 27":   {`"oddYParity": "27"`, false, "oddYParity: want 0 or 1, have 27"},
		"text true": {`"oddYParity": "true"`, false, `oddYParity: "true" is not a non-negative integer`},
		"null":      {`"oddYParity": null`, false, "oddYParity: missing"},
		"missing":   {`"x": 1`, false, "oddYParity: missing"},
		"2^64":      {`"oddYParity": 18446744073709551616`, false, "oddYParity: 18446744073709551616 is more than 64 bits"},
		"an object": {`"oddYParity": {}`, false, "oddYParity: want a number, have an object"},
	} {
		t.Run(name, func(t *testing.T) {
			p := payload(t, "eip1559", `"r": "`+pointR+`", "s": "`+pointS+`", "maxFeePerGas": "1", "maxPriorityFeePerGas": "1", `+c.field)
			signature, err := p.Signature.Get()
			requireError(t, c.error, err)
			require.Equal(t, c.want, signature.V == 1)
		})
	}
}

// A legacy transaction without a type has its other fields in the same places, in any layout and with any
// following text.
func TestFieldsOfAPayloadWithoutAType(t *testing.T) {
	const fields = `{"nonce":"1","gasPrice":"5","gasLimit":"21000","action":{"Call":"` + bob + `"},"value":"0","input":"0x0102","signature":{"v":"2604"}}`
	for name, args := range map[string]string{
		"as the gateway writes it":             `{"transaction":` + fields + `}`,
		"white space before it":                `{"transaction": ` + fields + `}`,
		"new line before it":                   "{\"transaction\":\n\t" + fields + "\n}",
		"another argument after it":            `{"transaction":` + fields + `,"other":[]}`,
		"another argument that is an object":   `{"transaction":` + fields + `,"other":{"legacy":{}}}`,
		"another argument before it":           `{"other":{"legacy":{}},"transaction":` + fields + `}`,
		"action before the other fields":       `{"transaction":{"action":{"Call":"` + bob + `"},` + strings.Replace(fields[1:], `"action":{"Call":"`+bob+`"},`, "", 1) + `}`,
		"the first argument has the same name": `{"nonce":"9","transaction":` + fields + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			p, err := sidecar.DecodePayload(args)
			require.NoError(t, err)
			require.Equal(t, chain.Legacy, p.Type)
			require.Equal(t, "1", p.Nonce.String())
			require.Equal(t, chain.NewGasPrice(5), p.LegacyGasPrice)
			action, err := p.Action.Get()
			require.NoError(t, err)
			require.Equal(t, bob, action.To.String())
			input, err := p.Input.Get()
			require.NoError(t, err)
			require.Equal(t, []byte{1, 2}, input)
			list, err := p.AccessList.Get()
			require.NoError(t, err)
			require.Empty(t, list)
		})
	}
}

// payload is args.transaction of a type with the fields in text.
func payload(t testing.TB, kind, fields string) *chain.Payload {
	t.Helper()
	p, err := sidecar.DecodePayload(`{"transaction": {"` + kind + `": {"nonce": "0", "gasLimit": "21000", "value": "0", ` + fields + `}}}`)
	require.NoError(t, err)
	return p
}

// requireError requires no error if the message is "".
func requireError(t *testing.T, message string, err error) {
	t.Helper()
	if message == "" {
		require.NoError(t, err)
		return
	}
	require.EqualError(t, err, message)
}
