package reconcile

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// The ledger's transactions pay their fees in its token alone. A row that states another asset is left out only if the
// ledger does not know its transaction, and the asset is not the file's name for the token.

// OtherAsset is what a row states as the asset of its fee, if that is not the network's token.
type OtherAsset struct {
	Name   string
	Chain  string // what the row says of its chain, "" if nothing
	Unread string // why the fee cannot be read as an amount of it; "" if it can
}

// otherAssets decides about the rows that state another asset.
type otherAssets struct {
	network  string
	groups   map[OtherAsset]*assetRows
	beside   map[chain.Hash]rowAt // by the hashes of such rows, the row that has the fee in the token; none if its line is 0
	left     assetCounts          // rows that are left out
	compared assetCounts          // rows that are compared although they state another asset
}

// assetRows counts the rows with one name of an asset on one chain.
type assetRows struct {
	known, unknown int  // to the ledger
	isAlias        bool // it is the file's name for the network's token
}

// maxGroups limits the names of assets, and maxBeside the hashes, that are distinguished.
const (
	maxGroups = 10_000
	maxBeside = 1 << 20
)

// name returns what groups the rows.
func (a OtherAsset) name() OtherAsset { return OtherAsset{Name: a.Name, Chain: a.Chain} }

// learnAssets finds out which names of assets stand for the network's token. Other rows with such a name are fees in it,
// whether the ledger has their transaction or not. The well-known name of another asset does so only if most of its rows
// name transactions of the ledger: one of them may be wrong in a record of several chains.
func (m *matcher) learnAssets(rows iter.Seq2[*Row, error]) error {
	a := &m.others
	if !slices.ContainsFunc(slices.Collect(maps.Values(m.records)), func(o *Options) bool { return !o.plain }) {
		return nil
	}
	a.groups, a.beside, a.left, a.compared = map[OtherAsset]*assetRows{}, map[chain.Hash]rowAt{}, assetCounts{}, assetCounts{}
	for portion, err := range portions(rows) {
		if err != nil {
			return err
		}
		portion = slices.DeleteFunc(portion, func(row *Row) bool { return row.Other.Name == "" })
		if err := m.lookups.read(m.ctx, portion); err != nil {
			return err
		}
		for _, row := range portion {
			m.options = m.records[row.File]
			m.learnAsset(row)
		}
	}
	for _, g := range a.groups {
		g.isAlias = g.isAlias || g.known > g.unknown
	}
	if len(a.beside) == 0 {
		return nil
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		hash, has := row.AnyHash().Get()
		if at, asked := a.beside[hash]; has && asked && at.line == 0 && row.Other.Name == "" && row.LeftOut == "" {
			a.beside[hash] = row.at()
		}
	}
	return nil
}

// learnAsset counts a row that states another asset.
func (m *matcher) learnAsset(row *Row) {
	a, ofFile := &m.others, row.Other.Name == m.options.alias
	if hash, has := row.AnyHash().Get(); has && !ofFile && len(a.beside) < maxBeside {
		a.beside[hash] = rowAt{}
	}
	g := a.groups[row.Other.name()]
	if g == nil {
		if len(a.groups) == maxGroups {
			return
		}
		g = &assetRows{isAlias: strings.EqualFold(row.Other.Name, a.network)}
		a.groups[row.Other.name()] = g
	}
	switch {
	case g.isAlias:
	case len(m.find(row)) == 0:
		g.unknown++
	default:
		g.known++
		g.isAlias = ofFile || !isKnownAsset(row.Other.Name)
	}
}

// besides returns the row that has the fee of a row's transaction in the network's token; none if there is none, or the row
// has it itself.
func (a *otherAssets) besides(row *Row) (none rowAt) {
	hash, has := row.AnyHash().Get()
	if !has || row.Other.Name == "" {
		return none
	}
	return a.beside[hash]
}

// otherAsset decides about a row that states another asset. It is false if the row is compared like any other.
func (m *matcher) otherAsset(row *Row) (item Item, decided bool) {
	a, g := &m.others, m.others.groups[row.Other.name()]
	if row.Other.Name == "" {
		return item, false
	}
	found, isAlias := false, g != nil && g.isAlias
	item = Item{Row: row, Books: chain.Some(row.Fee), Difference: chain.Some(row.Fee.Signed()), Notes: m.stated(row)}
	if !isAlias && (g == nil || g.known > 0) {
		found = len(m.find(row)) > 0
	}
	if !found && !isAlias {
		row.LeftOut = "the fee is in " + row.Other.Name
		if row.Other.Name == m.options.alias {
			row.LeftOut += ", and the ledger has no such transaction"
		}
		a.left.add(row.Other.Name)
		return Item{Outcome: LeftOut, Row: row, Notes: []string{row.LeftOut}}, true
	}
	if row.Other.Name != m.options.alias {
		a.compared.add(row.Other.Name)
	}
	m.record.fees.add(row.Fee) // it is a fee in the token after all
	switch at := a.besides(row); {
	case row.Other.Unread != "":
		item.Outcome = Ambiguous
		item.note("its fee cannot be read: %s", row.Other.Unread)
	case at.line > 0:
		item.Outcome = Duplicate
		item.note("%s has the fee of this transaction in %s", at, m.options.Symbol)
	default:
		return item, false
	}
	return item, true
}

// stated notes the asset that a row states, if it is neither the token nor the file's own name for it.
func (m *matcher) stated(row *Row) []string {
	if row.Other.Name == "" || row.Other.Name == m.options.alias {
		return nil
	}
	return []string{fmt.Sprintf("the record states %s, but fees of this network are paid in %s", strconv.Quote(row.Other.Name), m.options.Symbol)}
}

// notes says which rows with other assets are left out, and which are compared.
func (a *otherAssets) notes(symbol string) (list []string) {
	if names := a.left.list(); len(names) > 0 {
		list = append(list, "Left out: "+strings.Join(names, ", ")+".")
	}
	if names := a.compared.list(); len(names) > 0 {
		list = append(list, fmt.Sprintf("Compared as fees in %s: %s. Fees of this network are paid in no other asset.", symbol, strings.Join(names, ", ")))
	}
	return list
}

// assetCounts counts rows by the name of their asset.
type assetCounts map[string]int

// add counts a row.
func (c assetCounts) add(name string) {
	if _, known := c[name]; !known && len(c) >= maxAssets {
		name = "others"
	}
	c[name]++
}

// sum returns the number of rows.
func (c assetCounts) sum() (count int) {
	for _, n := range c {
		count += n
	}
	return count
}

// list returns the number of rows in each of the first assets, and in the others together.
func (c assetCounts) list() (parts []string) {
	names := slices.Sorted(maps.Keys(c))
	for _, name := range names[:min(len(names), maxListed)] {
		parts = append(parts, console.Counted(c[name], "row")+" in "+name)
	}
	more := 0
	for _, name := range names[min(len(names), maxListed):] {
		more += c[name]
	}
	if more > 0 {
		parts = append(parts, console.Counted(more, "row")+" in other assets")
	}
	return parts
}
