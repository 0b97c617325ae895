package reconcile

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/feeledger/fees/internal/console"
)

// A company's export can contain fees on several chains, each in its own asset. The asset is stated by the name
// of the fee column, by a column beside it, or by the cell itself.

// assets decides the asset of each fee, and counts the rows.
type assets struct {
	symbol     string       // of the network's token; "" if unknown, then nothing is decided
	place      int          // number of the column that states the asset, from 1; 0 if there is none
	name       string       // of that column, or of the fee column
	skipsEmpty bool         // a row may have no fee: a profile reads the file, or a column states assets
	isNamed    bool         // the name of the fee column states the network's token
	maybe      []*candidate // columns that may state the asset, if none surely does
	chains     []int        // numbers of the columns that name the chain, from 1
	left       assetCounts  // rows in other assets
	noFee      int          // rows without a fee
	own        int          // compared rows
	alias      string       // the file's own symbol for the network's token, such as ETH; "" if it is the network's
	unnamed    Problem      // rows whose fee has no stated asset
	inCells    Problem      // rows whose fee cell states another asset
}

// candidate is a column of assets or chains that may belong to the fees.
type candidate struct {
	Column
	isChain bool
	values  map[string]bool // some of its values, in lower case
}

const (
	// maxAssets limits the assets that are counted separately.
	maxAssets = 100
	// maxListed limits the assets listed in a message.
	maxListed = 10
)

// newAssets returns the assets of a file with a header.
func newAssets(h header, list []Column, o *Options) assets {
	a := assets{symbol: o.Symbol, left: assetCounts{}}
	for i, name := range h {
		if slices.Contains(chainNames, joined(name)) {
			a.chains = append(a.chains, i+1)
		}
	}
	used := map[int]bool{}
	for _, c := range list {
		used[c.Place] = true
		switch c.Field {
		case Fee:
			a.alias = o.aliasIn(c.Name)
			a.isNamed = o.Symbol != "" && statesSymbol(c.Name, o.Symbol) || a.alias != "" || o.applied != nil && o.applied.Unit != ""
			a.name = c.Name
			a.unnamed = Problem{Column: c.Place, Name: c.Name}
			a.inCells = a.unnamed
		case Asset:
			a.place = c.Place
		}
	}
	a.skipsEmpty = o.applied != nil || a.place > 0 && o.Symbol != ""
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

// noFee is the reason for leaving out a row without a fee.
const noFee = "the row has no fee"

// read returns how the fee of a row is written, why the row is left out, and the asset that it states if that is not the
// network's token.
func (a *assets) read(rec *record, fee *cell, form amountForm) (_ amountForm, leftOut string, is OtherAsset, err error) {
	text, stated := fee.value(), ""
	if fee.err != nil || len(text) > maxAmount { // parsing the amount reports the error
		return form, "", is, nil
	}
	if a.skipsEmpty && isNothing(text) {
		a.noFee++
		return form, noFee, is, nil
	}
	if a.symbol == "" {
		return form, "", is, nil
	}
	if a.place > 0 {
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
	case stated != "" && unit == "" && (a.isNamed || inCell.isToken()):
		return form, "", is, fmt.Errorf("%q is in %s, but column %q says %s; use --map asset= if all fees are in %[2]s", shownName(text), a.symbol, shownName(a.name), shownName(stated))
	case stated != "" && unit == "":
		form.unit = cmp.Or(form.unit, Token)
		return form, "", a.other(stated, rec), nil
	case stated == "" && other != "" && !a.isNamed:
		if a.inCells.Count == 0 {
			a.inCells.Value, a.inCells.Err = text, &valueError{text, fmt.Errorf("is in %s, but the ledger is in %s", shownName(other), a.symbol)}
		}
		a.inCells.count(rec.line)
		form.unit, form.token.Symbol = Token, other
		return form, "", a.other(other, rec), nil
	case a.place > 0 && stated == "" && inCell == "" && form.unit == "":
		return form, "", is, fmt.Errorf("%q has no unit, and column %q states no asset; %s", shownName(text), shownName(a.name), form.useUnit())
	case unit != "" && form.unit == "":
		form.unit = unit
	case unit != "" && unit != Token && form.unit != unit:
		return form, "", is, fmt.Errorf("%q is in %s, but the fees are declared to be in %s", shownName(text), unit, form.unit)
	}
	_, withPrefix := unit.power()
	if !a.isNamed && !inCell.isToken() && !strings.EqualFold(stated, a.symbol) && !withPrefix && !isNothing(text) {
		a.addUnnamed(rec)
	}
	a.own++
	if a.alias != "" {
		is = OtherAsset{Name: a.alias, Chain: a.chain(rec)}
	}
	return form, "", is, nil
}

// other counts a row that states another asset.
func (a *assets) other(name string, rec *record) OtherAsset {
	name = shownName(name)
	a.left.add(name)
	return OtherAsset{Name: name, Chain: a.chain(rec)}
}

// chain returns what a row says of its chain.
func (a *assets) chain(rec *record) string {
	var list []string
	for _, at := range a.chains {
		list = append(list, shownName(strings.ToLower(rec.value(at))))
	}
	return strings.Join(list, " ")
}

// stated returns the asset that a cell states, or "". Koinly writes GLMR;27541.
func (a *assets) stated(c *cell) string {
	text, _, _ := strings.Cut(c.value(), ";")
	if text = strings.TrimSpace(text); text == "-" {
		return ""
	}
	if a.isOwn(text) {
		return a.symbol
	}
	return text
}

// isOwn reports whether a name of an asset contains the network's symbol as a word: GLMR (Moonbeam), $GLMR. Letters of
// double width and invisible characters count as plain ones.
func (a *assets) isOwn(text string) bool {
	if text == "" || a.symbol == "" || unitNamed(text, a.symbol) != "" {
		return false
	}
	plain := strings.Map(func(r rune) rune {
		if r >= '！' && r <= '～' { // the same characters as ! to ~
			return r - '！' + '!'
		}
		return r
	}, withoutMarks(text))
	return slices.Contains(strings.FieldsFunc(strings.ToLower(plain), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), strings.ToLower(a.symbol))
}

// isNothing reports whether a fee cell is empty, a dash or zero.
func isNothing(text string) bool { return text == "-" || strings.Trim(text, "0.,") == "" }

// addUnnamed adds a row whose fee has no stated asset.
func (a *assets) addUnnamed(rec *record) {
	a.unnamed.count(rec.line)
	for _, c := range a.maybe {
		text := strings.ToLower(a.stated(&rec.cells[c.Place-1]))
		if text != "" && len(c.values) < maxListed {
			c.values[text] = true
		}
	}
}

// check requires the asset of each fee to be stated if the file contains several. Rows without one are added to the
// problems, and so are rows in another asset if none is in the network's own.
func (a *assets) check(headerLine int, problems *ProblemsError) error {
	switch {
	case a.inCells.Count > 0 && a.own == 0:
		problems.addRows(&a.inCells)
	case a.unnamed.Count > 0 && len(a.left) > 0:
		a.unnamed.Err = fmt.Errorf("the fee has no asset, but other fees are in %s", a.others())
		problems.addRows(&a.unnamed)
	}
	if problems.Count > 0 {
		return nil
	}
	for _, c := range a.maybe {
		if len(c.values) > 1 || len(c.values) == 1 && !c.isChain && !c.values[strings.ToLower(a.symbol)] {
			return &UnreadError{Line: headerLine, Err: fmt.Errorf("the fees have no asset, and column %q contains %s; name the column with --map asset=NAME, or use --map asset= if all fees are in %s",
				shownName(c.Name), strings.Join(slices.Sorted(maps.Keys(c.values)), ", "), a.symbol)}
		}
	}
	return nil
}

// others lists the other assets.
func (a *assets) others() string { return firstNames(slices.Sorted(maps.Keys(a.left))) }

// firstNames lists the first of some names.
func firstNames(names []string) string {
	text := strings.Join(names[:min(len(names), maxListed)], ", ")
	if more := len(names) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// addNotes adds a note about the rows without a fee.
func (a *assets) addNotes(f *File) {
	if a.noFee > 0 {
		f.Notes = append(f.Notes, "Left out: "+console.Counted(a.noFee, "row")+" without a fee.")
	}
}

// errOtherAsset reports fee columns in another asset.
type errOtherAsset struct {
	names  []string // of the columns
	assets []string // of each column
	symbol string
}

func (e *errOtherAsset) Error() string {
	var list []string
	for i := range e.names[:min(len(e.names), maxListed)] {
		list = append(list, fmt.Sprintf("column %s is in %s", strconv.Quote(shownName(e.names[i])), shownName(e.assets[i])))
	}
	return strings.Join(list, ", ") + "; only fees in " + e.symbol + " can be compared with this ledger, and values in a currency with --prices FILE --fiat CODE"
}

// otherAssets returns the error for columns whose names state another asset, or nil.
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

// otherFees returns the columns named like fees in another asset.
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

// assetColumns returns the columns that state the asset of the fees in a column: Fee Currency beside Fee Amount, or
// a column just called Currency that follows it.
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

// joined returns a name in lower case without spaces and without the word "optional".
func joined(name string) string {
	words := slices.DeleteFunc(strings.Fields(plainName(name)), func(word string) bool { return word == "optional" })
	return strings.Join(words, "")
}

var (
	// assetWords end the names of columns that state the asset of an amount.
	assetWords = []string{"currency", "asset", "symbol", "coin", "token", "ticker", "ccy", "cur", "unit"}
	// amountWords end the names of columns of amounts.
	amountWords = []string{"amount", "quantity", "qty", "volume", "value"}
	// assetNames are names of asset columns of any kind.
	assetNames = append([]string{"assetsymbol", "tokensymbol", "currencysymbol", "currencyticker", "cryptocurrency"}, assetWords...)
	// chainNames are names of chain columns.
	chainNames = []string{"chain", "chainid", "chainname", "blockchain", "network", "networkname"}
	// knownAssets are words that are assets in any case, in addition to currency codes.
	knownAssets = strings.Fields(`usd eur gbp jpy chf cny aud cad nzd sgd hkd krw inr brl fiat dollar dollars euro euros usdt usdc busd dai btc xbt wbtc
		bitcoin eth ether weth ethereum matic bnb wbnb avax dot polkadot ksm kusama movr moonriver glmr moonbeam astr sdn xrp ltc doge trx`)
	// otherWords are words in capital letters that are not assets.
	otherWords = strings.Fields(`NET GROSS TOTAL EST ESTIMATED ACTUAL OPTIONAL PAID USED GAS TX TXN TXS EVM NATIVE CHAIN NETWORK FEE FEES UTC GMT ID L1 L2 ERC20 VAT EXCL INCL`)
	// assetLike matches words written like token symbols: GLMR, xcDOT, 1INCH.
	assetLike = regexp.MustCompile(`^(?:[A-Z0-9]{2,10}|[a-z]{1,3}[A-Z][A-Z0-9]{1,8})$`)
)

// isKnownAsset reports whether a word is an asset in any context.
func isKnownAsset(word string) bool {
	return slices.Contains(knownAssets, strings.ToLower(word)) || slices.Contains(currencyCodes, word)
}

// isAsset reports whether a word in the position of a unit is an asset.
func isAsset(word string) bool {
	return isKnownAsset(word) || assetLike.MatchString(word) && strings.ContainsFunc(word, unicode.IsLetter) && !slices.Contains(otherWords, word)
}

// assetIn returns the asset that a column name states, or "" if it states none or the network's own.
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

// statesSymbol reports whether a column name states the network's own token.
func statesSymbol(name, symbol string) bool {
	return slices.ContainsFunc(nameWords(name), func(word string) bool { return strings.EqualFold(word, symbol) || prefixed(word, symbol) != "" })
}

// nameWords splits a name into words at other characters, and adds the parts of camel-case words such as feeUSD.
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

// aliasIn returns what a column of fees calls the network's token, as the profile's product may;
// "" where it has the token's own symbol.
func (o *Options) aliasIn(name string) string {
	if o.applied == nil {
		return ""
	}
	asset := assetIn(name, o.Symbol)
	if i := slices.IndexFunc(o.applied.Symbols, func(s string) bool { return strings.EqualFold(s, asset) }); i >= 0 {
		return o.applied.Symbols[i]
	}
	return ""
}
