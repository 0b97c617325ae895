package chain

import (
	"fmt"

	"github.com/feeledger/fees/internal/jsonscan"
)

// ClassWeights is what a block weighed, by class of dispatch, as the chain counted
// it (system.blockWeight).
type ClassWeights struct{ Normal, Operational, Mandatory Weight }

// ReadClassWeights reads {"normal": weight, "operational": weight, "mandatory": weight}.
func ReadClassWeights(v jsonscan.Value) (c ClassWeights, err error) {
	for _, part := range []struct {
		name   string
		weight *Weight
	}{{"normal", &c.Normal}, {"operational", &c.Operational}, {"mandatory", &c.Mandatory}} {
		if *part.weight, err = ReadWeight(v.Member(part.name)); err != nil {
			return ClassWeights{}, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return c, nil
}
