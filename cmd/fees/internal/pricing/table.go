package pricing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/network"
)

// writeTable writes a report for people.
func writeTable(page *console.Page, r *evidence.Report, rules network.Rules, book *app.AddressBook) {
	writeHead(page, r, rules)
	if len(r.Transactions) > 0 {
		page.WriteString("\n")
		page.Table(transactionRows(r, rules.Symbol, book))
	}
	page.WriteString("\n")
	page.Table(totalRows(r, rules.Symbol))
	if n := r.Totals.Inherents; n > 0 {
		page.WriteString(console.Counted(n, "inherent") + " " + console.Verb(n, "pays", "pay") + " no fee\n")
	}
	writeProof(page, r, rules.Symbol)
	writeNotes(page, r)
}

// writeHead says which block it is and what priced it.
func writeHead(page *console.Page, r *evidence.Report, rules network.Rules) {
	title := fmt.Sprintf("Block %d of %s", r.Number, r.Network)
	if when, ok := r.Time.Get(); ok {
		title += fmt.Sprintf(", %v", when)
	}
	if final, ok := r.Finalized.Get(); ok && !final {
		title += ", not final"
	}
	page.Line(title, 2)
	multiplier := "none"
	if m, ok := r.Multiplier.Get(); ok {
		multiplier = fmt.Sprintf("%s, stored at block %d", console.Plain(console.Scaled(m.Value, 18)), m.At)
	}
	baseFee := "not known"
	if base, ok := r.BaseFeePerGas.Get(); ok {
		baseFee = console.Plain(console.Gwei(base)) + " Gwei per gas"
		if rules.BaseFee.Static.Known() {
			baseFee += ", static"
		} else {
			baseFee += fmt.Sprintf(" = multiplier × %s Gwei", console.Plain(console.Gwei(rules.BaseFee.Constant)))
		}
	}
	var pairs console.Pairs
	pairs.Add("hash", r.Hash.String())
	pairs.Add("rules", r.Rules)
	pairs.Add("multiplier", multiplier)
	pairs.Add("base fee", baseFee)
	pairs.Add("evidence", r.Evidence.String())
	page.Pairs(pairs)
}

func transactionRows(r *evidence.Report, symbol string, book *app.AddressBook) *console.Table {
	rows := console.NewTable(
		console.Column{Name: "#", Right: true}, console.Column{Name: "layer", Drop: 3}, console.Column{Name: "type", Cut: true, Drop: 4},
		console.Column{Name: "hash", Cut: true, Drop: 2}, console.Column{Name: "payer", Cut: true, Drop: 1},
		console.Column{Name: "gas", Right: true, Drop: 6}, console.Column{Name: "Gwei", Right: true, Decimals: true, Drop: 5},
		console.Column{Name: "fee " + symbol, Right: true, Decimals: true, Verdict: true},
		console.Column{Name: "outcome", Term: true}, console.Column{Name: "proof", Verdict: true},
	)
	for _, t := range r.Transactions {
		fee, price := "undetermined", ""
		if paid, ok := t.Fee.Get(); ok {
			fee = console.Tokens(paid)
		} else if t.Error == nil {
			fee = ""
		}
		if p, ok := t.GasPrice.Get(); ok {
			price = console.Gwei(p)
		}
		hash := t.Hash.String()
		if evm, ok := t.EVMHash.Get(); ok {
			hash = evm.String()
		}
		rows.Row(t.Index, t.Layer, kind(t), hash, cli.LabelOf(book, t.Payer), cli.Known(t.Gas), price, fee, outcome(t), verdict(t))
	}
	return rows
}

// kind is an EVM transaction's type, or another's call.
func kind(t evidence.Transaction) string {
	if kind, ok := t.Type.Get(); ok {
		return string(kind)
	}
	return t.Call
}

// outcome is how the transaction ended; where the EVM failed, with its reason.
func outcome(t evidence.Transaction) string {
	o, ok := t.Outcome.Get()
	if !ok {
		return "not known"
	}
	if reason, ok := t.Status.Get(); ok && o == fee.Failed {
		return "failed: " + cli.Name(reason, cli.MostName)
	}
	return words(o)
}

// words is a term of several words as people write it.
func words[T ~string](term T) string { return strings.ReplaceAll(string(term), "_", " ") }

// verdict is how the fee stands beside what the chain recorded.
func verdict(t evidence.Transaction) string {
	v, _ := t.Verdict.Get()
	return words(v)
}

func totalRows(r *evidence.Report, symbol string) *console.Table {
	t := r.Totals
	rows := console.NewTable(
		console.Column{Name: "layer", Verdict: true}, console.Column{Name: "transactions", Right: true}, console.Column{Name: "failed", Right: true},
		console.Column{Name: "fee " + symbol, Right: true, Decimals: true},
	)
	rows.Row(fee.EVM, t.EVM, t.EVMFailed, console.Tokens(t.EVMFee))
	rows.Row(fee.Native, t.Native, t.NativeFailed, console.Tokens(t.NativeFee))
	total := "total"
	if !t.Complete {
		total = "INCOMPLETE total"
	}
	rows.Footer(total, t.EVM+t.Native, t.EVMFailed+t.NativeFailed, console.Tokens(t.Fee))
	return rows
}

// writeProof says what the chain charged, and where it went.
func writeProof(page *console.Page, r *evidence.Report, symbol string) {
	t := r.Totals
	if t.Match+t.Drift+t.CashOnly > 0 {
		page.WriteString("\n")
		page.Table(chargedRows(symbol, t.Charged, t.Burned, t.Treasury, t.Author))
	}
	if counts := verdictCounts(t.Match, t.Drift, t.CashOnly, t.NoEvidence); counts != "" {
		page.WriteString("\n")
		page.Line("fees beside what the chain charged: "+counts, 2)
	}
}

// chargedRows are what the chain charged and where it went.
func chargedRows(symbol string, charged, burned, treasury, author chain.Optional[chain.Wei]) *console.Table {
	rows := console.NewTable(console.Column{Name: "on the chain"}, console.Column{Name: symbol, Right: true, Decimals: true, Verdict: true})
	for _, sum := range []struct {
		what   string
		amount chain.Optional[chain.Wei]
	}{{"charged", charged}, {"burned", burned}, {"treasury", treasury}, {"author", author}} {
		amount := cli.NotKnown
		if wei, ok := sum.amount.Get(); ok {
			amount = console.Tokens(wei)
		}
		rows.Row(sum.what, amount)
	}
	return rows
}

// outcomeUnknown says of how many transactions it is not known how they ended.
func outcomeUnknown[N int | uint64](n N) string {
	return fmt.Sprintf("of %s it is not known whether %s failed", console.Counted(n, "transaction"), console.Verb(n, "it", "they"))
}

// unaccounted says of how many transactions it is not known where the money went.
func unaccounted(n, of int) string {
	return fmt.Sprintf("of %d of %s it is not known how much was burned or went to treasury and author", n, console.Counted(of, "transaction"))
}

func verdictCounts(match, drift, cashOnly, noEvidence int) string {
	var counts []string
	for _, count := range []struct {
		n    int
		what string
	}{{match, "match"}, {drift, "drift"}, {cashOnly, "known from cash only"}, {noEvidence, "without evidence"}} {
		if count.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", count.n, count.what))
		}
	}
	return strings.Join(counts, ", ")
}

// writeNotes writes all that a reader must know beyond the figures. What holds
// for several transactions is said once.
func writeNotes(page *console.Page, r *evidence.Report) {
	var notes []string
	of := map[string][]string{} // the transactions of each note
	add := func(index int, note string) {
		if of[note] == nil {
			notes = append(notes, note)
		}
		of[note] = append(of[note], strconv.Itoa(index))
	}
	for _, t := range r.Transactions {
		if t.Error != nil {
			add(t.Index, fmt.Sprintf("fee undetermined: %v", t.Error.Err))
		}
		for _, note := range t.Notes {
			add(t.Index, note)
		}
	}
	for i, note := range notes {
		word := "extrinsic"
		if len(of[note]) > 1 {
			word = "extrinsics"
		}
		notes[i] = fmt.Sprintf("%s %s: %s", word, strings.Join(of[note], ", "), note)
	}
	notes = append(notes, blockNotes(r)...)
	if len(notes) > 0 {
		page.WriteString("\n")
	}
	for _, note := range notes {
		page.Line("note: "+note, 2)
	}
}

// blockNotes are those on the block as a whole.
func blockNotes(r *evidence.Report) []string {
	notes := slices.Clone(r.Notes)
	if n := r.Totals.Undetermined; n > 0 {
		notes = slices.Insert(notes, 0, fmt.Sprintf("%d of %s %s undetermined and not in the totals", n, console.Counted(r.Totals.EVM+r.Totals.Native, "fee"), console.Verb(n, "is", "are")))
	}
	if n := r.Totals.OutcomeUnknown; n > 0 {
		notes = append(notes, outcomeUnknown(n))
	}
	if n := r.Totals.Unaccounted; n > 0 {
		notes = append(notes, unaccounted(n, r.Totals.EVM+r.Totals.Native))
	}
	return append(notes, findingNotes(r)...)
}

// findingNotes are what does not hold, and what would explain it.
func findingNotes(r *evidence.Report) (notes []string) {
	for _, finding := range r.Findings {
		message := finding.Check + ": " + finding.Message
		if i, ok := finding.Extrinsic.Get(); ok {
			message = fmt.Sprintf("extrinsic %d: %s", i, message)
		}
		notes = append(notes, message)
	}
	if r.Diagnosis != nil {
		notes = append(notes, fmt.Sprintf("%s: %s (%d of the fees depend on it)", r.Diagnosis.Class, r.Diagnosis.Message, r.Diagnosis.Deciding))
	}
	return notes
}
