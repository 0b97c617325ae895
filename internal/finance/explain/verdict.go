package explain

import (
	"fmt"

	"github.com/feeledger/fees/fee/evidence"
)

// VerdictText describes how the fee compares with the amount charged, and how many checks failed.
func (v *Explanation) VerdictText() string {
	return v.Transaction.Standing().Words() + ": " + v.comparison()
}

func (v *Explanation) comparison() string {
	t := &v.Transaction
	switch verdict, _ := t.Verdict.Get(); verdict {
	case evidence.Match:
		return "the chain charged exactly the fee"
	case evidence.Drift:
		drift, _ := t.Drift.Get()
		side := "more"
		if drift.Sign() < 0 {
			side = "less"
		}
		return fmt.Sprintf("the chain charged %v %s %s than the fee", drift.Size(), v.Token.Unit(), side)
	case evidence.CashOnly:
		return "there is no rule to compare the charge with"
	}
	return "the chain recorded nothing to compare the fee with"
}

// ClassText describes the cause of a drift.
func (v *Explanation) ClassText(class evidence.Class) string {
	text := fmt.Sprintf("class: %s", class)
	switch {
	case v.Diagnosis != nil:
		text += ": " + v.Token.Own(v.Diagnosis.Message)
	case class == evidence.ZeroedPayer:
		text += ": the payer had no balance left, so nothing was refunded"
	}
	return text
}
