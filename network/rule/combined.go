package rule

import "github.com/feeledger/fees/chain"

// Combined defines how the fees of a weight's two dimensions, ref time and proof size, become one.
type Combined string

const (
	// LargerFee charges the dearer dimension only. It is the default.
	LargerFee Combined = "larger"
	// SumOfFees charges both dimensions.
	SumOfFees Combined = "sum"
)

func (c Combined) valid() bool { return c == "" || c == LargerFee || c == SumOfFees }

// of returns the fee of a weight whose dimensions cost byTime and byProof.
func (c Combined) of(byTime, byProof chain.Wei) (chain.Wei, error) {
	if c == SumOfFees {
		return byTime.Add(byProof)
	}
	if byTime.Cmp(byProof) < 0 {
		return byProof, nil
	}
	return byTime, nil
}
