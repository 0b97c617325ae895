package block_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/block"
	"github.com/feeledger/fees/internal/substrate/metadata"
)

// named returns a struct with a path, of names and types.
func (b *builder) named(name string, fields ...any) metadata.TypeID {
	return b.add(metadata.Type{Kind: metadata.Composite, Path: []string{"pallet", name}, Fields: fieldsOf(fields...)})
}

func (b *builder) era() metadata.TypeID {
	return b.add(metadata.Type{Kind: metadata.Variant, Path: []string{"sp_runtime", "generic", "era", "Era"}})
}

const hiddenNonce, hiddenTip = "no known extension of the runtime contains the nonce", "no known extension of the runtime contains the tip"

// Nonce, tip, era and asset are read from wherever a runtime's extensions have them. An extrinsic is decoded to its end
// also where they are not found: then their reason says so.
func TestExtensions(t *testing.T) {
	type extensions = []metadata.Extension
	location := func(b *builder) metadata.TypeID {
		junction := b.enum(variant("Parachain", b.compact(metadata.U32)), variant("GeneralIndex", b.compact(metadata.U128)))
		return b.struc("parents", b.primitive(metadata.U8), "interior", b.enum(variant("Here"), variant("X1", junction)))
	}
	usual := func(b *builder) extensions {
		return extensions{{Name: "CheckMortality", Type: b.era()}, {Name: "CheckNonce", Type: b.named("CheckNonce", "", b.compact(metadata.U32))}}
	}
	asset := func(id func(*builder) metadata.TypeID) func(b *builder) extensions {
		return func(b *builder) extensions {
			charge := b.named("ChargeAssetTxPayment", "tip", b.compact(metadata.U128), "asset_id", b.option(id(b)))
			return append(usual(b), metadata.Extension{Name: "ChargeAssetTxPayment", Type: charge})
		}
	}
	number := func(b *builder) metadata.TypeID { return b.primitive(metadata.U32) }
	mortal := chain.Era{Period: 64, Phase: 1}
	for what, c := range map[string]struct {
		extensions func(b *builder) extensions
		data       []byte
		nonce, tip string
		era        chain.Era
		asset      chain.Optional[string]
	}{
		"the chain's own token":  {asset(number), []byte{0x15, 0, 8, 12, 0}, "2", "3", mortal, chain.Some("")},
		"an asset by its number": {asset(number), []byte{0, 8, 12, 1, 0xc0, 7, 0, 0}, "2", "3", chain.Era{}, chain.Some(`"1984"`)},
		"an asset by its location": {asset(location), []byte{0, 8, 12, 1, 1, 1, 1, 0x01, 0x1f}, "2", "3", chain.Era{},
			chain.Some(`{"parents":"1","interior":{"x1":{"generalIndex":"1984"}}}`)},
		"a name of more than 2048 bytes": {asset((*builder).blob), slices.Concat([]byte{0, 8, 12, 1, 0x01, 0x10}, bytes.Repeat([]byte{9}, 1024)), "2", "3", chain.Era{}, chain.Optional[string]{}},
		"all inside a wrapper": {func(b *builder) extensions {
			all := b.tuple(b.primitive(metadata.U8), b.era(), b.named("CheckNonce", "", b.compact(metadata.U32)), b.named("ChargeTransactionPayment", "", b.compact(metadata.U64)), b.tuple())
			return extensions{{Name: "StorageWeightReclaim", Type: b.named("StorageWeightReclaim", "", all)}}
		}, []byte{77, 0x15, 0, 8, 12}, "2", "3", mortal, chain.Optional[string]{}},
		"a tip that is not compact": {func(b *builder) extensions {
			return append(usual(b), metadata.Extension{Name: "Pay", Type: b.named("Pay", "tip", b.primitive(metadata.U64))})
		}, []byte{0, 8, 3, 1, 0, 0, 0, 0, 0, 0}, "2", "259", chain.Era{}, chain.Optional[string]{}},
		"an unknown payment": {func(b *builder) extensions {
			return append(usual(b), metadata.Extension{Name: "Pay", Type: b.tuple(b.compact(metadata.U128), b.blob())})
		}, []byte{0x15, 0, 8, 12, 8, 1, 2}, "2", hiddenTip, mortal, chain.Optional[string]{}},
		"nothing known": {func(b *builder) extensions {
			return extensions{{Name: "Pass", Type: b.blob()}, {Name: "Time", Type: b.primitive(metadata.U64)}}
		}, []byte{8, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8}, hiddenNonce, hiddenTip, chain.Era{}, chain.Optional[string]{}},
		"no extension": {func(b *builder) extensions { return nil }, nil, hiddenNonce, hiddenTip, chain.Era{}, chain.Optional[string]{}},
	} {
		t.Run(what, func(t *testing.T) {
			b := &builder{}
			list := c.extensions(b)
			m := b.runtime(t, "Other", "None", nil, "do", nil)
			m.Extrinsic.Extensions = list
			r := newRuntime(t, m)
			e := signed(c.data, nil, nil, nil)
			x := r.decode(t, e).Extrinsics[0]
			require.Equal(t, "other.do", x.Pallet+"."+x.Call)
			require.Equal(t, []string{c.nonce, c.tip}, []string{x.Signed.Nonce.String(), x.Signed.Tip.String()})
			require.Equal(t, c.era, x.Signed.Era)
			require.Equal(t, c.asset, x.Signed.Asset)
			for n := range c.data {
				_, err := r.decoder.Decode(&block.Encoded{Extrinsics: [][]byte{prefixed(e.Extrinsics[0][2 : 2+1+85+n])}})
				require.ErrorContains(t, err, "extrinsic 0: SCALE at byte", "%d bytes", n)
			}
			same, err := r.viaText(e) // Sidecar's form has no asset, and null for what is not known
			require.NoError(t, err)
			require.Equal(t, c.nonce == hiddenNonce, same.Extrinsics[0].Signed.Nonce.Missing())
			require.Equal(t, c.tip == hiddenTip, same.Extrinsics[0].Signed.Tip.Missing())
			if c.nonce != hiddenNonce && c.tip != hiddenTip {
				x.Signed.Asset = chain.Optional[string]{}
				require.Equal(t, x.Signed.String(), same.Extrinsics[0].Signed.String())
			}
		})
	}
}

// General extrinsics have extensions of a version, and no signature. Where the metadata do not list the version, the call
// is unknown, and the rest of the block is decoded.
func TestGeneralExtrinsics(t *testing.T) {
	b := &builder{}
	second := []metadata.Extension{{Name: "Verify", Type: b.enum(variant("Disabled"), variant("Signed", b.bytes(3)))}}
	m := b.runtime(t, "Other", "None", nil, "do", fieldsOf("n", b.primitive(metadata.U8)))
	m.Extrinsic.Later = map[uint8][]metadata.Extension{2: second}
	r := newRuntime(t, m)
	for what, c := range map[string]struct {
		data []byte
		call string
	}{
		"bare, version 5":   {[]byte{5, 1, 0, 9}, "other.do"},
		"version 0":         {[]byte{0x45, 0, 0x15, 0, 8, 12, 1, 0, 9}, "other.do"},
		"another version":   {[]byte{0x45, 2, 1, 7, 7, 7, 1, 0, 9}, "other.do"},
		"without signature": {[]byte{0x45, 2, 0, 1, 0, 9}, "other.do"},
		"an unlisted one":   {[]byte{0x45, 1, 0xff, 0xff}, "unknown.unknown"},
	} {
		t.Run(what, func(t *testing.T) {
			e := &block.Encoded{Extrinsics: [][]byte{prefixed(c.data), prefixed([]byte{4, 1, 0, 9})}}
			have := r.decode(t, e)
			require.Len(t, have.Extrinsics, 2)
			x := have.Extrinsics[0]
			require.Equal(t, c.call, x.Pallet+"."+x.Call)
			require.Nil(t, x.Signed)
			require.Equal(t, c.data[0] == 0x45, x.General)
			require.False(t, have.Extrinsics[1].General)
			same, err := r.viaText(e)
			require.NoError(t, err)
			same.Extrinsics[0].General = x.General // not in the text
			require.Equal(t, shown(same), shown(have))
			if c.call == "unknown.unknown" {
				return
			}
			for n := range c.data {
				_, err := r.decoder.Decode(&block.Encoded{Extrinsics: [][]byte{prefixed(c.data[:n])}})
				require.ErrorContains(t, err, "extrinsic 0: SCALE at byte", "%d bytes", n)
			}
			_, err = r.decoder.Decode(&block.Encoded{Extrinsics: [][]byte{prefixed(append(bytes.Clone(c.data), 0))}})
			require.ErrorContains(t, err, "1 bytes left over")
		})
	}
}
