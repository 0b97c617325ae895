package reconcile

import (
	"slices"
	"strings"
)

// A record may have several columns of fees, such as the network's and a bridge's. The amounts of one that is not read
// would be in no outcome, so the user chooses.

var (
	// feeWords name a fee, in lower case.
	feeWords = []string{"fee", "fees", "gebühr", "gebühren", "frais", "comisión"}
	// noFeeWords say that a column beside a fee is about something else: a price, a limit, a currency, a name.
	noFeeWords = strings.Fields(`base priority max maximum rate currency asset symbol coin unit type kind payer paid by id hash address account wallet from to
		worth value basis cost return limit per price percent bps method note notes memo comment status date time category estimated est tier label level`)
	// ownFeeNames are columns of exports of this program, which state one fee in several units.
	ownFeeNames = []string{"fee", "fee_wei", "fee_gwei", "fee_token"}
)

// isUsualFee reports whether a name is one of a fee's usual names.
func isUsualFee(name string) bool {
	return slices.ContainsFunc(usual, func(u fieldName) bool { return u.field == Fee && slices.Contains(u.names, plainName(name)) })
}

// moreFees returns the columns beside the fee that may be fees in the network's token, too; none if the user or a profile
// has named the fee.
func (h header) moreFees(fee int, o *Options) (places []int) {
	if _, named := o.Columns[Fee]; named || o.applied != nil {
		return nil
	}
	for i, name := range h {
		var words []string
		for _, word := range nameWords(name) {
			words = append(words, strings.ToLower(word))
		}
		isOwn := h.areTwins(i, fee) || slices.Contains(ownFeeNames, strings.TrimSpace(name)) && slices.Contains(ownFeeNames, strings.TrimSpace(h[fee]))
		about := slices.ContainsFunc(words, func(word string) bool {
			return slices.Contains(noFeeWords, word) || isKnownAsset(strings.ToUpper(word)) && !strings.EqualFold(word, o.Symbol)
		})
		states := unitOf(name, o.Symbol) != "" || statesSymbol(name, o.Symbol) || isUsualFee(name)
		if i != fee && states && !isOwn && !about && !h.mapped(i, o) && assetIn(name, o.Symbol) == "" && slices.ContainsFunc(words, func(word string) bool { return slices.Contains(feeWords, word) }) {
			places = append(places, i)
		}
	}
	return places
}
