package pricing

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/network"
)

// shape is how wide the table of transactions is made: how many hex digits of
// hashes and payers are shown (0 is all), how long a call's name may be, and how
// many spaces stand between columns.
type shape struct{ hash, payer, call, gap int }

// shapes are tried from the widest to the narrowest.
var shapes = []shape{
	{call: cli.MostName, gap: 2},
	{hash: 16, call: cli.MostName, gap: 2},
	{hash: 16, payer: 16, call: cli.MostName, gap: 2},
	{hash: 8, payer: 8, call: 24, gap: 2},
	{hash: 8, payer: 8, call: 12, gap: 1},
	{hash: 6, payer: 6, call: 8, gap: 1},
	{hash: 4, payer: 4, call: 7, gap: 1},
}

// writeTable writes a report for people, in at most width columns if it can: it
// shortens names rather than amounts.
func writeTable(w io.Writer, r *evidence.Report, rules network.Rules, book *desk.AddressBook, width int) error {
	var out strings.Builder
	writeHead(&out, r, rules)
	console.WriteWrapped(&out, "evidence    "+r.Evidence.String(), 12, width)
	if len(r.Transactions) > 0 {
		out.WriteString("\n")
		for _, s := range shapes {
			rows := transactionRows(r, rules.Symbol, book, s)
			if text.LongestLineLen(rows) <= width || s == shapes[len(shapes)-1] {
				out.WriteString(rows + "\n")
				break
			}
		}
	}
	out.WriteString("\n" + totalRows(r, rules.Symbol) + "\n")
	writeProof(&out, r, rules.Symbol)
	writeNotes(&out, r, width)
	_, err := io.WriteString(w, out.String())
	return err
}

// writeHead says which block it is and what priced it.
func writeHead(out *strings.Builder, r *evidence.Report, rules network.Rules) {
	fmt.Fprintf(out, "Block %d of %s", r.Number, r.Network)
	if when, ok := r.Time.Get(); ok {
		fmt.Fprintf(out, ", %v", when)
	}
	if final, ok := r.Finalized.Get(); ok && !final {
		out.WriteString(", not final")
	}
	fmt.Fprintf(out, "\nhash        %v\n", r.Hash)
	fmt.Fprintf(out, "rules       %s\n", r.Rules)
	multiplier := "none"
	if m, ok := r.Multiplier.Get(); ok {
		multiplier = fmt.Sprintf("%s, stored at block %d", console.Plain(console.Scaled(m.Value, 18)), m.At)
	}
	fmt.Fprintf(out, "multiplier  %s\n", multiplier)
	switch base, ok := r.BaseFeePerGas.Get(); {
	case !ok:
		out.WriteString("base fee    not known\n")
	case rules.BaseFee.Static.Known():
		fmt.Fprintf(out, "base fee    %s Gwei per gas, static\n", console.Plain(console.Gwei(base)))
	default:
		fmt.Fprintf(out, "base fee    %s Gwei per gas = multiplier × %s Gwei\n", console.Plain(console.Gwei(base)), console.Plain(console.Gwei(rules.BaseFee.Constant)))
	}
}

func transactionRows(r *evidence.Report, symbol string, book *desk.AddressBook, s shape) string {
	var fees, prices []string
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
		fees, prices = append(fees, fee), append(prices, price)
	}
	fees, prices = console.SameDecimals(fees), console.SameDecimals(prices)
	rows := console.NewTable(s.gap)
	rows.AppendHeader(table.Row{"#", "layer", "type", "hash", "payer", "gas", "Gwei", "fee " + symbol, "outcome", "proof"})
	console.RightAlign(rows, 1, 6, 7, 8)
	for i, t := range r.Transactions {
		hash := t.Hash.String()
		if evm, ok := t.EVMHash.Get(); ok {
			hash = evm.String()
		}
		rows.AppendRow(table.Row{
			t.Index, t.Layer, kind(t, s.call), console.Shorten(hash, s.hash), payer(t.Payer, book, s.payer),
			cli.Known(t.Gas), prices[i], fees[i], outcome(t), verdict(t),
		})
	}
	return rows.Render()
}

// addressMarks is what a shortened address has beside its digits: 0x and a mark.
const addressMarks = 3

// payer is who paid: the label, or so many digits of the address; 0 is all of either.
func payer(address chain.Optional[chain.Address], book *desk.AddressBook, digits int) string {
	if a, ok := address.Get(); ok && book != nil {
		if label, ok := book.Label(a); ok {
			if digits == 0 {
				return console.Printable(label)
			}
			return cli.Name(label, digits+addressMarks)
		}
	}
	return console.Shorten(cli.Known(address), digits)
}

// kind is an EVM transaction's type, or another's call.
func kind(t evidence.Transaction, most int) string {
	if kind, ok := t.Type.Get(); ok {
		return string(kind)
	}
	return cli.Name(t.Call, most)
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

func totalRows(r *evidence.Report, symbol string) string {
	t := r.Totals
	fees := console.SameDecimals([]string{console.Tokens(t.EVMFee), console.Tokens(t.NativeFee), console.Tokens(t.Fee)})
	rows := console.NewTable(2)
	rows.AppendHeader(table.Row{"layer", "transactions", "failed", "fee " + symbol})
	console.RightAlign(rows, 2, 3, 4)
	rows.AppendRow(table.Row{fee.EVM, t.EVM, t.EVMFailed, fees[0]})
	rows.AppendRow(table.Row{fee.Native, t.Native, t.NativeFailed, fees[1]})
	total := "total"
	if !t.Complete {
		total = "INCOMPLETE total"
	}
	rows.AppendFooter(table.Row{total, t.EVM + t.Native, t.EVMFailed + t.NativeFailed, fees[2]})
	text := rows.Render()
	switch {
	case t.Inherents == 1:
		text += "\n1 inherent pays no fee"
	case t.Inherents > 1:
		text += fmt.Sprintf("\n%d inherents pay no fee", t.Inherents)
	}
	return text
}

// writeProof says what the chain charged, and where it went.
func writeProof(out *strings.Builder, r *evidence.Report, symbol string) {
	t := r.Totals
	if t.Match+t.Drift+t.CashOnly > 0 {
		out.WriteString("\n" + chargedRows(symbol, t.Charged, t.Burned, t.Treasury, t.Author) + "\n")
	}
	if counts := verdictCounts(t.Match, t.Drift, t.CashOnly, t.NoEvidence); counts != "" {
		fmt.Fprintf(out, "\nfees beside what the chain charged: %s\n", counts)
	}
}

// chargedRows are what the chain charged and where it went.
func chargedRows(symbol string, charged, burned, treasury, author chain.Optional[chain.Wei]) string {
	var known []string
	sums := []chain.Optional[chain.Wei]{charged, burned, treasury, author}
	for _, sum := range sums {
		if wei, ok := sum.Get(); ok {
			known = append(known, console.Tokens(wei))
		}
	}
	known = console.SameDecimals(known)
	rows := console.NewTable(2)
	rows.AppendHeader(table.Row{"on the chain", symbol})
	console.RightAlign(rows, 2)
	for i, what := range []string{"charged", "burned", "treasury", "author"} {
		amount := cli.NotKnown
		if sums[i].Known() {
			amount, known = known[0], known[1:]
		}
		rows.AppendRow(table.Row{what, amount})
	}
	return rows.Render()
}

// unaccounted says of how many transactions it is not known where the money went.
func unaccounted(n, of int) string {
	return fmt.Sprintf("of %d of %d transactions it is not known how much was burned or went to treasury and author", n, of)
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
func writeNotes(out *strings.Builder, r *evidence.Report, width int) {
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
		out.WriteString("\n")
	}
	for _, note := range notes {
		console.WriteWrapped(out, "note: "+note, 2, width)
	}
}

// blockNotes are those on the block as a whole.
func blockNotes(r *evidence.Report) []string {
	notes := slices.Clone(r.Notes)
	if n := r.Totals.Undetermined; n > 0 {
		notes = slices.Insert(notes, 0, fmt.Sprintf("%d of %d fees are undetermined and not in the totals", n, r.Totals.EVM+r.Totals.Native))
	}
	if n := r.Totals.OutcomeUnknown; n > 0 {
		notes = append(notes, fmt.Sprintf("of %d transactions it is not known whether they failed", n))
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
