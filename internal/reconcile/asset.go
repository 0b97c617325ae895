package reconcile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/feeledger/fees/internal/console"
)

// A company's export has fees of several chains, each in its own asset. The name of the column of
// fees states the asset, or a column beside it, or the cell itself.

// assets decides the asset of each fee, and counts the rows that are left out.
type assets struct {
	symbol  string         // of the network's token; "" where it is not known, and nothing is decided
	place   int            // of the column that states the asset, the first 1; 0 where there is none
	name    string         // of that column, or of the fees'
	isNamed bool           // the name of the fees' column states the network's token
	maybe   []*candidate   // columns that may state the asset, where none is known to
	left    map[string]int // rows in other assets, by asset
	noFee   int            // rows without a fee
	own     int            // rows that are compared
	unnamed Problem        // rows whose fee is in no stated asset
	inCells Problem        // rows whose cell of fees states another asset
}

// candidate is a column of assets or of chains that may be those of the fees.
type candidate struct {
	Column
	isChain bool
	values  map[string]bool // by their lower case, a few of them
}

const (
	// maxAssets is how many assets are told apart.
	maxAssets = 100
	// maxListed is how many assets a message lists.
	maxListed = 10
)

// newAssets returns the assets of a file with a header.
func newAssets(h header, list []Column, o *Options) assets {
	a := assets{symbol: o.Symbol, left: map[string]int{}}
	used := map[int]bool{}
	for _, c := range list {
		used[c.Place] = true
		switch c.Field {
		case Fee:
			a.isNamed = o.Symbol != "" && statesSymbol(c.Name, o.Symbol)
			a.name = c.Name
			a.unnamed = Problem{Column: c.Place, Name: c.Name}
			a.inCells = a.unnamed
		case Asset:
			a.place = c.Place
		}
	}
	if a.place > 0 {
		a.name = h[a.place-1]
		a.unnamed = Problem{Column: a.place, Name: a.name}
	}
	if _, isSet := o.Columns[Asset]; a.place > 0 || a.isNamed || isSet {
		return a
	}
	for i, name := range h {
		word := joined(name)
		isChain := slices.Contains(chainNames, word)
		if !used[i+1] && (isChain || slices.Contains(assetNames, word)) {
			a.maybe = append(a.maybe, &candidate{Column{Asset, name, i + 1}, isChain, map[string]bool{}})
		}
	}
	return a
}

// noFee is why a row without a fee is left out.
const noFee = "the row has no fee"

// read returns how the fee of a row is written, or why the row is left out.
func (a *assets) read(rec *record, fee *cell, form amountForm) (_ amountForm, leftOut string, err error) {
	text, stated := fee.value(), ""
	if a.symbol == "" || fee.err != nil || len(text) > maxAmount { // reading the amount says what is wrong
		return form, "", nil
	}
	if a.place > 0 {
		if isNothing(text) {
			a.noFee++
			return form, noFee, nil
		}
		stated = a.stated(&rec.cells[a.place-1])
	}
	inCell, other := Unit(""), ""
	if !fee.number {
		_, _, inCell, _ = form.split(text)
		if inCell == "" && strings.ContainsFunc(text, unicode.IsLetter) {
			if part := form.unknown(text); isAsset(part) {
				other = part
			}
		}
	}
	unit := unitNamed(stated, a.symbol)
	switch {
	case stated != "" && unit == "" && (a.isNamed || inCell == Token):
		return form, "", fmt.Errorf("%q is in %s, and column %q says %s", shownName(text), a.symbol, shownName(a.name), shownName(stated))
	case stated != "" && unit == "":
		return form, a.leaveOut(stated), nil
	case stated == "" && other != "" && !a.isNamed:
		if a.inCells.Count == 0 {
			a.inCells.Value, a.inCells.Err = text, &valueError{text, fmt.Errorf("is in %s, and the ledger is of %s", shownName(other), a.symbol)}
		}
		a.inCells.count(rec.line)
		return form, a.leaveOut(other), nil
	case a.place > 0 && stated == "" && inCell == "" && form.unit == "":
		return form, "", fmt.Errorf("%q has no asset in column %q, and no unit: --unit wei, --unit gwei or --unit token says what it counts", shownName(text), shownName(a.name))
	case unit != "" && form.unit == "":
		form.unit = unit
	case unit == Wei && form.unit != Wei, unit == Gwei && form.unit != Gwei:
		return form, "", fmt.Errorf("%q is in %s, and the fees are declared to be in %s", shownName(text), unit, form.unit)
	}
	if !a.isNamed && inCell != Token && !strings.EqualFold(stated, a.symbol) && !isNothing(text) {
		a.addUnnamed(rec)
	}
	a.own++
	return form, "", nil
}

// stated returns the asset that a cell states, "" where it states none. Koinly writes GLMR;27541.
func (a *assets) stated(c *cell) string {
	text, _, _ := strings.Cut(c.value(), ";")
	if text = strings.TrimSpace(text); text == "-" {
		return ""
	}
	return text
}

// isNothing reports whether a cell of fees has none: it is empty, a dash or zero.
func isNothing(text string) bool { return text == "-" || strings.Trim(text, "0.,") == "" }

// leaveOut counts a row whose fee is in another asset.
func (a *assets) leaveOut(asset string) (why string) {
	asset = shownName(asset)
	if _, known := a.left[asset]; !known && len(a.left) >= maxAssets {
		a.left["others"]++
	} else {
		a.left[asset]++
	}
	return "the fee is in " + asset
}

// addUnnamed adds a row with a fee of which nothing states the asset.
func (a *assets) addUnnamed(rec *record) {
	a.unnamed.count(rec.line)
	for _, c := range a.maybe {
		text := strings.ToLower(a.stated(&rec.cells[c.Place-1]))
		if text != "" && len(c.values) < maxListed {
			c.values[text] = true
		}
	}
}

// check wants the asset of each fee to be stated, in a file that has several. Rows that lack it
// are added to the problems. So are those in another asset where none is in the network's own.
func (a *assets) check(headerLine int, problems *ProblemsError) error {
	switch {
	case a.inCells.Count > 0 && a.own == 0:
		problems.addRows(&a.inCells)
	case a.unnamed.Count > 0 && len(a.left) > 0:
		a.unnamed.Err = fmt.Errorf("the fee has no asset, and other fees are in %s", a.others())
		problems.addRows(&a.unnamed)
	}
	if problems.Count > 0 {
		return nil
	}
	for _, c := range a.maybe {
		if len(c.values) > 1 || len(c.values) == 1 && !c.isChain && !c.values[strings.ToLower(a.symbol)] {
			return &UnreadError{Line: headerLine, Err: fmt.Errorf("the fees have no asset, and column %q has %s: say which column has it (--map asset=NAME), or that all fees are in %s (--map asset=)",
				shownName(c.Name), strings.Join(slices.Sorted(maps.Keys(c.values)), ", "), a.symbol)}
		}
	}
	return nil
}

// others lists the other assets.
func (a *assets) others() string {
	names := slices.Sorted(maps.Keys(a.left))
	if more := len(names) - maxListed; more > 0 {
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

// tell adds a note on the rows that are left out.
func (a *assets) tell(f *File) {
	var parts []string
	names := slices.Sorted(maps.Keys(a.left))
	for _, name := range names[:min(len(names), maxListed)] {
		parts = append(parts, console.Counted(a.left[name], "row")+" in "+name)
	}
	more := 0
	for _, name := range names[min(len(names), maxListed):] {
		more += a.left[name]
	}
	if more > 0 {
		parts = append(parts, console.Counted(more, "row")+" in other assets")
	}
	if a.noFee > 0 {
		parts = append(parts, console.Counted(a.noFee, "row")+" without a fee")
	}
	if len(parts) > 0 {
		f.Notes = append(f.Notes, "Left out: "+strings.Join(parts, ", ")+".")
	}
}

// errOtherAsset says that a column of fees is in another asset.
type errOtherAsset struct {
	names  []string // of the columns
	assets []string // of each
	symbol string
}

func (e *errOtherAsset) Error() string {
	var list []string
	for i := range e.names[:min(len(e.names), maxListed)] {
		list = append(list, fmt.Sprintf("column %s is in %s", strconv.Quote(shownName(e.names[i])), shownName(e.assets[i])))
	}
	return strings.Join(list, ", ") + ", and the ledger is of " + e.symbol + ": only fees in " + e.symbol + " can be compared"
}

// otherAssets is the error of columns whose names state another asset, nil where they are none.
func (h header) otherAssets(places []int, o *Options) error {
	e := &errOtherAsset{symbol: o.Symbol}
	for _, i := range places {
		if asset := assetIn(h[i], o.Symbol); asset != "" {
			e.names, e.assets = append(e.names, h[i]), append(e.assets, asset)
		}
	}
	if len(e.names) == 0 {
		return nil
	}
	return e
}

// otherFees are the columns that are named as fees are, in another asset.
func (h header) otherFees(o *Options) (places []int) {
	for i, name := range h {
		if asset := assetIn(name, o.Symbol); asset != "" && slices.ContainsFunc(usual, func(u fieldName) bool {
			rest := plainName(strings.Replace(name, asset, " ", 1))
			return u.field == Fee && slices.Contains(u.names, strings.TrimSuffix(rest, " in"))
		}) {
			places = append(places, i)
		}
	}
	return places
}

// assetColumns are those that state the asset of the fees in a column: Fee Currency beside Fee
// Amount, or one that is just called so and follows it.
func (h header) assetColumns(fee int, o *Options) (places []int) {
	stem := joined(h[fee])
	if unitOf(h[fee], o.Symbol) != "" {
		base, _ := splitUnit(h[fee])
		stem = joined(base)
	}
	for _, word := range amountWords {
		if rest, cut := strings.CutSuffix(stem, word); cut {
			stem = rest
			break
		}
	}
	stems := []string{stem}
	for _, u := range usual {
		if u.field != Fee {
			continue
		}
		var names []string
		for _, name := range u.names {
			names = append(names, joined(name))
		}
		if slices.Contains(names, stem) {
			stems = append(stems, names...)
		}
	}
	for i, name := range h {
		states := slices.ContainsFunc(assetWords, func(word string) bool {
			rest, ok := strings.CutSuffix(joined(name), word)
			return ok && slices.Contains(stems, rest)
		})
		if states && i != fee && !h.mapped(i, o) {
			places = append(places, i)
		}
	}
	if next := fee + 1; len(places) == 0 && next < len(h) && slices.Contains(assetNames, joined(h[next])) && !h.mapped(next, o) {
		return []int{next}
	}
	return places
}

// joined is a name in lower case with nothing between its words, and without "optional".
func joined(name string) string {
	words := slices.DeleteFunc(strings.Fields(plainName(name)), func(word string) bool { return word == "optional" })
	return strings.Join(words, "")
}

var (
	// assetWords end the names of columns that state the asset of an amount.
	assetWords = []string{"currency", "asset", "symbol", "coin", "token", "ticker", "ccy", "cur", "unit"}
	// amountWords end the names of columns of amounts.
	amountWords = []string{"amount", "quantity", "qty", "volume", "value"}
	// assetNames are those of columns of assets, whatever for.
	assetNames = append([]string{"assetsymbol", "tokensymbol", "currencysymbol", "currencyticker", "cryptocurrency"}, assetWords...)
	// chainNames are those of columns of chains.
	chainNames = []string{"chain", "chainid", "chainname", "blockchain", "network", "networkname"}
	// knownAssets are words that are assets in whatever letters, beside the codes of currencies.
	knownAssets = strings.Fields(`usd eur gbp jpy chf cny aud cad nzd sgd hkd krw inr brl fiat dollar dollars euro euros usdt usdc busd dai btc xbt wbtc
		bitcoin eth ether weth ethereum matic bnb wbnb avax dot polkadot ksm kusama movr moonriver glmr moonbeam astr sdn xrp ltc doge trx`)
	// otherWords are words in capital letters that are none.
	otherWords = strings.Fields(`NET GROSS TOTAL EST ESTIMATED ACTUAL OPTIONAL PAID USED GAS TX TXN TXS EVM NATIVE CHAIN NETWORK FEE FEES UTC GMT ID L1 L2 ERC20 VAT EXCL INCL`)
	// assetLike is a word that is written as symbols of tokens are: GLMR, xcDOT, 1INCH.
	assetLike = regexp.MustCompile(`^(?:[A-Z0-9]{2,10}|[a-z]{1,3}[A-Z][A-Z0-9]{1,8})$`)
)

// isKnownAsset reports whether a word is an asset in whatever context.
func isKnownAsset(word string) bool {
	return slices.Contains(knownAssets, strings.ToLower(word)) || slices.Contains(currencyCodes, word)
}

// isAsset reports whether a word where a unit is wanted is an asset.
func isAsset(word string) bool {
	return isKnownAsset(word) || assetLike.MatchString(word) && strings.ContainsFunc(word, unicode.IsLetter) && !slices.Contains(otherWords, word)
}

// assetIn returns the asset that the name of a column states, "" where it states none or the
// network's own.
func assetIn(name, symbol string) string {
	if symbol == "" {
		return ""
	}
	if i := strings.IndexFunc(name, func(r rune) bool { return unicode.Is(unicode.Sc, r) }); i >= 0 {
		return string([]rune(name[i:])[:1])
	}
	bare, bracketed := name, ""
	if i := strings.IndexAny(name, "(["); i >= 0 {
		bare, bracketed = name[:i], name[i:]
	}
	for _, part := range []struct {
		text string
		is   func(string) bool
	}{{bracketed, isAsset}, {bare, isKnownAsset}} {
		for _, word := range nameWords(part.text) {
			if unitNamed(word, symbol) == "" && part.is(word) {
				return word
			}
		}
	}
	return ""
}

// statesSymbol reports whether the name of a column states the network's own token.
func statesSymbol(name, symbol string) bool {
	return slices.ContainsFunc(nameWords(name), func(word string) bool { return strings.EqualFold(word, symbol) })
}

// nameWords are the words of a name: the pieces between other characters, and their parts where a
// capital letter begins one, as in feeUSD.
func nameWords(name string) (words []string) {
	for _, piece := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words = append(words, piece)
		start, before := 0, ' '
		for i, r := range piece {
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				words = append(words, piece[start:i])
				start = i
			}
			before = r
		}
		if start > 0 {
			words = append(words, piece[start:])
		}
	}
	return words
}
