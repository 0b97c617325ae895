package bookkeeping

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger/queue"
)

// writeStatus writes a ledger's status as text, with amounts in the token.
func writeStatus(page *console.Page, status *app.Status, token console.Token) {
	var pairs console.Pairs
	addBlocks(&pairs, status)
	t := &status.Totals
	for _, n := range []struct {
		name  string
		count uint64
	}{
		{"EVM transactions", t.EVM}, {"native transactions", t.Native}, {"EVM failed", t.EVMFailed}, {"native failed", t.NativeFailed},
		{"outcome unknown", t.OutcomeUnknown}, {"inherents", t.Inherents}, {"undetermined", t.Undetermined},
	} {
		pairs.Add(n.name, fmt.Sprint(n.count))
	}
	addAmounts(&pairs, status, token)
	pairs.Add("charge unknown", fmt.Sprint(t.Uncharged))
	pairs.Add("unaccounted", fmt.Sprint(t.Unaccounted))
	for _, note := range status.AssetFees.Notes(token.Amount) {
		pairs.Add("fees in assets", note)
	}
	jobs, shared := status.Jobs.Get()
	if shared {
		pairs.Add("jobs", fmt.Sprintf("%d waiting, %d running, %d retrying, %d failed, %d done", jobs.Waiting, jobs.Running, jobs.Retrying, jobs.Failed, jobs.Done))
	}
	page.Pairs(pairs)
	if len(jobs.Failures) > 0 {
		page.WriteString("\n")
		page.Table(failureRows(jobs.Failures))
	}
}

// addBlocks adds the ranges of blocks and their evidence.
func addBlocks(pairs *console.Pairs, s *app.Status) {
	unanswered := fmt.Sprint(s.Unanswered)
	if first, ok := s.FirstUnanswered.Get(); ok {
		unanswered += fmt.Sprintf("; first: %v", first)
	}
	pairs.Add("network", s.Network)
	pairs.Add("genesis", console.Known(s.Genesis))
	pairs.Add("first block", fmt.Sprint(s.First))
	pairs.Add("blocks stored", fmt.Sprint(s.Blocks))
	pairs.Add("range", cmp.Or(console.Known(s.Stored), "none"))
	pairs.Add("not final", fmt.Sprint(s.NotFinal))
	pairs.Add("below", console.Known(s.Below))
	pairs.Add("gaps", cmp.Or(strings.Join(texts(s.Gaps), ", "), "none"))
	pairs.Add("last block time", console.Known(s.LastTime))
	pairs.Add("sealed up to", cmp.Or(console.Known(s.Sealed), "none"))
	pairs.Add("seal", console.Known(s.Seal))
	pairs.Add("audit trail", cmp.Or(console.Known(s.Trail), "altered"))
	pairs.Add("evidence", s.Evidence.String())
	pairs.Add("findings", fmt.Sprint(s.Findings))
	pairs.Add("unanswered", unanswered)
	pairs.Add("unclassified events", fmt.Sprint(s.Unread))
}

// addAmounts adds the totals in the token, aligned at the decimal point.
func addAmounts(pairs *console.Pairs, s *app.Status, token console.Token) {
	t := &s.Totals
	amounts := []struct {
		name   string
		amount chain.Optional[chain.Wei]
	}{
		{"fee", chain.Some(t.Fee)}, {"EVM fee", chain.Some(t.EVMFee)}, {"native fee", chain.Some(t.NativeFee)},
		{"priority fee", s.PriorityFee}, {"tip", s.Tip},
		{"charged", s.Charged}, {"burned", s.Burned}, {token.TreasuryLabel(), s.Treasury}, {"author", s.Author},
	}
	var texts []string
	for _, a := range amounts {
		if wei, known := a.amount.Get(); known {
			texts = append(texts, token.Tokens(wei))
		} else {
			texts = append(texts, cli.NotKnown)
		}
	}
	for i, text := range console.PointsBelow(console.SameDecimals(texts)) {
		if amounts[i].amount.Known() {
			text += " " + token.Symbol
		}
		pairs.Add(amounts[i].name, strings.TrimRight(text, " "))
	}
}

// failureRows returns the table of the latest errors of jobs.
func failureRows(failures []queue.Failure) *console.Table {
	rows := console.NewTable(
		console.Column{Name: "blocks"}, console.Column{Name: "attempt", Right: true, Drop: 2}, console.Column{Name: "at", Drop: 3},
		console.Column{Name: "next", Drop: 1}, console.Column{Name: "error", Cut: true},
	)
	for _, r := range failureRecords(failures) {
		cells := make([]any, len(r))
		for i, f := range r {
			if cells[i] = f.Value; f.Value == nil {
				cells[i] = "-"
			}
		}
		rows.Row(cells...)
	}
	return rows
}
