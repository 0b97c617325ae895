package chain_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// Each value is read as the type that it was made with, and as no other.
func TestValues(t *testing.T) {
	short := chain.Address20([20]byte{1, 2})
	long := chain.Address32([32]byte{3})
	hash := chain.Hash{4, 5}
	bad := errors.New("not a number")
	var most [32]byte
	for i := range most {
		most[i] = 0xff
	}
	for name, c := range map[string]struct {
		value chain.Value
		kind  string
		text  string
	}{
		"account":          {chain.AccountValue(short), "account", short.String()},
		"account of 32":    {chain.AccountValue(long), "account", long.String()},
		"hash":             {chain.HashValue(hash), "hash", hash.String()},
		"number":           {chain.Uint64Value(7), "number", "7"},
		"number of a word": {chain.NumberValue(chain.NewWei(8).Word()), "number", "8"},
		"exit":             {chain.ExitValue(chain.Exit{State: chain.ExitError, Reason: "OutOfGas"}), "exit", "error OutOfGas"},
		"rare exit":        {chain.ExitValue(chain.Exit{State: chain.ExitFatal, Reason: "other(x)"}), "exit", "fatal other(x)"},
		"hold":             {chain.HoldReasonValue("revive.AddressMapping"), "hold", "revive.AddressMapping"},
		"malformed":        {chain.MalformedValue(bad), "", "not a number"},
		"missing":          {chain.MalformedValue(chain.ErrMissing), "", "missing"},
		"unread":           {chain.UnreadValue(), "", "0"},
	} {
		_, account := c.value.Account()
		_, isHash := c.value.Hash()
		_, isWei := c.value.Wei()
		_, isPrice := c.value.GasPrice()
		_, isToken := c.value.TokenAmount()
		_, isUint64 := c.value.Uint64()
		_, isExit := c.value.Exit()
		_, isHold := c.value.HoldReason()
		require.Equal(t, c.kind == "account", account == nil, name)
		require.Equal(t, c.kind == "hash", isHash == nil, name)
		require.Equal(t, c.kind == "exit", isExit == nil, name)
		require.Equal(t, c.kind == "hold", isHold == nil, name)
		for _, err := range []error{isWei, isPrice, isToken, isUint64} {
			require.Equal(t, c.kind == "number", err == nil, name)
		}
		require.Equal(t, name == "missing", c.value.Missing(), name)
		require.Equal(t, c.text, c.value.String(), name)
	}
	_, err := chain.MalformedValue(bad).Wei()
	require.ErrorIs(t, err, bad)
	require.Equal(t, "revive", chain.HoldReason("revive.AddressMapping").Pallet())
	require.Equal(t, "other", chain.HoldReason("other").Pallet())
	_, err = chain.Value{}.Hash()
	require.ErrorIs(t, err, chain.ErrMissing)

	all := chain.NumberValue(most)
	_, err = all.Wei()
	require.ErrorContains(t, err, "is more than 128 bits")
	_, err = all.Uint64()
	require.ErrorContains(t, err, "is more than 64 bits")
	amount, err := all.TokenAmount()
	require.NoError(t, err)
	require.Equal(t, most, amount.Word())
}

func TestValuesByPosition(t *testing.T) {
	list := chain.Values{chain.Uint64Value(1), chain.Uint64Value(2)}
	require.Equal(t, 2, list.Len())
	require.True(t, list.At(2).Missing())
	list = append(list, chain.FurtherValue(40))
	require.Equal(t, 42, list.Len())
	require.Zero(t, chain.Values(nil).Len())
}

func TestDecoded(t *testing.T) {
	bad := errors.New("bad")
	require.Equal(t, "7", chain.DecodedOf(7, nil).String())
	require.Equal(t, "bad", chain.DecodedOf(0, bad).String())
	require.Equal(t, "missing", chain.Decoded[int]{}.String())
	_, err := chain.Decoded[int]{}.Get()
	require.ErrorIs(t, err, chain.ErrMissing)
}

// The result of an extrinsic is that of its only event of success or failure.
func TestOutcomeOfValues(t *testing.T) {
	weight := chain.Weight{RefTime: chain.NewRefTime(9), ProofSize: 3}
	failed := chain.DispatchInfo{
		Class: chain.DecodedOf(chain.Operational, nil), PaysFee: chain.DecodedOf(true, nil), RefTime: "weight.ref_time",
		Error: chain.DispatchError{Name: "module", Pallet: chain.Some(uint64(5))},
	}
	x := chain.Extrinsic{Events: []chain.Event{{Pallet: "system", Name: "ExtrinsicFailed", Data: chain.Values{chain.DispatchValue(weight, failed)}}}}
	o, err := x.Outcome()
	require.NoError(t, err)
	have, err := o.Weight()
	require.NoError(t, err)
	require.Equal(t, weight, have)
	require.Equal(t, "data[1].weight.ref_time", o.RefTimePath())
	require.Equal(t, failed.Error, o.Error())
	x.Events[0].Name = "ExtrinsicSuccess"
	o, err = x.Outcome()
	require.NoError(t, err)
	require.Equal(t, "data[0].weight.ref_time", o.RefTimePath())
	require.Contains(t, x.Events[0].Data.At(0).String(), "module")

	_, err = x.Ethereum()
	require.ErrorContains(t, err, "args.transaction: missing")
	x.Payload = chain.DecodedOf(&chain.Payload{Type: chain.EIP1559}, nil)
	p, err := x.Ethereum()
	require.NoError(t, err)
	require.True(t, p.Capped())
	require.False(t, chain.EIP2930.DynamicFee())
	require.True(t, chain.Exit{State: chain.ExitError, Reason: "outOfGas"}.OutOfGas())
	require.False(t, chain.Exit{State: chain.ExitRevert, Reason: "outOfGas"}.OutOfGas())
}

func TestReadBytes(t *testing.T) {
	for text, want := range map[string]string{
		"0x": "", "0x00": "\x00", "0x0aFF": "\x0a\xff", "0x0102030405": "\x01\x02\x03\x04\x05",
		"0x0102030405060708090a": "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a",
	} {
		have, err := chain.ReadBytes(text)
		require.NoError(t, err)
		require.Equal(t, want, string(have))
	}
	for _, text := range []string{"", "0", "00", "0x0", "0xzz", "0x01zz030405", "0x0102030z", "0X00"} {
		_, err := chain.ReadBytes(text)
		require.EqualError(t, err, "want 0x and hex digits", text)
	}
}

func TestReadFrontier(t *testing.T) {
	hash := strings.Repeat("\x07", 32)
	for item, want := range map[string]string{
		"":                                "fron: the item is empty",
		"\x02" + hash:                     "the header's digest does not list the EVM transactions",
		"\x03" + hash:                     "the header's digest does not list the EVM transactions",
		"\x04":                            "fron: unknown variant 4",
		"\x01abc":                         "fron: the item ends within the hash of the Ethereum block",
		"\x01" + hash:                     "fron: the list of hashes does not have its stated length",
		"\x01" + hash + "\x04":            "fron: the list of hashes does not have its stated length",
		"\x01" + hash + "\x03":            "fron: the list of hashes does not have its stated length",
		"\x01" + hash + "\x05\x00" + hash: "fron: the list of hashes does not have its stated length", // 1 in two bytes
		"\x01" + hash + "\x00":            "",
		"\x01" + hash + "\x04" + hash:     "",
	} {
		list, err := chain.ReadFrontier([]byte(item))
		if want == "" {
			require.NoError(t, err)
			require.Len(t, list, (len(item)-34)/32)
			continue
		}
		require.EqualError(t, err, want, "%q", item)
	}
	many := "\x01" + hash + "\x01\x01" + strings.Repeat(hash, 64) // 64 in two bytes
	list, err := chain.ReadFrontier([]byte(many))
	require.NoError(t, err)
	require.Len(t, list, 64)
	require.Equal(t, chain.Hash([]byte(hash)), list[63])
}

func TestDivFloor(t *testing.T) {
	require.Equal(t, chain.NewWei(3), chain.NewWei(7).DivFloor(2))
	require.Equal(t, chain.NewWei(7), chain.NewWei(7).DivFloor(0))
	require.Equal(t, uint64(3), chain.Heights{First: 5, Last: 7}.Blocks())
	require.Equal(t, "5..7", chain.Heights{First: 5, Last: 7}.String())
	require.ErrorIs(t, chain.ErrPruned, chain.ErrUnsupported)
}

// A value that is decoded in a list is that which is decoded alone.
func TestAppendHex(t *testing.T) {
	const address, hash = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac", "0x937f826f3e6f911541c27de475b59ee0df457d7a2aa898ad8db37feae3373dcb"
	a, err := chain.ReadAddress(address)
	require.NoError(t, err)
	h, err := chain.ParseHash(hash)
	require.NoError(t, err)
	list, ok := chain.Values{}.AppendAccount(address)
	require.True(t, ok)
	list, ok = list.AppendUint64(1 << 40).AppendHash(hash)
	require.True(t, ok)
	require.Equal(t, chain.Values{chain.AccountValue(a), chain.Uint64Value(1 << 40), chain.HashValue(h)}, list)
	for _, text := range []string{"", "0x", address[1:], address + "00", hash, "0y" + address[2:], address[:41] + "g", strings.Repeat("5", 42)} {
		same, ok := list.AppendAccount(text)
		require.False(t, ok, text)
		require.Equal(t, list, same)
	}
	for _, text := range []string{"", address, hash + "00", hash[:65] + "g"} {
		same, ok := list.AppendHash(text)
		require.False(t, ok, text)
		require.Equal(t, list, same)
	}
}
