package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// Kind names differences with the same remedy: an outcome, or [CutOff].
type Kind string

// CutOff is the kind of rows whose amount is the chain's, cut or rounded after some decimals. Their outcome is
// [AmountDiffers].
const CutOff Kind = "cut_off"

// minCut is the smallest number of decimals after which a single amount looks cut. With fewer, others may agree by chance.
const minCut = 8

// Group is the differences of a kind. Accepted ones count like the others.
type Group struct {
	Kind
	Sum
	Accepted int
	// From and To are the lowest and the highest number of decimals after which amounts of [CutOff] are cut.
	From, To int
}

// Title returns the group's name for people.
func (g *Group) Title() string {
	switch {
	case g.Kind != CutOff:
		text := strings.ReplaceAll(string(g.Kind), "_", " ")
		return strings.ToUpper(text[:1]) + text[1:]
	case g.From == g.To:
		return fmt.Sprintf("Cut after %d decimals", g.From)
	}
	return fmt.Sprintf("Cut after %d to %d decimals", g.From, g.To)
}

// Remedy returns what to do about the group.
func (g *Group) Remedy() string {
	return map[Kind]string{
		CutOff:                   "The rest of the amount is missing. Accept, or export your record with all decimals.",
		Kind(AmountDiffers):      "The amount is wrong. Enter the chain's amount.",
		Kind(PayerDiffers):       "The amount agrees, but a different account paid. Correct the account.",
		Kind(PaidByAnother):      "Paid by another account. Remove the line, or add the account to yours.",
		Kind(OutsidePeriod):      "Not of this period. Move the line to its own period.",
		Kind(DatedOutside):       "The amount agrees, but the line is dated outside the period. Correct the date, or state its form (--date-format) or time zone (--timezone).",
		Kind(Undetermined):       "The fee is unknown. Examine the transaction before you accept.",
		Kind(Duplicate):          "An earlier line names the same transaction. Remove this line.",
		Kind(Ambiguous):          "The line fits several transactions, or contradicts itself. Name one by its ID.",
		Kind(OnlyInBooks):        "Not on the chain. Correct the hash, or remove the line.",
		Kind(WithoutTransaction): "The line names no transaction. Enter its hash or ID, or remove the line.",
		Kind(TotalDiffers):       "Your total is not the sum of the lines above it. Correct the total or the lines.",
		Kind(OnlyOnChain):        "Not in your books. Add this line.",
	}[g.Kind]
}

// kind returns the kind of a difference.
func (i *Item) kind() Kind {
	if i.cut > 0 {
		return CutOff
	}
	return Kind(i.Outcome)
}

// kinds returns all kinds of differences in display order.
func kinds() (list []Kind) {
	for _, o := range Outcomes() {
		if o == AmountDiffers {
			list = append(list, CutOff)
		}
		if !o.Agrees() {
			list = append(list, Kind(o))
		}
	}
	return list
}

// In reports whether an item is a difference of the group.
func (g *Group) In(i *Item) bool { return !i.Outcome.Agrees() && i.kind() == g.Kind }

// GroupOf returns the group of an item; nil if the item agrees.
func (r *Result) GroupOf(i *Item) *Group {
	if of := slices.IndexFunc(r.Groups, func(g Group) bool { return g.In(i) }); of >= 0 {
		return &r.Groups[of]
	}
	return nil
}

// addToGroup adds a difference to the group of its kind.
func (r *Result) addToGroup(i *Item) error {
	g := r.GroupOf(i)
	if g == nil {
		r.Groups = append(r.Groups, Group{Kind: i.kind(), Sum: r.noSum(i.Outcome), From: i.cut, To: i.cut})
		order := kinds()
		slices.SortFunc(r.Groups, func(a, b Group) int {
			return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind))
		})
		g = r.GroupOf(i)
	}
	g.From, g.To = min(g.From, i.cut), max(g.To, i.cut)
	return g.add(i)
}

// cutAfter returns the number of decimals after which a row's amount is the chain's, cut or rounded; 0 if it is not.
func (o *Options) cutAfter(fee, amount chain.Wei) int {
	for _, decimals := range []int{o.fileDecimals, max(minCut, o.decimalsOf(fee))} {
		if decimals > 0 && decimals <= o.maxCut() && o.isCut(fee, amount, decimals) {
			return decimals
		}
	}
	return 0
}

// writeGroups writes what to do about each kind of difference.
func (r *Result) writeGroups(out *console.Page, width int) {
	if len(r.Groups) == 0 {
		return
	}
	out.WriteString("\nWhat to do\n\n")
	for i := range r.Groups {
		g := &r.Groups[i]
		count := fmt.Sprint(g.Count)
		if g.Accepted > 0 {
			count += fmt.Sprintf(", %d accepted", g.Accepted)
		}
		console.WriteWrapped(out, fmt.Sprintf("%s (%s): %s", g.Title(), count, g.Remedy()), 2, width)
	}
}
