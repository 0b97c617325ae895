package evidence

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// Summary is what came of proving many blocks. It does not grow with their
// number.
type Summary struct {
	Blocks      int
	Evidence    Evidence // of the blocks
	EVM, Native int      // transactions
	// OutcomeCounts count those of them that failed.
	fee.OutcomeCounts
	Inherents    int
	Undetermined int
	Verdicts     map[Verdict]int
	Classes      map[Class]*ClassSummary // of the drifts
	Checks       []CheckSummary          // by the position of the check in [Checks]
	// Uncertain is how many blocks were priced by rules that are not known to be
	// the chain's, and are not proved by their evidence.
	Uncertain int
	// Unanswered is how many questions were not answered and can be asked again, and
	// FirstUnanswered the first of them, nil where there is none.
	Unanswered      int
	FirstUnanswered *Question
	// Unaccounted is of how many transactions it is known what they were charged, and
	// not where that went.
	Unaccounted int
	// Fee and the others are sums in wei. One is not known where a part of it is not, or
	// where it is more than 128 bits; Fee is that of the fees that are determined.
	Fee, Charged, Burned, Treasury, Author chain.Optional[chain.Wei]
}

// ClassSummary is how often drifts of a class were found, and the first.
type ClassSummary struct {
	Count int
	First Finding
	// Diagnosis is of the first one's block, nil where there is none.
	Diagnosis *Diagnosis
}

// CheckSummary is what came of a check, and the first time that it did not hold.
type CheckSummary struct {
	Tally
	First  *Finding
	Proved int // of those that held or were broken: in blocks that are proved
}

// Level is how well it is known what came of the check: proved where it was made of blocks
// that are proved alone, and unknown where it was not made.
func (c *CheckSummary) Level() Level {
	switch made := c.Held + c.Broken; {
	case made == 0:
		return LevelUnknown
	case c.Proved < made:
		return LevelRecorded
	}
	return LevelProved
}

// NewSummary is that of no blocks.
func NewSummary() *Summary {
	zero := chain.Some(chain.Wei{})
	return &Summary{Evidence: Recorded(0), Verdicts: map[Verdict]int{}, Classes: map[Class]*ClassSummary{}, Checks: make([]CheckSummary, len(checks)), Fee: zero, Charged: zero, Burned: zero, Treasury: zero, Author: zero}
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
	s.Unanswered += len(r.Unanswered)
	if s.FirstUnanswered == nil && len(r.Unanswered) > 0 {
		s.FirstUnanswered = &r.Unanswered[0]
	}
	for i := range r.Transactions {
		s.transaction(r, &r.Transactions[i])
	}
	for i := range s.Checks {
		s.Checks[i].add(&r.Tallies[i])
		if r.Evidence.Level == LevelProved {
			s.Checks[i].Proved += r.Tallies[i].Held + r.Tallies[i].Broken
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
	class, ok := t.Class.Get()
	if !ok {
		return
	}
	if s.Classes[class] == nil {
		s.Classes[class] = &ClassSummary{First: driftOf(r, t), Diagnosis: r.Diagnosis}
	}
	s.Classes[class].Count++
}

// driftOf is the finding on a transaction's drift.
func driftOf(r *Report, t *Transaction) Finding {
	id := string(t.Layer) + ".cash"
	for _, f := range r.Findings {
		if at, ok := f.Extrinsic.Get(); ok && at == t.Index && f.Check == id {
			return f
		}
	}
	return Finding{Check: id, Block: r.Number, Extrinsic: chain.Some(t.Index)}
}

// Holds tells whether every block did.
func (s *Summary) Holds() bool {
	for i := range s.Checks {
		if s.Checks[i].Broken > 0 {
			return false
		}
	}
	return s.Undetermined == 0 && s.Uncertain == 0 && s.Unaccounted == 0
}
