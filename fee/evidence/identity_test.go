package evidence_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/sha3"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/internal/test/vectors"
)

// transact returns an ethereum.transact extrinsic with the transaction in text.
func transact(t testing.TB, transaction string) *chain.Extrinsic {
	t.Helper()
	require.True(t, json.Valid([]byte(transaction)), transaction)
	return &chain.Extrinsic{Pallet: "ethereum", Call: "transact", Payload: chain.DecodedOf(sidecar.DecodePayload(`{"transaction":` + transaction + `}`))}
}

func identify(t testing.TB, transaction string) evidence.Identity {
	t.Helper()
	id, err := evidence.Identify(transact(t, transaction))
	require.NoError(t, err, transaction)
	return id
}

// lower returns an address as the chain writes it, "" for none.
func lower(a chain.Optional[chain.Address]) string {
	if address, ok := a.Get(); ok {
		return strings.ToLower(address.String())
	}
	return ""
}

func TestIdentityVectors(t *testing.T) {
	names := vectors.Names{Inputs: "transaction signed", Wanted: "hash sender to contract"}
	vectors.Run(t, "identity.txt", names, func(t *testing.T, v *vectors.Values) {
		signed, err := hex.DecodeString(strings.TrimPrefix(v.Input("signed"), "0x"))
		require.NoError(t, err)
		keccak := sha3.NewLegacyKeccak256()
		keccak.Write(signed)
		v.Equal("hash", "0x"+hex.EncodeToString(keccak.Sum(nil)))

		id := identify(t, v.Input("transaction"))
		v.Equal("hash", id.Hash)
		v.Equal("sender", strings.ToLower(id.Sender.String()))
		require.Equal(t, v.Wants("to"), id.To.Known())
		require.NotEqual(t, v.Wants("to"), v.Wants("contract"), v.Place())
		if v.Wants("to") {
			v.Equal("to", lower(id.To))
		} else {
			v.Equal("contract", lower(id.Contract))
		}
	})
}

// sent is a transaction as it was sent to the recorded chain.
type sent struct {
	Family  string `json:"family"`
	Height  uint64 `json:"height"`
	Index   int    `json:"index"`
	From    string `json:"from"`
	Create  bool   `json:"create"`
	EVMHash string `json:"ethHash"`
	Raw     string `json:"raw"` // the signed bytes
}

var recordings = map[string]struct{ transactions, creations int }{
	"moonbeam-2100": {55, 6},
	"moonbeam-1701": {45, 6},
}

// Every recorded transaction is identical to the one that was sent, and to the one that the chain executed.
func TestRecordings(t *testing.T) {
	for name, want := range recordings {
		t.Run(name, func(t *testing.T) {
			bytesSent := map[[2]uint64]sent{}
			var file struct{ Sent []sent }
			text, err := os.ReadFile(filepath.Join("../..", "testdata", "recordings", name, "sent.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &file))
			for _, s := range file.Sent {
				if s.Family == "evm" {
					bytesSent[[2]uint64{s.Height, uint64(s.Index)}] = s
				}
			}
			transactions, creations, compared := 0, 0, 0
			for height, x := range recorded(t, name) {
				id, executed := identifyExecuted(t, x)
				transactions++
				if id.Contract.Known() {
					creations++
				}
				s, ok := bytesSent[[2]uint64{height, uint64(x.Index)}]
				if !ok {
					continue
				}
				compared++
				raw, err := hex.DecodeString(strings.TrimPrefix(s.Raw, "0x"))
				require.NoError(t, err)
				var transaction types.Transaction
				require.NoError(t, transaction.UnmarshalBinary(raw))
				require.Equal(t, s.EVMHash, transaction.Hash().Hex())
				require.Equal(t, s.EVMHash, id.Hash.String())
				require.Equal(t, s.From, id.Sender.String())
				require.Equal(t, s.Create, id.Contract.Known())
				require.Equal(t, executed.Hash, id.Hash)
			}
			require.Equal(t, want.transactions, transactions)
			require.Equal(t, want.creations, creations)
			require.Equal(t, len(bytesSent), compared)
			require.Equal(t, transactions, compared, "some were not sent")
		})
	}
}

// recorded walks the EVM transactions of a recording, with their heights.
func recorded(t testing.TB, name string) func(func(uint64, *chain.Extrinsic) bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", "testdata", "recordings", name, "blocks", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return func(yield func(uint64, *chain.Extrinsic) bool) {
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			block, err := sidecar.DecodeBlock(string(text))
			require.NoError(t, err, file)
			for i := range block.Extrinsics {
				x := &block.Extrinsics[i]
				if x.Pallet == "ethereum" && x.Call == "transact" && !yield(block.Number, x) {
					return
				}
			}
		}
	}
}

// identifyExecuted requires an identity that matches the chain's record.
func identifyExecuted(t testing.TB, x *chain.Extrinsic) (evidence.Identity, evm.Executed) {
	t.Helper()
	executed, err := evm.FindExecuted(x)
	require.NoError(t, err)
	id, err := evidence.Identify(x)
	require.NoError(t, err)
	require.Empty(t, id.Check(executed))
	require.Equal(t, executed.Hash, id.Hash)
	require.Equal(t, executed.From, id.Sender)
	to, call := id.To.Get()
	contract, creation := id.Contract.Get()
	require.NotEqual(t, call, creation)
	if call {
		require.Equal(t, executed.To, to)
	} else {
		require.Equal(t, executed.To, contract)
	}
	return id, executed
}

// A block of the real network, if available.
func TestRealBlock(t *testing.T) {
	text, err := os.ReadFile(repository.Shared(t, "realnet", "moonbeam-11728459.json"))
	require.NoError(t, err)
	block, err := sidecar.DecodeBlock(string(text))
	require.NoError(t, err)
	transactions := 0
	for i := range block.Extrinsics {
		if x := &block.Extrinsics[i]; x.Pallet == "ethereum" {
			identifyExecuted(t, x)
			transactions++
		}
	}
	require.Equal(t, 9, transactions)
}

// Gateways write the same payload differently; its identity is the same.
func TestSpellings(t *testing.T) {
	const example = `{"eip1559":{"chainId":"1284","nonce":"258","maxPriorityFeePerGas":"1","maxFeePerGas":"3000000000",` +
		`"gasLimit":"400000","action":{"call":"0x3535353535353535353535353535353535353535"},"value":"1000000000000000000",` +
		`"input":"0xab","accessList":[],"oddYParity":true,` +
		`"r":"0xab7e68974b9b168194609e58480d979bb6db83d52f3b5500413f6022bd7c5a3f","s":"0x08ac89c55ce61e4d8dfaef1dc1bc1c86e49c141c3e19c492364bc9d95c07c1e5"}}`
	want := identify(t, example)
	for name, write := range map[string]func(digits string) string{
		"JSON numbers":    func(digits string) string { return digits },
		"hex":             func(digits string) string { return `"0x` + bigNumber(digits).Text(16) + `"` },
		"hex, padded":     func(digits string) string { return fmt.Sprintf(`"0x%064x"`, bigNumber(digits)) },
		"hex, upper case": func(digits string) string { return fmt.Sprintf(`"0x%X"`, bigNumber(digits)) },
		"decimal, padded": func(digits string) string { return fmt.Sprintf(`"%050d"`, bigNumber(digits)) },
	} {
		text := example
		for _, digits := range []string{"1284", "258", "1", "3000000000", "400000", "1000000000000000000"} {
			text = strings.Replace(text, `"`+digits+`"`, write(digits), 1)
		}
		require.NotEqual(t, example, text, name)
		require.Equal(t, want, identify(t, text), name)
	}
	for name, change := range map[string]*strings.Replacer{
		"parity a number":        strings.NewReplacer(`"oddYParity":true`, `"oddYParity":1`),
		"parity a string":        strings.NewReplacer(`"oddYParity":true`, `"oddYParity":"1"`),
		"hex digits upper case":  strings.NewReplacer("ab7e68974b9b168194609e58480d979bb6db83d52f3b5500413f6022bd7c5a3f", "AB7E68974B9B168194609E58480D979BB6DB83D52F3B5500413F6022BD7C5A3F", "0xab", "0xAB"),
		"action upper case":      strings.NewReplacer(`"call"`, `"Call"`),
		"white space":            strings.NewReplacer(`:`, " :\n", `,`, "\t, "),
		"fields that nobody has": strings.NewReplacer(`"nonce"`, `"aUnknown":{"r":"0x"},"nonce"`),
	} {
		text := change.Replace(example)
		require.NotEqual(t, example, text, name)
		require.Equal(t, want, identify(t, text), name)
	}
}

func bigNumber(digits string) *big.Int {
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		panic(digits)
	}
	return n
}

// vectorTransactions returns the transactions of the vectors, by id.
func vectorTransactions(t testing.TB) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", "testdata", "vectors", "identity.txt"))
	require.NoError(t, err)
	cases, err := vectors.Parse("identity.txt", string(text), vectors.Names{Inputs: "transaction signed", Wanted: "hash sender to contract"})
	require.NoError(t, err)
	found := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		id, rest, ok := strings.Cut(line, "  transaction=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		transaction, _, ok := strings.Cut(rest, " signed=")
		require.True(t, ok, line)
		found[id] = transaction
	}
	require.Len(t, found, len(cases))
	return found
}

// Every change of a signed field is detected: each field of each vector, at any depth, is changed separately.
func TestTampering(t *testing.T) {
	fields := map[string]bool{} // type and path, without positions
	for name, transaction := range vectorTransactions(t) {
		original := identify(t, transaction)
		executed := evm.Executed{From: original.Sender, To: recipient(original), Hash: original.Hash, Count: 1}
		require.Empty(t, original.Check(executed), name)

		for _, tampered := range tamper(t, transaction) {
			fields[tampered.field] = true
			id, err := evidence.Identify(transact(t, tampered.text))
			if err != nil {
				require.Zero(t, id)
				continue
			}
			mismatches := id.Check(executed)
			require.NotEmpty(t, mismatches, "%s: %s", name, tampered.what)
			require.Equal(t, evidence.Mismatch{Part: evidence.HashPart, Claimed: original.Hash.String(), Recovered: id.Hash.String()}, mismatches[0])
			require.NotEqual(t, original.Hash, id.Hash, "%s: %s", name, tampered.what)
			// The signature then belongs to other bytes, or is different: a third key matches.
			require.NotEqual(t, original.Sender, id.Sender, "%s: %s", name, tampered.what)
		}
	}
	require.Equal(t, signedFields(), slices.Sorted(maps.Keys(fields)))
}

// signedFields returns all fields that a signer signs, of each type.
func signedFields() []string {
	common := []string{"nonce", "gasLimit", "action", "value", "input"}
	typed := append([]string{"chainId", "accessList", "accessList.address", "accessList.storageKeys", "oddYParity", "r", "s",
		"signature.oddYParity", "signature.r", "signature.s"}, common...)
	legacy := append([]string{"gasPrice", "signature.v", "signature.r", "signature.s"}, common...)
	all := map[string]bool{}
	for kind, names := range map[string][]string{
		"legacy.": legacy, "": legacy,
		"eip2930.": append([]string{"gasPrice"}, typed...),
		"eip1559.": append([]string{"maxPriorityFeePerGas", "maxFeePerGas"}, typed...),
		"eip7702.": {"chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gasLimit", "destination", "value", "data",
			"accessList", "accessList.address", "accessList.storageKeys",
			"authorizationList", "authorizationList.chainId", "authorizationList.address", "authorizationList.nonce",
			"authorizationList.signature.oddYParity", "authorizationList.signature.r", "authorizationList.signature.s",
			"signature.oddYParity", "signature.r", "signature.s"},
	} {
		for _, name := range names {
			all[kind+name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func recipient(id evidence.Identity) chain.Address {
	if to, ok := id.To.Get(); ok {
		return to
	}
	contract, _ := id.Contract.Get()
	return contract
}

type tampered struct{ field, what, text string }

// tamper changes every value of a transaction, one at a time.
func tamper(t testing.TB, transaction string) []tampered {
	t.Helper()
	var list []tampered
	var root any
	decoder := json.NewDecoder(strings.NewReader(transaction))
	require.NoError(t, decoder.Decode(&root))
	var walk func(field string, v any, set func(any))
	walk = func(field string, v any, set func(any)) {
		try := func(what string, changed any) {
			set(changed)
			text, err := json.Marshal(root)
			require.NoError(t, err)
			list = append(list, tampered{strings.TrimPrefix(field, "."), field + ": " + what, string(text)})
			set(v)
		}
		switch v := v.(type) {
		case map[string]any:
			if kind, to, ok := action(v); ok {
				for _, changed := range actions(kind, to) {
					try(fmt.Sprint(changed), changed)
				}
				return
			}
			for key, member := range v {
				walk(field+"."+key, member, func(changed any) { v[key] = changed })
			}
		case []any:
			for i, element := range v {
				walk(field, element, func(changed any) { v[i] = changed })
				try("without element "+strconv.Itoa(i), slices.Delete(slices.Clone(v), i, i+1))
				try("element twice "+strconv.Itoa(i), slices.Insert(slices.Clone(v), i, element))
			}
			if len(v) > 1 {
				swapped := slices.Clone(v)
				slices.Reverse(swapped)
				try("in reverse", swapped)
			}
		case bool:
			try("not", !v)
		case string:
			for _, changed := range texts(field, v) {
				try(changed, changed)
			}
		default:
			require.Fail(t, "a value of another kind", "%s: %T", field, v)
		}
	}
	walk("", root, func(changed any) { root = changed })
	return list
}

func action(v map[string]any) (kind string, to any, ok bool) {
	for key, value := range v {
		if len(v) == 1 && (key == "call" || key == "create") {
			return key, value, true
		}
	}
	return "", nil, false
}

// actions are the alternatives to an action.
func actions(kind string, to any) []any {
	const other = "0x1111111111111111111111111111111111111111"
	if kind == "create" {
		return []any{map[string]any{"call": other}, map[string]any{"call": "0x" + strings.Repeat("0", 40)}}
	}
	changed := []any{map[string]any{"create": nil}, map[string]any{"call": other}}
	for _, text := range flips(to.(string)) {
		changed = append(changed, map[string]any{"call": text})
	}
	return changed
}

// texts are alternatives to a string: for a number, its neighbours and one with a flipped bit; for bytes,
// changes in the first and the last byte, and more and fewer bytes.
func texts(field, text string) []string {
	if strings.HasPrefix(text, "0x") {
		changed := flips(text)
		if strings.HasSuffix(field, ".input") || strings.HasSuffix(field, ".data") {
			changed = append(changed, text+"00")
			if len(text) > 2 {
				changed = append(changed, text[:len(text)-2])
			}
		}
		return changed
	}
	n := bigNumber(text)
	changed := []string{new(big.Int).Add(n, big.NewInt(1)).String(), new(big.Int).Xor(n, big.NewInt(1<<20)).String()}
	if n.Sign() > 0 {
		changed = append(changed, new(big.Int).Sub(n, big.NewInt(1)).String())
	}
	if strings.HasSuffix(field, ".v") {
		changed = append(changed, "27", "28", "2603", "2604", "35", "36", "37", "38")
	}
	return slices.DeleteFunc(changed, func(other string) bool { return other == text })
}

// flips change a bit in the first byte and one in the last.
func flips(text string) []string {
	data, err := hex.DecodeString(text[2:])
	if err != nil || len(data) == 0 {
		return nil
	}
	var changed []string
	for _, i := range []int{0, len(data) - 1} {
		for _, bit := range []byte{0x01, 0x80} {
			other := slices.Clone(data)
			other[i] ^= bit
			changed = append(changed, "0x"+hex.EncodeToString(other))
		}
	}
	return changed
}

// The same key's other signature makes another transaction: s subtracted from the order, and the other parity.
func TestTwinOfASignature(t *testing.T) {
	all := vectorTransactions(t)
	for name, twin := range map[string]string{
		"moonbeam": "moonbeam-upper-half", "any-chain": "any-chain-upper-half", "eip2930-call": "eip2930-upper-half",
		"eip1559-call": "eip1559-upper-half", "eip7702": "eip7702-upper-half",
	} {
		one, other := identify(t, all[name]), identify(t, all[twin])
		require.Equal(t, one.Sender, other.Sender, name)
		require.NotEqual(t, one.Hash, other.Hash, name)
		mismatches := other.Check(evm.Executed{From: one.Sender, To: recipient(one), Hash: one.Hash})
		require.Equal(t, []evidence.Mismatch{{Part: evidence.HashPart, Claimed: one.Hash.String(), Recovered: other.Hash.String()}}, mismatches)
	}
}

func TestCheck(t *testing.T) {
	all := vectorTransactions(t)
	call, creation, untyped := identify(t, all["moonbeam"]), identify(t, all["eip1559-creation"]), identify(t, all["without-a-type"])
	untypedCreation := identify(t, all["without-a-type-any-chain"])
	const (
		sender   = "0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F"
		to       = "0x3535353535353535353535353535353535353535"
		other    = "0x1111111111111111111111111111111111111111"
		zero     = "0x0000000000000000000000000000000000000000"
		zeroHash = "0x0000000000000000000000000000000000000000000000000000000000000000"
	)
	address := func(text string) chain.Address {
		a, err := chain.ParseAddress(text)
		require.NoError(t, err)
		return a
	}
	contract, _ := creation.Contract.Get()
	made, _ := untypedCreation.Contract.Get()
	for name, c := range map[string]struct {
		id       evidence.Identity
		executed evm.Executed
		want     []evidence.Mismatch
	}{
		"call":                      {call, evm.Executed{From: address(sender), To: address(to), Hash: call.Hash}, nil},
		"creation":                  {creation, evm.Executed{From: address(sender), To: contract, Hash: creation.Hash}, nil},
		"another hash":              {call, evm.Executed{From: address(sender), To: address(to)}, []evidence.Mismatch{{evidence.HashPart, zeroHash, call.Hash.String()}}},
		"another sender":            {call, evm.Executed{From: address(other), To: address(to), Hash: call.Hash}, []evidence.Mismatch{{evidence.SenderPart, other, sender}}},
		"another recipient":         {call, evm.Executed{From: address(sender), To: address(other), Hash: call.Hash}, []evidence.Mismatch{{evidence.RecipientPart, other, to}}},
		"another contract":          {creation, evm.Executed{From: address(sender), To: address(other), Hash: creation.Hash}, []evidence.Mismatch{{evidence.ContractPart, other, contract.String()}}},
		"no contract":               {creation, evm.Executed{From: address(sender), Hash: creation.Hash}, []evidence.Mismatch{{evidence.ContractPart, zero, contract.String()}}},
		"no recipient":              {call, evm.Executed{From: address(sender), Hash: call.Hash}, []evidence.Mismatch{{evidence.RecipientPart, zero, to}}},
		"all of a call":             {call, evm.Executed{}, []evidence.Mismatch{{evidence.HashPart, zeroHash, call.Hash.String()}, {evidence.SenderPart, zero, sender}, {evidence.RecipientPart, zero, to}}},
		"all of a creation":         {creation, evm.Executed{}, []evidence.Mismatch{{evidence.HashPart, zeroHash, creation.Hash.String()}, {evidence.SenderPart, zero, sender}, {evidence.ContractPart, zero, contract.String()}}},
		"early, no recipient":       {untyped, evm.Executed{From: address(sender), Hash: untyped.Hash}, nil},
		"early, recipient":          {untyped, evm.Executed{From: address(sender), To: address(to), Hash: untyped.Hash}, nil},
		"early, another recipient":  {untyped, evm.Executed{From: address(sender), To: address(other), Hash: untyped.Hash}, []evidence.Mismatch{{evidence.RecipientPart, other, to}}},
		"early creation":            {untypedCreation, evm.Executed{From: address(sender), To: made, Hash: untypedCreation.Hash}, nil},
		"early, no contract at all": {untypedCreation, evm.Executed{From: address(sender), Hash: untypedCreation.Hash}, []evidence.Mismatch{{evidence.ContractPart, zero, made.String()}}},
	} {
		require.Equal(t, c.want, c.id.Check(c.executed), name)
	}
}

func TestIdentifyRefuses(t *testing.T) {
	const order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
	all := vectorTransactions(t)
	change := func(id, old, replacement string) string {
		require.Contains(t, all[id], old, id)
		return strings.Replace(all[id], old, replacement, 1)
	}
	const (
		r      = "0xab7e68974b9b168194609e58480d979bb6db83d52f3b5500413f6022bd7c5a3f" // of eip2930-call
		s      = "0x08ac89c55ce61e4d8dfaef1dc1bc1c86e49c141c3e19c492364bc9d95c07c1e5"
		v      = `"v":"37"` // of eip155-example
		zeros  = "0x0000000000000000000000000000000000000000000000000000000000000000"
		beyond = "args.transaction: signature: r or s is not within the curve's order"

		largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935" // of 256 bits
	)
	for name, c := range map[string]struct{ transaction, want string }{
		"no payload":               {`null`, "args.transaction: want an object with one member, named after the transaction's type"},
		"no action":                {change("eip2930-call", `"action"`, `"act"`), `args.transaction: action: want {"call": address} or {"create": null}`},
		"input half a byte":        {change("eip2930-call", `"0x00ff"`, `"0x00f"`), "args.transaction: input: want a string of 0x and hex digits"},
		"no chain":                 {change("eip2930-call", `"chainId"`, `"chain"`), "args.transaction: chainId: missing"},
		"chain 0":                  {change("eip2930-call", `"1284"`, `"0"`), "args.transaction: chainId: 0 is not a chain ID"},
		"chain over 64 bits":       {change("eip2930-call", `"1284"`, `"18446744073709551616"`), "args.transaction: chainId: 18446744073709551616 is more than 64 bits"},
		"no access list":           {change("eip2930-call", `"accessList"`, `"access"`), "args.transaction: accessList: want an array, have absent"},
		"parity 2":                 {change("eip2930-call", `"oddYParity":false`, `"oddYParity":2`), "args.transaction: oddYParity: want 0 or 1, have 2"},
		"parity 27":                {change("eip2930-call", `"oddYParity":false`, `"oddYParity":"27"`), "args.transaction: oddYParity: want 0 or 1, have 27"},
		"r missing":                {change("eip2930-call", `"r"`, `"rr"`), "args.transaction: r: missing"},
		"s a byte short":           {change("eip2930-call", s, s[:64]), `args.transaction: s: "` + s[:64] + `" is not a hash: want 0x and 64 hex digits`},
		"s a byte long":            {change("eip2930-call", s, s+"00"), `args.transaction: s: "` + s + `00" is not a hash: want 0x and 64 hex digits`},
		"r a number":               {change("eip2930-call", `"`+r+`"`, "5"), "args.transaction: r: want a hash, have a number"},
		"r 0":                      {change("eip2930-call", r, zeros), beyond},
		"s 0":                      {change("eip2930-call", s, zeros), beyond},
		"r the order":              {change("eip2930-call", r, "0x"+order), beyond},
		"s the order":              {change("eip2930-call", s, "0x"+order), beyond},
		"r the largest":            {change("eip2930-call", r, "0x"+strings.Repeat("f", 64)), beyond},
		"r on no point":            {change("eip2930-call", r, zeros[:65]+"5"), "args.transaction: signature: r and s are not a valid signature"},
		"v 0":                      {change("eip155-example", v, `"v":"0"`), "args.transaction: signature.v: want 27, 28 or more than 36, have 0"},
		"v 1":                      {change("eip155-example", v, `"v":1`), "args.transaction: signature.v: want 27, 28 or more than 36, have 1"},
		"v 26":                     {change("eip155-example", v, `"v":26`), "args.transaction: signature.v: want 27, 28 or more than 36, have 26"},
		"v 29":                     {change("eip155-example", v, `"v":29`), "args.transaction: signature.v: want 27, 28 or more than 36, have 29"},
		"v 36":                     {change("eip155-example", v, `"v":36`), "args.transaction: signature.v: want 27, 28 or more than 36, have 36"},
		"v over 64 bits":           {change("eip155-example", v, `"v":"18446744073709551616"`), "args.transaction: signature.v: 18446744073709551616 is more than 64 bits"},
		"v missing":                {change("eip155-example", v, `"w":1`), "args.transaction: signature.v: missing"},
		"no signature":             {change("eip155-example", `"signature"`, `"signed"`), "args.transaction: signature.v: missing"},
		"eip7702 with an action":   {change("eip7702", `"destination"`, `"action"`), `args.transaction: destination: want {"call": address} or {"create": null}`},
		"eip7702 with an input":    {change("eip7702", `"data"`, `"input"`), "args.transaction: data: want a string of 0x and hex digits"},
		"nonce over 256 bits":      {change("eip7702-authorizations-that-count-for-nothing", largest, largest+"0"), "args.transaction: authorizationList[1].nonce: " + largest + "0 is more than 256 bits"},
		"no authorizations":        {change("eip7702", `"authorizationList"`, `"list"`), "args.transaction: authorizationList: want an array, have absent"},
		"authorization unreadable": {change("eip7702", `"address":"0xcc`, `"address":"0x`), `args.transaction: authorizationList[0].address: "0x` + strings.Repeat("c", 38) + `" is not an address: want 0x and 40 hex digits`},
	} {
		id, err := evidence.Identify(transact(t, c.transaction))
		require.EqualError(t, err, c.want, name)
		require.Zero(t, id, name)
	}
	x := transact(t, all["moonbeam"])
	x.Pallet = "ethereumXcm"
	_, err := evidence.Identify(x)
	require.EqualError(t, err, `"ethereumXcm.transact" is not ethereum.transact`)
	x.Pallet, x.Call = "ethereum", "withdraw\x1b[2J"
	_, err = evidence.Identify(x)
	require.EqualError(t, err, `"ethereum.withdraw\x1b[2J" is not ethereum.transact`)
}

// A payload of the maximum response size takes memory in proportion.
func TestLargePayloads(t *testing.T) {
	transaction := vectorTransactions(t)["eip2930-call"]
	original := identify(t, transaction)

	input := strings.Replace(transaction, `"0x00ff"`, `"0x`+strings.Repeat("00ff", 2<<20)+`"`, 1)
	id, err := evidence.Identify(transact(t, input))
	require.NoError(t, err)
	require.NotEqual(t, original.Hash, id.Hash)

	entry := `{"address":"0x` + strings.Repeat("ab", 20) + `","storageKeys":["0x` + strings.Repeat("cd", 32) + `"]},`
	list := strings.Replace(transaction, `"accessList":[`, `"accessList":[`+strings.Repeat(entry, 100_000), 1)
	id, err = evidence.Identify(transact(t, list))
	require.NoError(t, err)
	require.NotEqual(t, original.Hash, id.Hash)
}

func FuzzIdentify(f *testing.F) {
	for name := range recordings {
		files, err := filepath.Glob(filepath.Join("../..", "testdata", "recordings", name, "blocks", "*.json"))
		require.NoError(f, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(f, err)
			block, err := jsonscan.Parse(string(text))
			require.NoError(f, err)
			for x := range block.Member("extrinsics").Elements() {
				if transaction := x.Member("args").Member("transaction").Raw(); transaction != "" && len(transaction) < 2_000 {
					f.Add(transaction)
				}
			}
		}
	}
	for _, transaction := range vectorTransactions(f) {
		f.Add(transaction)
	}
	f.Fuzz(func(t *testing.T, text string) {
		transaction, err := jsonscan.Parse(text)
		if err != nil {
			return
		}
		x := transact(t, transaction.Raw())
		id, err := evidence.Identify(x)
		if err != nil {
			require.Zero(t, id)
			return
		}
		require.NotEqual(t, id.To.Known(), id.Contract.Known())
		again, err := evidence.Identify(x)
		require.NoError(t, err)
		require.Equal(t, id, again)
		require.Empty(t, id.Check(evm.Executed{From: id.Sender, To: recipient(id), Hash: id.Hash}))
		require.Len(t, id.Check(evm.Executed{From: id.Sender, To: recipient(id)}), 1)
	})
}

// The example in the text of EIP-155.
func TestIdentifyEIP155(t *testing.T) {
	id := identify(t, `{"legacy": {
		"nonce": "9", "gasPrice": "20000000000", "gasLimit": "21000", "value": "1000000000000000000", "input": "0x",
		"action": {"call": "0x3535353535353535353535353535353535353535"},
		"signature": {"v": "37",
			"r": "0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276",
			"s": "0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"}}}`)
	require.Equal(t, "0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F", id.Sender.String())
	require.Equal(t, "0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788", id.Hash.String())
}

func BenchmarkIdentify(b *testing.B) {
	all := vectorTransactions(b)
	for _, name := range []string{"moonbeam", "eip2930-call", "eip1559-call", "eip7702"} {
		b.Run(name, func(b *testing.B) {
			x := transact(b, all[name])
			for b.Loop() {
				if _, err := evidence.Identify(x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("recorded", func(b *testing.B) {
		var list []*chain.Extrinsic
		for _, x := range recorded(b, "moonbeam-2100") {
			list = append(list, x)
		}
		for i := 0; b.Loop(); i++ {
			if _, err := evidence.Identify(list[i%len(list)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
