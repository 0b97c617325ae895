package extrinsic

import (
	"fmt"
	"math/bits"
)

// Era is for how long an extrinsic may be put into a block: for so many blocks, or for ever where
// the period is 0.
type Era struct {
	Period uint64 // of blocks, a power of two from 4 to 65536; 0 for ever
	Phase  uint64 // where in the period it begins
}

// The bounds of a period.
const (
	LeastPeriod = 4
	MostPeriod  = 1 << 16
)

// NewEra is the era of an extrinsic that is made at a block, and may wait for so many blocks:
//
//	period = the least power of two that is not less, from 4 to 65536
//	phase  = block mod period, rounded down to a multiple of max(period / 4096, 1)
func NewEra(period, block uint64) (Era, error) {
	if period > MostPeriod {
		return Era{}, fmt.Errorf("a period of %d blocks: want at most %d", period, MostPeriod)
	}
	period = max(LeastPeriod, period)
	period = 1 << bits.Len64(period-1)
	step := max(period>>12, 1)
	return Era{period, block % period / step * step}, nil
}

// Immortal tells whether it has no end.
func (e Era) Immortal() bool { return e.Period == 0 }

// Birth is the first block of the era that a block is in: its hash is signed. It is 0 where the
// era has no end.
func (e Era) Birth(block uint64) uint64 {
	if e.Immortal() {
		return 0
	}
	return (max(block, e.Phase)-e.Phase)/e.Period*e.Period + e.Phase
}

// json is the era as Sidecar writes one.
func (e Era) json() string {
	if e.Immortal() {
		return `{"immortalEra":"0x00"}`
	}
	return fmt.Sprintf(`{"mortalEra":["%d","%d"]}`, e.Period, e.Phase)
}
