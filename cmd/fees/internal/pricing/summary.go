package pricing

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// summaryRecord is for programs. For which runtimes a check is made depends on the network.
func summaryRecord(s *evidence.Summary, n *network.Network) cli.Record {
	var list []cli.Record
	for i, c := range evidence.Checks() {
		t := s.Checks[i]
		list = append(list, cli.Record{
			{"id", c.ID}, {"holds", c.Holds}, {"runtimes", c.Runtimes(n)}, {"source", c.Source},
			{"held", t.Held}, {"broken", t.Broken}, {"not_applicable", t.NotApplicable}, {"why", t.Why}, {"level", t.Level()}, {"first", t.First},
		})
	}
	classes := []cli.Record{}
	for _, class := range evidence.Classes() {
		if c := s.Classes[class]; c != nil {
			classes = append(classes, cli.Record{{"class", class}, {"count", c.Count}, {"first", c.First}, {"diagnosis", c.Diagnosis}})
		}
	}
	return cli.Record{
		{"holds", s.Holds()},
		{"blocks", s.Blocks}, {"evm", s.EVM}, {"native", s.Native},
		{"evm_failed", s.EVMFailed}, {"native_failed", s.NativeFailed}, {"outcome_unknown", s.OutcomeUnknown}, {"inherents", s.Inherents}, {"undetermined", s.Undetermined}, {"uncertain", s.Uncertain}, {"unaccounted", s.Unaccounted},
		{"unanswered", s.Unanswered}, {"first_unanswered", s.FirstUnanswered},
		{"match", s.Verdicts[evidence.Match]}, {"drift", s.Verdicts[evidence.Drift]},
		{"cash_only", s.Verdicts[evidence.CashOnly]}, {"no_evidence", s.Verdicts[evidence.NoEvidence]},
		{"fee", s.Fee}, {"charged", s.Charged}, {"burned", s.Burned}, {"treasury", s.Treasury}, {"author", s.Author},
		{"evidence", s.Evidence}, {"classes", classes}, {"checks", list},
	}
}

// writeSummary writes the summary for people.
func writeSummary(w io.Writer, blocks source.Range, s *evidence.Summary, width int) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Blocks %v: %d blocks, %d EVM and %d native transactions, of which %d and %d failed\n\n",
		blocks, s.Blocks, s.EVM, s.Native, s.EVMFailed, s.NativeFailed)
	rows := console.NewTable(2)
	rows.AppendHeader(table.Row{"check", "held", "broken", "not made"})
	console.RightAlign(rows, 2, 3, 4)
	why := map[string][]string{}
	var reasons []string
	for i, c := range evidence.Checks() {
		t := s.Checks[i]
		if t.Held+t.Broken+t.NotApplicable == 0 {
			continue
		}
		rows.AppendRow(table.Row{c.ID, t.Held, t.Broken, t.NotApplicable})
		if t.NotApplicable > 0 {
			if why[t.Why] == nil {
				reasons = append(reasons, t.Why)
			}
			why[t.Why] = append(why[t.Why], c.ID)
		}
	}
	out.WriteString(rows.Render() + "\n\n")
	fmt.Fprintf(out, "fees beside what the chain charged: %s\n", verdictCounts(
		s.Verdicts[evidence.Match], s.Verdicts[evidence.Drift], s.Verdicts[evidence.CashOnly], s.Verdicts[evidence.NoEvidence]))
	known := s.Evidence.String()
	if s.Evidence.Proved == 0 {
		known += "; fees archive record --proofs keeps what proves it"
	}
	console.WriteWrapped(out, "evidence: "+known, 2, width)
	for _, reason := range reasons {
		console.WriteWrapped(out, fmt.Sprintf("not made: %s: %s", strings.Join(why[reason], ", "), reason), 2, width)
	}
	if s.Undetermined > 0 {
		fmt.Fprintf(out, "%d fees are undetermined\n", s.Undetermined)
	}
	if s.OutcomeUnknown > 0 {
		fmt.Fprintf(out, "of %d transactions it is not known whether they failed\n", s.OutcomeUnknown)
	}
	if s.Unaccounted > 0 {
		fmt.Fprintln(out, unaccounted(s.Unaccounted, s.EVM+s.Native))
	}
	if s.Uncertain > 0 {
		fmt.Fprintf(out, "%d blocks were priced by rules that are not known to be the chain's\n", s.Uncertain)
	}
	if s.Unanswered > 0 {
		console.WriteWrapped(out, fmt.Sprintf("%d questions were not answered; the first: %v", s.Unanswered, s.FirstUnanswered), 2, width)
	}
	shown := map[evidence.Finding]bool{}
	for _, class := range evidence.Classes() {
		if c := s.Classes[class]; c != nil {
			shown[c.First] = true
			line := fmt.Sprintf("drift of class %s: %d; the first: %v", class, c.Count, c.First)
			if c.Diagnosis != nil {
				line += "; " + c.Diagnosis.Message
			}
			console.WriteWrapped(out, line, 2, width)
		}
	}
	for i := range s.Checks {
		if first := s.Checks[i].First; first != nil && !shown[*first] {
			console.WriteWrapped(out, fmt.Sprintf("first finding: %v", first), 2, width)
		}
	}
	switch left := blocks.First + uint64(s.Blocks); {
	case left <= blocks.Last:
		fmt.Fprintf(out, "blocks %d..%d are not proved: it ended before\n", left, blocks.Last)
	case s.Holds():
		fmt.Fprintln(out, "everything that could be checked holds")
	}
	return out.Flush()
}
