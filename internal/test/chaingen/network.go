package chaingen

import "github.com/feeledger/fees/chain"

// Network is what is particular to the chain that is made up.
type Network struct {
	// SpecName is how the runtime, the node and its chain name themselves.
	SpecName string
	Symbol   string
	// WeightPerGas is how many picoseconds of ref time one gas is.
	WeightPerGas uint64
	// BaseFeeConstant is what gas costs at multiplier 1, in wei.
	BaseFeeConstant uint64
	// NormalRefTime is what transactions of class Normal may use of a block: a multiple of
	// 4, and at least 15,000,000 gas.
	NormalRefTime uint64
	Treasury      chain.Address
	// Who gets the parts of a fee: gas × base fee, gas × what is paid above it, and those
	// of native transactions. FirstTips is the first runtime that divides a tip: the ones
	// before burn it.
	EVMBase, EVMPriority, NativeBase, NativeTip Share
	FirstTips                                   uint32
	// ParameterKey is the key of FeesTreasuryProportion, SCALE in hex; "" where the chain
	// has no such parameter. DefaultProportion holds where it is not set.
	ParameterKey      string
	DefaultProportion uint64 // parts per billion
	// Proportions are the values that governance sets, by rising heights.
	Proportions []Proportion
}

// Proportion is a value of the parameter, in parts per billion, from the state after a
// block on.
type Proportion struct{ From, Perbill uint64 }

// Share is who gets an amount: the treasury, so many parts per billion of it, or one of
// those below. The rest is burned.
type Share int64

// The shares that are no fixed part.
const (
	ByParameter Share = -1
	ToAuthor    Share = -2
)

const billion = 1_000_000_000

// Moonbeam is the chain of Moonbeam's kind that is made up where nobody asks for another.
// Its figures are those of runtimes 2302 to 2600 (network/tables/moonbeam.json). They stand
// here once more, so that a block proves network's.
func Moonbeam() Network {
	const fifth Share = billion / 5
	return Network{
		SpecName: "moonbeam", Symbol: "GLMR",
		WeightPerGas: 25_000, BaseFeeConstant: 125_000_000_000,
		NormalRefTime: 375_000_000_000, // 75 % of 0.5 s
		Treasury:      chain.Address{'m', 'o', 'd', 'l', 'p', 'y', '/', 't', 'r', 's', 'r', 'y'},
		EVMBase:       fifth, EVMPriority: fifth, NativeBase: fifth, NativeTip: fifth, FirstTips: 2400,
	}
}

// split is how the fees of a block are divided.
type split struct {
	*Network
	proportion       uint64
	treasury, author *account
	tips             bool // are divided
}

// split is that of the block at a height: by the parameter as its parent left it.
func (c *Chain) split(height uint64) *split {
	proportion, set := c.proportion(max(height, 1) - 1)
	if !set {
		proportion = c.network.DefaultProportion
	}
	return &split{&c.network, proportion, c.treasury, c.author(height), c.executing(height).version >= c.network.FirstTips}
}

// proportion is the value of the parameter after the block at a height, if it was set.
func (c *Chain) proportion(height uint64) (perbill uint64, set bool) {
	for _, p := range c.network.Proportions {
		if p.From <= height {
			perbill, set = p.Perbill, true
		}
	}
	return perbill, set
}

// write writes the credits of an amount: the author's part, or the treasury's, which is
// what floor(the part to burn) leaves.
func (s *split) write(e *events, amount uint64, by Share) {
	switch {
	case amount == 0:
		return
	case by == ToAuthor:
		e.balance("Balances.Deposit", s.author, wei(amount))
		return
	case by == ByParameter:
		by = Share(s.proportion)
	}
	part := amount - mulDiv(amount, billion-uint64(by), billion)
	if part == 0 {
		return
	}
	e.balance("Balances.Deposit", s.treasury, wei(part))
	e.event("Treasury.Deposit")
	e.coins(wei(part))
	e.end()
}
