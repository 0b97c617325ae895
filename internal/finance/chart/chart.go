package chart

import (
	"cmp"
	"maps"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
)

// Target is an account or a dimension that a row names.
type Target string

// The targets. All but the first two are dimensions of the expense.
const (
	Account    Target = "account" // of the expense
	Asset      Target = "asset"   // that the fee was paid from
	CostCentre Target = "cost_centre"
	Class      Target = "class"
	Department Target = "department"
	Project    Target = "project"
	Location   Target = "location"
	TaxCode    Target = "tax_code"
)

// Targets lists the targets in the order of their declaration.
func Targets() []Target {
	return []Target{Account, Asset, CostCentre, Class, Department, Project, Location, TaxCode}
}

// DimensionTargets lists the targets that are dimensions.
func DimensionTargets() []Target { return Targets()[2:] }

// Settings of every journal form. A form may have more.
const (
	SettingSuspense = "suspense" // the account of fees that no row places
	SettingRounding = "rounding" // the account of rounding differences
	SettingAsset    = "asset"    // the asset account of payers that no row places
)

// Chart is a chart of accounts. The nil Chart places nothing.
type Chart struct {
	rules    []rule
	settings map[string]setting
	SHA256   string // of the file, in hex digits
}

// setting is the value of a line such as "# suspense: 9999".
type setting struct {
	value string
	line  int
}

// Setting returns the value of a setting, "" where the file does not have it.
func (c *Chart) Setting(name string) string { return c.settings[name].value }

// Settings returns the names of the settings, in the order of their lines.
func (c *Chart) Settings() []string {
	return slices.SortedFunc(maps.Keys(c.settings), func(a, b string) int { return cmp.Compare(c.Line(a), c.Line(b)) })
}

// Line returns the line of a setting, 0 where the file does not have it.
func (c *Chart) Line(name string) int { return c.settings[name].line }

// Rules returns the lines of the file that have rules, in their order.
func (c *Chart) Rules() (lines []int) {
	for i := range c.rules {
		lines = append(lines, c.rules[i].line)
	}
	return lines
}

// UsesTokens reports whether a rule has a condition on the ERC-20 tokens that a transaction moved.
func (c *Chart) UsesTokens() bool {
	return slices.ContainsFunc(c.rules, func(r rule) bool { return r.conditions[condToken].given() })
}

// Facts provides the properties of a transaction that rules test.
type Facts struct {
	Payer         chain.Address
	Label, Group  string // of the payer, "" for none
	Layer         fee.Layer
	Kind          string // the rollforward's class of the movement, such as fee
	Contract      chain.Optional[chain.Address]
	ContractLabel string
	Call          string
	Outcome       fee.Outcome
	Tag           string
	Hash          chain.Hash
	EVMHash       chain.Optional[chain.Hash]
	ID            string          // such as 25-4
	Tokens        []chain.Address // that it moved

	signer chain.Address
}

// KindFee is the kind of what a payer paid.
const KindFee = "fee"

// FactsOf returns the facts that the ledger has of a transaction's fee. The caller adds labels, tag and tokens.
func FactsOf(t *ledger.Transaction) *Facts {
	f := &Facts{
		Layer: t.Layer, Kind: KindFee, Call: t.Call, Outcome: t.Outcome, Hash: t.Hash, EVMHash: t.EVMHash,
		ID: t.Place().String(),
	}
	f.Payer, _ = t.Payer.Get()
	f.signer, _ = t.Sender.Get()
	if t.Layer == fee.EVM {
		f.Contract = t.Recipient
	}
	return f
}

// Placement is where the chart places a fee.
type Placement struct {
	values map[Target]string
	lines  map[Target]int
}

// Value returns the account or dimension of a target, "" where no row names it.
func (p *Placement) Value(t Target) string { return p.values[t] }

// Line returns the line of the row that named a target, 0 where none did.
func (p *Placement) Line(t Target) int { return p.lines[t] }

// none leaves a dimension empty; as a condition it matches what has no label, group or tag.
const none = "-"

// anyValue matches what has a label, group, tag or any other value.
const anyValue = "*"

// Place finds the targets of a transaction: each from the first row that fits and names it.
func (c *Chart) Place(f *Facts) *Placement {
	return c.place(f, func(*rule) bool { return true })
}

// PlaceMovement finds the targets of a movement that is not a fee, by the rows with a kind only: a
// row without one is about fees.
func (c *Chart) PlaceMovement(f *Facts) *Placement {
	return c.place(f, func(r *rule) bool { return r.conditions[condKind].given() })
}

func (c *Chart) place(f *Facts, used func(*rule) bool) *Placement {
	p := &Placement{map[Target]string{}, map[Target]int{}}
	if c == nil {
		return p
	}
	for i := range c.rules {
		r := &c.rules[i]
		if !used(r) || !r.names(p) || !r.fits(f) {
			continue
		}
		for target, value := range r.targets {
			if p.lines[target] == 0 {
				p.lines[target] = r.line
				if value != none {
					p.values[target] = value
				}
			}
		}
	}
	return p
}

// names reports whether the rule names a target that no earlier row named. It costs less than the conditions.
func (r *rule) names(p *Placement) bool {
	for target := range r.targets {
		if p.lines[target] == 0 {
			return true
		}
	}
	return false
}
