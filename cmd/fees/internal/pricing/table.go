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
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/network"
)

// writeTable writes a report as text.
func writeTable(page *console.Page, r *evidence.Report, rules network.Rules, book *app.AddressBook) {
	token := console.Token(rules.Token)
	writeHead(page, r, rules)
	if len(r.Transactions) > 0 {
		page.WriteString("\n")
		page.Table(transactionRows(r, token, book, rules.BaseFee.None))
		writeGasSpent(page, r, token, book)
	}
	page.WriteString("\n")
	page.Table(totalRows(r, token))
	writeAssetFees(page, r, token)
	if n := r.Totals.Inherents; n > 0 {
		page.WriteString(console.Counted(n, "inherent") + " " + console.Verb(n, "pays", "pay") + " no fee\n")
	}
	writeProof(page, r, &rules)
	writeNotes(page, r)
}

// writeHead writes the block's identity and rules.
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
	if rules.BaseFee.None {
		baseFee = "none: the runtime has no EVM"
	}
	if base, ok := r.BaseFeePerGas.Get(); ok {
		baseFee = console.Plain(console.Gwei(base)) + " Gwei per gas"
		if rules.BaseFee.Static.Known() {
			baseFee += ", static"
		} else if stored, ok := rules.BaseFee.Stored.Get(); ok {
			baseFee += ", stored in " + stored.Name()
		} else {
			baseFee += fmt.Sprintf(" = multiplier × %s Gwei", console.Plain(console.Gwei(rules.BaseFee.Constant)))
			if scale := rules.BaseFee.Scale; scale > 1 {
				baseFee += fmt.Sprintf(" × %d", scale)
			}
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

func transactionRows(r *evidence.Report, token console.Token, book *app.AddressBook, noEVM bool) *console.Table {
	columns := []console.Column{
		{Name: "#", Right: true}, {Name: "layer", Drop: 3}, {Name: "type", Cut: true, Drop: 4}, {Name: "hash", Cut: true, Drop: 2}, {Name: "payer", Cut: true, Drop: 1},
		{Name: "gas", Right: true, Drop: 6}, {Name: "Gwei", Right: true, Decimals: true, Drop: 5},
		{Name: "fee " + token.Symbol, Right: true, Decimals: true, Verdict: true}, {Name: "outcome", Term: true}, {Name: "proof", Verdict: true},
	}
	gas, end := 5, 5 // the columns that a runtime without an EVM lacks
	if noEVM {
		end = 7
	}
	rows := console.NewTable(slices.Delete(columns, gas, end)...)
	for _, t := range r.Transactions {
		fee, price := "undetermined", ""
		if paid, ok := t.Fee.Get(); ok {
			fee = token.Tokens(paid)
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
		cells := []any{t.Index, t.Layer, kind(t), hash, cli.LabelOf(token, book, t.Payer), console.Known(t.Gas), price, fee, outcome(t), t.Standing().Words()}
		rows.Row(slices.Delete(cells, gas, end)...)
	}
	return rows
}

// writeAssetFees writes the fees that were paid in assets, by asset.
func writeAssetFees(page *console.Page, r *evidence.Report, token console.Token) {
	if len(r.AssetFees) == 0 {
		return
	}
	page.WriteString("\n")
	rows := console.NewTable(
		console.Column{Name: "paid in assets, in no total"}, console.Column{Name: "transactions", Right: true},
		console.Column{Name: "amount", Right: true}, console.Column{Name: "credited " + token.Symbol, Right: true, Decimals: true},
	)
	for _, t := range r.AssetFees {
		credited := cli.NotKnown
		if amount, known := t.Equivalent.Get(); known {
			credited = token.Tokens(amount)
		}
		rows.Row(plain.Line(t.Asset), t.Transactions, t.Amount, credited)
	}
	page.Table(rows)
}

// writeGasSpent writes the gas that native transactions took from other accounts than their payers'.
func writeGasSpent(page *console.Page, r *evidence.Report, token console.Token, book *app.AddressBook) {
	for i := range r.Transactions {
		t := &r.Transactions[i]
		if _, spent := t.GasSpent.Get(); spent {
			page.Line(fmt.Sprintf("#%d took gas: %s", t.Index, gasSpent(t, token, book)), 2)
		}
	}
}

// gasSpent returns the gas that a transaction took from another account than its payer's, "" if there is none.
func gasSpent(t *evidence.Transaction, token console.Token, book *app.AddressBook) string {
	s, spent := t.GasSpent.Get()
	if !spent {
		return ""
	}
	return fmt.Sprintf("%s %s from %s, the account of %s", console.Plain(token.Tokens(s.Amount)), token.Symbol,
		cli.Called(token, book, chain.Some(s.Account)), cli.Called(token, book, chain.Some(s.Source)))
}

// kind returns the type of an EVM transaction, or the call of a native one.
func kind(t evidence.Transaction) string {
	if kind, ok := t.Type.Get(); ok {
		return string(kind)
	}
	return t.Call
}

// outcome returns the outcome of a transaction, with the reason if the EVM reports one.
func outcome(t evidence.Transaction) string {
	o, ok := t.Outcome.Get()
	if !ok {
		return "not known"
	}
	if reason, ok := t.Status.Get(); ok && o == fee.Failed {
		return "failed: " + cli.Name(reason, cli.MaxName)
	}
	return words(o)
}

// words replaces the underscores of a term with spaces.
func words[T ~string](term T) string { return strings.ReplaceAll(string(term), "_", " ") }

func totalRows(r *evidence.Report, token console.Token) *console.Table {
	t := r.Totals
	rows := console.NewTable(
		console.Column{Name: "layer", Verdict: true}, console.Column{Name: "transactions", Right: true}, console.Column{Name: "failed", Right: true},
		console.Column{Name: "fee " + token.Symbol, Right: true, Decimals: true},
	)
	rows.Row(fee.EVM, t.EVM, t.EVMFailed, token.Tokens(t.EVMFee))
	rows.Row(fee.Native, t.Native, t.NativeFailed, token.Tokens(t.NativeFee))
	total := "total"
	if !t.Complete {
		total = "incomplete total"
	}
	rows.Footer(total, t.EVM+t.Native, t.EVMFailed+t.NativeFailed, token.Tokens(t.Fee))
	return rows
}

// writeProof writes what the chain charged and where it went.
func writeProof(page *console.Page, r *evidence.Report, rules *network.Rules) {
	t := r.Totals
	if t.Match+t.Drift+t.CashOnly > 0 {
		page.WriteString("\n")
		page.Table(chargedRows(rules, t.Charged, t.Burned, t.Treasury, t.Author))
	}
	if counts := verdictCounts(t.Match, t.Drift, t.CashOnly, t.NoEvidence); counts != "" {
		page.WriteString("\n")
		if t.FailedChecks > 0 {
			counts += "; " + console.Counted(t.FailedChecks, "transaction") + " with failed checks"
		}
		page.Line(counts, 2)
	}
}

// chargedRows returns the table of charges and their destinations.
func chargedRows(rules *network.Rules, charged, burned, treasury, author chain.Optional[chain.Wei]) *console.Table {
	rows := console.NewTable(console.Column{Name: "on the chain"}, console.Column{Name: rules.Symbol, Right: true, Decimals: true, Verdict: true})
	for _, sum := range []struct {
		what   string
		amount chain.Optional[chain.Wei]
	}{{"charged", charged}, {"burned", burned}, {rules.TreasuryLabel(), treasury}, {"author", author}} {
		amount := cli.NotKnown
		if wei, ok := sum.amount.Get(); ok {
			amount = console.Token{Decimals: rules.Decimals}.Tokens(wei)
		}
		rows.Row(sum.what, amount)
	}
	return rows
}

// outcomeUnknown reports how many transactions have an unknown outcome.
func outcomeUnknown[N int | uint64](n N) string {
	return fmt.Sprintf("%s with unknown outcome", console.Counted(n, "transaction"))
}

// unaccounted reports how many transactions have fees with unknown destinations.
func unaccounted(n, of int) string {
	return fmt.Sprintf("for %d of %s the amounts burned or paid to treasury and author are not known", n, console.Counted(of, "transaction"))
}

// verdictCounts summarizes the verdicts on fees, "" if there are none.
func verdictCounts(match, drift, cashOnly, noEvidence int) string {
	total := match + drift + cashOnly + noEvidence
	if total == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %s %s what the chain charged", match, console.Counted(total, "fee"), console.Verb(match, "matches", "match"))
	separator := "; "
	if match+drift == 0 { // no fee could be compared
		text, separator = "fees compared with charges", ": "
	}
	for _, count := range []struct {
		n    int
		what string
	}{{drift, "drift"}, {cashOnly, "cash only"}, {noEvidence, "no evidence"}} {
		if count.n > 0 {
			text += fmt.Sprintf("%s%d %s", separator, count.n, count.what)
			separator = ", "
		}
	}
	return text
}

// writeNotes writes the notes. A note on several transactions is written once.
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
	page.Notes(notes)
}

// blockNotes returns the notes on the block as a whole.
func blockNotes(r *evidence.Report) []string {
	var notes []string
	for _, note := range r.Notes {
		notes = append(notes, app.ReportToken(r).Own(note))
	}
	if n := r.Totals.Undetermined; n > 0 {
		notes = slices.Insert(notes, 0, fmt.Sprintf("%d of %s %s undetermined and excluded from the totals", n, console.Counted(r.Totals.EVM+r.Totals.Native, "fee"), console.Verb(n, "is", "are")))
	}
	if n := r.Totals.OutcomeUnknown; n > 0 {
		notes = append(notes, outcomeUnknown(n))
	}
	if n := r.Totals.Unaccounted; n > 0 {
		notes = append(notes, unaccounted(n, r.Totals.EVM+r.Totals.Native))
	}
	return append(notes, findingNotes(r)...)
}

// findingNotes returns the findings and their diagnosis.
func findingNotes(r *evidence.Report) (notes []string) {
	for _, finding := range r.Findings {
		message := finding.Check + ": " + app.ReportToken(r).Own(finding.Message)
		if i, ok := finding.Extrinsic.Get(); ok {
			message = fmt.Sprintf("extrinsic %d: %s", i, message)
		}
		notes = append(notes, message)
	}
	if r.Diagnosis != nil {
		notes = append(notes, fmt.Sprintf("%s: %s (affects %d of the fees)", r.Diagnosis.Class, app.ReportToken(r).Own(r.Diagnosis.Message), r.Diagnosis.Deciding))
	}
	return notes
}
