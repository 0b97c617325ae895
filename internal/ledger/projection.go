package ledger

import (
	"strconv"

	"github.com/feeledger/fees/chain"
)

// The table transactions is for SQL users. It is derived from the records: no query of this package reads
// it, and Verify compares it with them.

// extrinsicBits is the number of low bits of a row's key that contain the extrinsic's index.
const extrinsicBits = 20

// idsOf returns the keys of a span's rows, from first to below end.
func idsOf(span chain.Heights) (first, end int64) {
	return int64(span.First) << extrinsicBits, int64(min(span.Last, maxHeight-1)+1) << extrinsicBits
}

var shownColumns = []column{
	{"id", integer}, {"layer", word}, {"type", word}, {"call", word}, {"hash", data}, {"sender", data}, {"recipient", data}, {"payer", data},
	{"gas_price", amount}, {"gas", amount}, {"fee", amount}, {"tip", amount}, {"success", integer}, {"outcome", word}, {"charged", amount}, {"verdict", word},
	{"fee_asset", word}, {"asset_fee", amount}, {"asset_fee_tip", amount}, {"asset_fee_equivalent", amount},
}

// shownRow returns a transaction's row. Its hash is the EVM hash if there is one. The payer is null if it is
// the sender, and empty if it is unknown but the sender is known.
func shownRow(t *Transaction) row {
	hash := or(t.EVMHash)
	if !t.EVMHash.Known() {
		hash = t.Hash
	}
	var payer value
	switch paid, known := t.Payer.Get(); {
	case !known && t.Sender.Known():
		payer = []byte{}
	case known && t.Payer != t.Sender:
		payer = paid.Bytes()
	}
	var assetFee, assetTip value // null unless the fee was paid in an asset
	if t.InAsset() {
		assetFee, assetTip = t.AssetFee.Amount.String(), t.AssetFee.Tip.String()
	}
	return row{
		int64(t.Height)<<extrinsicBits | int64(t.Index), clean(string(t.Layer)), wordOf(t.Type), clean(t.Call), hash[:], shownIf(t.Sender, chain.Address.Bytes), shownIf(t.Recipient, chain.Address.Bytes), payer,
		digits(t.GasPrice), digits(t.Gas), digits(t.Fee), digits(t.Tip), shownIf(t.Success, func(s bool) int64 { return int64(flag(s)) }), wordOf(string(t.Outcome)), digits(t.Charged), wordOf(string(t.Verdict)),
		wordOf(t.AssetFee.Asset), assetFee, assetTip, digits(t.AssetFee.Equivalent),
	}
}

func wordOf(s string) value {
	if s == "" {
		return nil
	}
	return clean(s)
}

// shownIf returns what of makes of a value, or nil if it is unknown.
func shownIf[T, V any](o chain.Optional[T], of func(T) V) value {
	if x, known := o.Get(); known {
		return of(x)
	}
	return nil
}

func digits[Q interface{ String() string }](o chain.Optional[Q]) value { return shownIf(o, Q.String) }

// compacted returns a word or an amount as a file stores it: a usual word as its number, an amount below 2^63
// as an integer.
func compacted(k kind, v value) value {
	s, ok := v.(string)
	switch {
	case !ok:
	case k == word:
		if place, usual := usualPlaces[s]; usual {
			return int64(place)
		}
	case k == amount && len(s) <= len("9223372036854775807"):
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
	}
	return v
}

// expanded reverses compacted.
func expanded(k kind, v value) value {
	n, ok := v.(int64)
	switch {
	case !ok:
	case k == amount:
		return strconv.FormatInt(n, 10)
	case k == word && n >= 0 && n < int64(len(usualTexts)):
		return usualTexts[n]
	}
	return v
}
