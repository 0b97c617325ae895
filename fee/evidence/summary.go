package evidence

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// Summary is the result of verifying many blocks. Its size does not depend on their number.
type Summary struct {
	Blocks      int
	Evidence    Evidence // of the blocks
	EVM, Native int      // number of transactions
	// OutcomeCounts counts those that failed.
	fee.OutcomeCounts
	Inherents    int
	Undetermined int
	Verdicts     map[Verdict]int
	WeightProofs map[WeightProof]int     // of fees whose weight is proved; empty unless a runtime reclaims proof size
	Classes      map[Class]*ClassSummary // of the drifts
	Checks       []CheckSummary          // indexed like [Checks]
	// Uncertain is the number of blocks priced by rules that are not certain to be the chain's and that the
	// evidence does not confirm.
	Uncertain int
	// NotFinal is the number of blocks that are not final yet, FinalityUnknown of those about which the source does
	// not say.
	NotFinal, FinalityUnknown int
	// Unanswered is the number of failed questions that can be retried, and FirstUnanswered the first of them, or
	// nil.
	Unanswered      int
	FirstUnanswered *FailedRequest
	// Unaccounted is the number of transactions whose charge is known but whose destinations are not.
	Unaccounted int
	// Fee and the others are sums in wei. A sum is unknown if any part of it is unknown, or if it exceeds 128
	// bits; Fee is the sum of the determined fees.
	Fee, Charged, Burned, Treasury, Author chain.Optional[chain.Wei]
}

// ClassSummary is the number of drifts of a class, and the first.
type ClassSummary struct {
	Count int
	First Finding
	// Diagnosis is the diagnosis of the first one's block, or nil.
	Diagnosis *Diagnosis
}

// CheckSummary counts the results of a check, and contains the first failure.
type CheckSummary struct {
	Tally
	First  *Finding
	Proved int // of those that passed or failed: in blocks that are proved
	Final  int // of these: in blocks that are final
}

// Level returns the level of evidence for the check's results: that of all its blocks, unknown if
// it was not made.
func (c *CheckSummary) Level() Level {
	switch made := c.Held + c.Broken; {
	case made == 0:
		return LevelUnknown
	case c.Proved < made:
		return LevelRecorded
	case c.Final < made:
		return LevelProved
	}
	return LevelFinal
}

// NewSummary returns the summary of no blocks.
func NewSummary() *Summary {
	zero := chain.Some(chain.Wei{})
	return &Summary{Evidence: Recorded(0), Verdicts: map[Verdict]int{}, WeightProofs: map[WeightProof]int{}, Classes: map[Class]*ClassSummary{}, Checks: make([]CheckSummary, len(checks)), Fee: zero, Charged: zero, Burned: zero, Treasury: zero, Author: zero}
}

// Add adds a block.
func (s *Summary) Add(r *Report) {
	t := &r.Totals
	s.Blocks++
	s.Evidence = s.Evidence.and(r.Evidence)
	s.EVM += t.EVM
	s.Native += t.Native
	s.AddOutcomes(t.OutcomeCounts)
	s.Inherents += t.Inherents
	s.Undetermined += t.Undetermined
	s.Unaccounted += t.Unaccounted
	s.Fee = plus(s.Fee, chain.Some(t.Fee))
	s.Charged = plus(s.Charged, t.Charged)
	s.Burned = plus(s.Burned, t.Burned)
	s.Treasury = plus(s.Treasury, t.Treasury)
	s.Author = plus(s.Author, t.Author)
	if !r.Proved() {
		s.Uncertain++
	}
	switch final, known := r.Finalized.Get(); {
	case !known:
		s.FinalityUnknown++
	case !final:
		s.NotFinal++
	}
	s.Unanswered += len(r.Unanswered)
	if s.FirstUnanswered == nil && len(r.Unanswered) > 0 {
		s.FirstUnanswered = &r.Unanswered[0]
	}
	for i := range r.Transactions {
		s.transaction(r, &r.Transactions[i])
	}
	for i := range s.Checks {
		s.Checks[i].add(&r.Tallies[i])
		made := r.Tallies[i].Held + r.Tallies[i].Broken
		if r.Evidence.Level.Proves() {
			s.Checks[i].Proved += made
		}
		if r.Evidence.Level == LevelFinal {
			s.Checks[i].Final += made
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if c := &s.Checks[place(f.Check)]; c.First == nil {
			c.First = f
		}
	}
}

func (s *Summary) transaction(r *Report, t *Transaction) {
	if verdict, ok := t.Verdict.Get(); ok {
		s.Verdicts[verdict]++
	}
	if t.WeightProof != "" {
		s.WeightProofs[t.WeightProof]++
	}
	class, ok := t.Class.Get()
	if !ok {
		return
	}
	if s.Classes[class] == nil {
		s.Classes[class] = &ClassSummary{First: driftOf(r, t), Diagnosis: r.Diagnosis}
	}
	s.Classes[class].Count++
}

// driftOf returns the finding for a transaction's drift.
func driftOf(r *Report, t *Transaction) Finding {
	id := string(t.Layer) + ".cash"
	for _, f := range r.Findings {
		if at, ok := f.Extrinsic.Get(); ok && at == t.Index && f.Check == id {
			return f
		}
	}
	return Finding{Check: id, Block: r.Number, Extrinsic: chain.Some(t.Index)}
}

// Holds reports whether every block holds. A block that may not be final does not; one that the user took although it is
// not final does.
func (s *Summary) Holds() bool {
	for i := range s.Checks {
		if s.Checks[i].Broken > 0 {
			return false
		}
	}
	return s.Undetermined == 0 && s.Uncertain == 0 && s.Unaccounted == 0 && s.FinalityUnknown == 0
}
