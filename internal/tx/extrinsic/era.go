package extrinsic

import (
	"fmt"
	"math/bits"
)

// Era is the lifetime of an extrinsic: the number of blocks in which it is valid, or unlimited if the period
// is 0.
type Era struct {
	Period uint64 // in blocks, a power of two from 4 to 65536; 0 for unlimited
	Phase  uint64 // its start within the period
}

// The bounds of a period.
const (
	LeastPeriod = 4
	MaxPeriod   = 1 << 16
)

// NewEra returns the era of an extrinsic created at a block and valid for at least period blocks:
//
//	period = the smallest power of two that is not less, from 4 to 65536
//	phase  = block mod period, rounded down to a multiple of max(period / 4096, 1)
func NewEra(period, block uint64) (Era, error) {
	if period > MaxPeriod {
		return Era{}, fmt.Errorf("a period of %d blocks: want at most %d", period, MaxPeriod)
	}
	period = max(LeastPeriod, period)
	period = 1 << bits.Len64(period-1)
	step := max(period>>12, 1)
	return Era{period, block % period / step * step}, nil
}

// Immortal reports whether the era is unlimited.
func (e Era) Immortal() bool { return e.Period == 0 }

// Birth returns the first block of the era that contains a block; its hash is signed. It is 0 if the era is
// unlimited.
func (e Era) Birth(block uint64) uint64 {
	if e.Immortal() {
		return 0
	}
	return (max(block, e.Phase)-e.Phase)/e.Period*e.Period + e.Phase
}

// json returns the era in Sidecar's form.
func (e Era) json() string {
	if e.Immortal() {
		return `{"immortalEra":"0x00"}`
	}
	return fmt.Sprintf(`{"mortalEra":["%d","%d"]}`, e.Period, e.Phase)
}
