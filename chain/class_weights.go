package chain

import (
	"fmt"
)

// ClassWeights is a block's weight by dispatch class, as counted by the chain (system.blockWeight).
type ClassWeights struct{ Normal, Operational, Mandatory Weight }

// read parses {"normal": weight, "operational": weight, "mandatory": weight}.
func (ClassWeights) read(v Value) (c ClassWeights, err error) {
	for _, part := range []struct {
		name   string
		weight *Weight
	}{{"normal", &c.Normal}, {"operational", &c.Operational}, {"mandatory", &c.Mandatory}} {
		if *part.weight, err = Read[Weight](v.Member(part.name)); err != nil {
			return ClassWeights{}, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return c, nil
}
