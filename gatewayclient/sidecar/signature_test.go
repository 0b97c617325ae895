package sidecar_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

const prices = `"gasPrice": "1", "maxFeePerGas": "1", "maxPriorityFeePerGas": "1", `

var (
	pointR = "0x" + strings.Repeat("1a", 32)
	pointS = "0x" + strings.Repeat("2B", 32)
)

func hash(t *testing.T, text string) chain.Hash {
	t.Helper()
	h, err := chain.ParseHash(text)
	require.NoError(t, err)
	return h
}

func TestSignature(t *testing.T) {
	point := `"r": "` + pointR + `", "s": "` + pointS + `"`
	for name, c := range map[string]struct {
		kind, fields string
		v            uint64
		error        string
	}{
		"legacy":                {"legacy", `"signature": {"v": "2604", ` + point + `}`, 2604, ""},
		"legacy, v a number":    {"legacy", `"signature": {"v": 27, ` + point + `}`, 27, ""},
		"legacy, v in hex":      {"legacy", `"signature": {"v": "0xa2b", ` + point + `}`, 2603, ""},
		"legacy, any v is read": {"legacy", `"signature": {"v": "18446744073709551615", ` + point + `}`, 18446744073709551615, ""},
		"typed, odd":            {"eip1559", `"oddYParity": true, ` + point, 1, ""},
		"typed, even":           {"eip2930", `"oddYParity": "0", ` + point, 0, ""},
		"in its own member":     {"eip2930", `"signature": {"oddYParity": true, ` + point + `}`, 1, ""},
		"own member of eip7702": {"eip7702", `"signature": {"oddYParity": false, ` + point + `}`, 0, ""},
		"own member first":      {"eip1559", `"oddYParity": false, "signature": {"oddYParity": true, ` + point + `}`, 1, ""},
		"member null":           {"eip1559", `"signature": null, "oddYParity": true, ` + point, 1, ""},

		"legacy, none":           {"legacy", `"x": 1`, 0, "signature.v: missing"},
		"legacy, no v":           {"legacy", `"signature": {` + point + `}`, 0, "signature.v: missing"},
		"legacy, v over 64 bits": {"legacy", `"signature": {"v": "0x10000000000000000", ` + point + `}`, 0, "signature.v: 0x10000000000000000 is more than 64 bits"},
		"legacy, no r":           {"legacy", `"signature": {"v": "27", "s": "` + pointS + `"}`, 0, "signature.r: missing"},
		"legacy, s too short":    {"legacy", `"signature": {"v": "27", "r": "` + pointR + `", "s": "0x12"}`, 0, `signature.s: "0x12" is not a hash: want 0x and 64 hex digits`},
		"typed, no parity":       {"eip1559", point, 0, "oddYParity: missing"},
		"typed, v for a parity":  {"eip1559", `"v": "27", ` + point, 0, "oddYParity: missing"},
		"typed, no s":            {"eip1559", `"oddYParity": true, "r": "` + pointR + `"`, 0, "s: missing"},
		"own member, no r":       {"eip1559", `"signature": {"oddYParity": true}, ` + point, 0, "r: missing"},
	} {
		t.Run(name, func(t *testing.T) {
			p := payload(t, c.kind, prices+c.fields)
			signature, err := p.Signature.Get()
			requireError(t, c.error, err)
			if c.error != "" {
				require.Zero(t, signature)
				return
			}
			require.Equal(t, chain.Signature{V: c.v, R: hash(t, pointR), S: hash(t, pointS)}, signature)
		})
	}
}

func TestChainID(t *testing.T) {
	for name, c := range map[string]struct {
		field string
		want  uint64
		error string
	}{
		"text":         {`"chainId": "1284"`, 1284, ""},
		"number":       {`"chainId": 1284`, 1284, ""},
		"hex":          {`"chainId": "0x504"`, 1284, ""},
		"largest":      {`"chainId": "18446744073709551615"`, 18446744073709551615, ""},
		"over 64 bits": {`"chainId": "18446744073709551616"`, 0, "chainId: 18446744073709551616 is more than 64 bits"},
		"missing":      {`"x": 1`, 0, "chainId: missing"},
		"a bool":       {`"chainId": true`, 0, "chainId: want a number, have a bool"},
	} {
		t.Run(name, func(t *testing.T) {
			p := payload(t, "eip1559", prices+c.field)
			id, err := p.ChainID.Get()
			requireError(t, c.error, err)
			require.Equal(t, c.want, id)
		})
	}
}

// Only the runtimes' own names of the EIP-7702 fields are accepted.
func TestFieldsOfEIP7702(t *testing.T) {
	p := payload(t, "eip7702", prices+`"destination": {"call": "`+bob+`"}, "data": "0x0102"`)
	action, err := p.Action.Get()
	require.NoError(t, err)
	require.Equal(t, bob, action.To.String())
	input, err := p.Input.Get()
	require.NoError(t, err)
	require.Equal(t, []byte{1, 2}, input)

	p = payload(t, "eip7702", prices+`"action": {"call": "`+bob+`"}, "input": "0x0102", "oddYParity": true, "r": "`+pointR+`", "s": "`+pointS+`"`)
	_, err = p.Action.Get()
	require.EqualError(t, err, `destination: want {"call": address} or {"create": null}`)
	_, err = p.Input.Get()
	require.EqualError(t, err, "data: want a string of 0x and hex digits")
	_, err = p.Signature.Get()
	require.EqualError(t, err, "oddYParity: missing")

	p = payload(t, "eip1559", prices+`"destination": {"call": "`+bob+`"}, "data": "0x0102"`)
	_, err = p.Action.Get()
	require.EqualError(t, err, `action: want {"call": address} or {"create": null}`)
	_, err = p.Input.Get()
	require.EqualError(t, err, "input: want a string of 0x and hex digits")
}

func TestAuthorizations(t *testing.T) {
	to, err := chain.ParseAddress(bob)
	require.NoError(t, err)
	good := `{"chainId": "1287", "address": "` + bob + `", "nonce": "7", "signature": {"oddYParity": true, "r": "` + pointR + `", "s": "` + pointS + `"}}`
	change := func(old, replacement string) string {
		require.Contains(t, good, old)
		return `"authorizationList": [` + good + `, ` + strings.Replace(good, old, replacement, 1) + `]`
	}
	for name, c := range map[string]struct {
		field string
		count int
		error string
	}{
		"empty":         {`"authorizationList": []`, 0, ""},
		"one":           {`"authorizationList": [` + good + `]`, 1, ""},
		"two":           {`"authorizationList": [` + good + `,` + good + `]`, 2, ""},
		"nonce too big": {change(`"7"`, `"1`+strings.Repeat("0", 78)+`"`), 0, "authorizationList[1].nonce: 1" + strings.Repeat("0", 78) + " is more than 256 bits"},
		"missing":       {`"x": 1`, 0, "authorizationList: want an array, have absent"},
		"an object":     {`"authorizationList": {}`, 0, "authorizationList: want an array, have an object"},
		"no chain":      {change("chainId", "x"), 0, "authorizationList[1].chainId: missing"},
		"no address":    {change("address", "x"), 0, "authorizationList[1].address: missing"},
		"nonce no text": {change(`"7"`, `"-1"`), 0, `authorizationList[1].nonce: "-1" is not a non-negative integer`},
		"parity 2":      {change("true", "2"), 0, "authorizationList[1].signature.oddYParity: want 0 or 1, have 2"},
		"no r":          {change(`"r"`, `"x"`), 0, "authorizationList[1].signature.r: missing"},
	} {
		t.Run(name, func(t *testing.T) {
			p := payload(t, "eip7702", prices+c.field)
			list, err := p.Authorizations.Get()
			requireError(t, c.error, err)
			require.Len(t, list, c.count)
			for _, a := range list {
				require.Equal(t, uint64(1287), a.ChainID)
				require.Equal(t, to, a.Address)
				require.Equal(t, "7", a.Nonce.String())
				require.Equal(t, chain.Signature{V: 1, R: hash(t, pointR), S: hash(t, pointS)}, a.Signature)
			}
		})
	}
}
