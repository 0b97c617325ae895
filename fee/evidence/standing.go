package evidence

import (
	"fmt"
	"slices"
	"strings"
)

// Standing is a verdict with the failed checks of its transaction. It is the lowest of them: no output for people shows
// the verdict without their number.
type Standing struct {
	Verdict Verdict  // "" for an inherent
	Failed  []string // the IDs of the failed checks
}

// Passed reports whether the chain charged exactly the fee and no check of the transaction failed.
func (s Standing) Passed() bool { return s.Verdict == Match && len(s.Failed) == 0 }

// Words returns the verdict for people, such as "match, 2 checks failed".
func (s Standing) Words() string {
	text := strings.ReplaceAll(string(s.Verdict), "_", " ")
	switch n := len(s.Failed); {
	case n == 0:
		return text
	case n == 1:
		text += ", 1 check failed"
	default:
		text += fmt.Sprintf(", %d checks failed", n)
	}
	return strings.TrimPrefix(text, ", ")
}

// String returns the verdict for programs, which read the failed checks beside it.
func (s Standing) String() string { return string(s.Verdict) }

// List returns the failed checks as text, such as "evm.cash evm.split".
func (s Standing) List() string { return strings.Join(s.Failed, " ") }

// Standing returns the transaction's verdict with its failed checks.
func (t *Transaction) Standing() Standing {
	verdict, _ := t.Verdict.Get()
	return Standing{verdict, t.FailedChecks}
}

// assign gives each transaction the findings about it.
func (r *Report) assign() {
	r.Totals.FailedChecks = 0
	for i := range r.Transactions {
		t := &r.Transactions[i]
		t.FailedChecks = []string{}
		for _, f := range r.Findings {
			if index, ok := f.Extrinsic.Get(); ok && index == t.Index && !slices.Contains(t.FailedChecks, f.Check) {
				t.FailedChecks = append(t.FailedChecks, f.Check)
			}
		}
		if len(t.FailedChecks) > 0 {
			r.Totals.FailedChecks++
		}
	}
}
