package scalejson_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Truncated metadata, or metadata with an additional byte, are an error with the position.
func TestCutMetadata(t *testing.T) {
	bytes := unzip(t, sample)
	c := scalejson.New(parse(t, bytes))
	for n := 0; n < len(bytes); n += 997 {
		_, err := c.Metadata(bytes[:n])
		require.ErrorContains(t, err, "metadata: SCALE at byte", "%d bytes", n)
	}
	_, err := c.Metadata(append(slices.Clone(bytes), 0))
	require.ErrorContains(t, err, "1 bytes left over")
	other := slices.Clone(bytes)
	other[4] = 15
	_, err = c.Metadata(other)
	require.EqualError(t, err, "metadata of version 15: only version 14 can be written")
}

// A constant is decoded by its type, to its last byte.
func TestConstantsThatCannotBe(t *testing.T) {
	bytes := unzip(t, sample)
	m := parse(t, bytes)
	none := scalejson.New(types(primitive(metadata.U8)))
	_, err := none.Metadata(bytes)
	require.ErrorContains(t, err, "does not exist")
	wrong := slices.Clone(m.Types)
	for i := range wrong {
		if wrong[i].Kind == metadata.Primitive && wrong[i].Primitive == metadata.U32 {
			wrong[i].Primitive = metadata.U64
		}
	}
	_, err = scalejson.New(types(wrong...)).Metadata(bytes)
	require.ErrorContains(t, err, "value of a constant: SCALE at byte")
}

// Values that polkadot-js writes differently from Sidecar, in its own form: names with suffixes, eras, nested
// integers of more than 52 bits.
func TestConstantsOfPolkadotJS(t *testing.T) {
	c := scalejson.New(parse(t, unzip(t, sample)))
	for of, want := range map[string]string{
		"438 00004e00f40000f8de00080000f00055eb000000d6746871820000000000000000000000de0000000000550000e90094003e000000eb75b10000000900000290008649a8": `{"account":"0x00004e00F40000f8de00080000F00055EB000000","deposit":"560248419542","keys":"0xde0000000000550000e90094003e000000eb75b10000000900000290008649a8"}`,
		"635 a7000e630200330508ecdee6ab5678d65c06f68aecff58": `[null,null,null,null,{"mortalEra":"0xa700"},"39107",null,"0x58ffec8af6065cd67856abe6deec0805"]`,
		"640 7800": `{"mortalEra":"0x7800"}`,
		"501 0300000000000082b1cc000000000000059f440000fb00f046084cd70099002f00fd00000001750000005cf75f637dd51e8aa9ba000000000000cec17285866d34814a5a00000000000021bd01848f0000000000000000000000": `{"end":"3","proposal":{"legacy":{"hash":"0x000082b1cc000000000000059f440000fb00f046084cd70099002f00fd000000"}},"threshold":"SuperMajorityAgainst","delay":"117","tally":{"ayes":"0x000000000000baa98a1ed57d635ff75c","nays":"0x0000000000005a4a81346d868572c1ce","turnout":"616395029793"}}`,
	} {
		have, err := text(c, "constant "+of)
		require.NoError(t, err)
		require.Equal(t, want, have)
	}
}

// FuzzMetadata: for any data from a node, there are metadata as JSON or an error.
func FuzzMetadata(f *testing.F) {
	c := scalejson.New(parse(f, unzip(f, sample)))
	octet := slices.Concat(number(0), number(0), number(0), []byte{5, byte(metadata.U8)}, number(0))
	item := slices.Concat(word("Item"), []byte{1, 0}, number(0), number(1), []byte{7}, number(1), word("Docs."))
	constant := slices.Concat(word("Constant"), number(2), number(1), []byte{7}, number(0)) // the sample's type 2 is a byte
	pallet := slices.Concat(word("Pallet"), []byte{1}, word("Pallet"), number(1), item, []byte{0, 1}, number(0), number(1), constant, []byte{0, 9})
	extrinsic := slices.Concat(number(0), []byte{4}, number(1), word("CheckNonce"), number(0), number(0))
	seed := slices.Concat([]byte("meta\x0e"), number(1), octet, number(1), pallet, extrinsic, number(0))
	_, err := c.Metadata(seed)
	require.NoError(f, err)
	f.Add(seed)
	f.Fuzz(func(t *testing.T, bytes []byte) {
		if have, err := c.Metadata(bytes); err == nil && !json.Valid(have) {
			t.Fatalf("no JSON: %.200s", have)
		}
	})
}
