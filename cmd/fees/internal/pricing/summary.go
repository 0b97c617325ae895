package pricing

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// summaryRecord returns the summary as JSON. The runtimes of a check depend on the network n.
func summaryRecord(s *evidence.Summary, trust source.Trust, n *network.Network) cli.Record {
	var list []cli.Record
	for i, c := range evidence.Checks() {
		if !c.ListedFor(n) {
			continue
		}
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
	record := cli.Record{
		{"holds", s.Holds()},
		{"blocks", s.Blocks}, {"evm", s.EVM}, {"native", s.Native},
		{"evm_failed", s.EVMFailed}, {"native_failed", s.NativeFailed}, {"outcome_unknown", s.OutcomeUnknown}, {"inherents", s.Inherents}, {"undetermined", s.Undetermined}, {"uncertain", s.Uncertain}, {"not_final", s.NotFinal}, {"finality_unknown", s.FinalityUnknown}, {"unaccounted", s.Unaccounted},
		{"unanswered", s.Unanswered}, {"first_unanswered", s.FirstUnanswered},
		{"match", s.Verdicts[evidence.Match]}, {"drift", s.Verdicts[evidence.Drift]},
		{"cash_only", s.Verdicts[evidence.CashOnly]}, {"no_evidence", s.Verdicts[evidence.NoEvidence]},
		{"fee", s.Fee}, {"charged", s.Charged}, {"burned", s.Burned}, {"treasury", s.Treasury}, {"author", s.Author},
		{"evidence", s.Evidence}, {"taken_on_trust", trust}, {"classes", classes}, {"checks", list},
	}
	if len(s.WeightProofs) > 0 {
		proofs := cli.Record{}
		for _, proof := range evidence.WeightProofs() {
			proofs = append(proofs, cli.Field{string(proof), s.WeightProofs[proof]})
		}
		record = append(record, cli.Field{"weight_proofs", proofs})
	}
	return record
}

// writeSummary writes the summary as text.
func writeSummary(w io.Writer, blocks chain.Heights, s *evidence.Summary, trust source.Trust, width int) error {
	out := console.NewPage(w, width)
	out.Line(fmt.Sprintf("Blocks %v: %s, %d EVM and %d native transactions (%d and %d failed)",
		blocks, console.Counted(s.Blocks, "block"), s.EVM, s.Native, s.EVMFailed, s.NativeFailed), 2)
	out.WriteString("\n")
	rows := console.NewTable(
		console.Column{Name: "check"}, console.Column{Name: "passed", Right: true}, console.Column{Name: "failed", Right: true, Broken: true},
		console.Column{Name: "not possible", Right: true},
	)
	why := map[string][]string{}
	var reasons []string
	for i, c := range evidence.Checks() {
		t := s.Checks[i]
		if t.Held+t.Broken+t.NotApplicable == 0 {
			continue
		}
		rows.Row(c.ID, t.Held, t.Broken, t.NotApplicable)
		if t.NotApplicable > 0 {
			if why[t.Why] == nil {
				reasons = append(reasons, t.Why)
			}
			why[t.Why] = append(why[t.Why], c.ID)
		}
	}
	out.Table(rows)
	out.WriteString("\n")
	counts := verdictCounts(s.Verdicts[evidence.Match], s.Verdicts[evidence.Drift], s.Verdicts[evidence.CashOnly], s.Verdicts[evidence.NoEvidence])
	out.Line(cmp.Or(counts, "no fees to compare with charges"), 2)
	for _, proof := range evidence.WeightProofs() {
		if n := s.WeightProofs[proof]; n > 0 {
			out.Line(fmt.Sprintf("what proves the weight of %s: %s", console.Counted(n, "fee"), proof.Words()), 2)
		}
	}
	known := s.Evidence.String()
	if s.Evidence.Proved == 0 {
		known += "; to prove blocks, record them with fees archive record --proofs"
	}
	out.Line("evidence: "+known, 2)
	for _, reason := range reasons {
		out.Line(fmt.Sprintf("not possible: %s: %s", strings.Join(why[reason], ", "), reason), 2)
	}
	if s.Undetermined > 0 {
		out.Line(console.Counted(s.Undetermined, "fee")+" "+console.Verb(s.Undetermined, "is", "are")+" undetermined", 2)
	}
	if s.OutcomeUnknown > 0 {
		out.Line(outcomeUnknown(s.OutcomeUnknown), 2)
	}
	if s.Unaccounted > 0 {
		out.Line(unaccounted(s.Unaccounted, s.EVM+s.Native), 2)
	}
	if s.Uncertain > 0 {
		out.Line(console.Counted(s.Uncertain, "block")+" "+console.Verb(s.Uncertain, "was", "were")+" priced by rules that may not be the chain's", 2)
	}
	if s.FinalityUnknown > 0 {
		out.Line(console.Counted(s.FinalityUnknown, "block")+" may not be final: the source does not report it. Verify with a source that does.", 2)
	}
	if s.Unanswered > 0 {
		out.Line(unanswered(s.Unanswered, s.FirstUnanswered), 2)
	}
	shown := map[evidence.Finding]bool{}
	for _, class := range evidence.Classes() {
		if c := s.Classes[class]; c != nil {
			shown[c.First] = true
			line := fmt.Sprintf("drift of class %s: %d; first: %v", class, c.Count, c.First)
			if c.Diagnosis != nil {
				line += "; " + c.Diagnosis.Message
			}
			out.Line(line, 2)
		}
	}
	for i := range s.Checks {
		if first := s.Checks[i].First; first != nil && !shown[*first] {
			out.Line(fmt.Sprintf("first finding: %v", first), 2)
		}
	}
	switch left := blocks.First + uint64(s.Blocks); {
	case left <= blocks.Last:
		out.Line(fmt.Sprintf("blocks %d..%d were not checked: the command ended early", left, blocks.Last), 2)
	case s.Holds() && s.NotFinal > 0:
		out.Line("no check failed, but "+console.Counted(s.NotFinal, "block")+" "+console.Verb(s.NotFinal, "is", "are")+" not final yet and may be replaced", 2)
		out.Line(onTrust(trust), 2)
	case s.Holds():
		out.WriteString(out.Verdict("every check passed") + "\n")
		out.Line(onTrust(trust), 2)
	}
	return out.Flush()
}

// onTrust lists the kinds of data from a source that no check proves.
func onTrust(t source.Trust) string {
	n := len(t.Kinds)
	return fmt.Sprintf("%s of data %s taken on trust from the %s: %s", console.Counted(n, "kind"), console.Verb(n, "was", "were"), t.From, strings.Join(t.Kinds, ", "))
}

// unanswered reports how many requests were not answered, with the first one.
func unanswered(n int, first any) string {
	return fmt.Sprintf("%s %s not answered; first: %v", console.Counted(n, "request"), console.Verb(n, "was", "were"), first)
}
