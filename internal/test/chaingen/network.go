package chaingen

import "github.com/feeledger/fees/chain"

// Network contains the parameters of the generated network.
type Network struct {
	// SpecName is the name of the runtime, the node and its chain.
	SpecName string
	Symbol   string
	// WeightPerGas is the ref time of one gas, in picoseconds.
	WeightPerGas uint64
	// BaseFeeConstant is the base fee at multiplier 1, in wei.
	BaseFeeConstant uint64
	// NormalRefTime is the ref time in a block for transactions of class Normal: a multiple of 4, and at least
	// 15,000,000 gas.
	NormalRefTime uint64
	Treasury      chain.Address
	// The destinations of a fee's parts: gas × base fee, gas × the price above it, and those of native
	// transactions. FirstTips is the first runtime that divides a tip: earlier ones burn it.
	EVMBase, EVMPriority, NativeBase, NativeTip Share
	FirstTips                                   uint32
	// ParameterKey is the key of FeesTreasuryProportion, SCALE in hex; "" if the chain does not have the
	// parameter. DefaultProportion applies while it is not set.
	ParameterKey      string
	DefaultProportion uint64 // in parts per billion
	// Proportions are the values that governance sets, by ascending height.
	Proportions []Proportion
}

// Proportion is a value of the parameter, in parts per billion, starting with the state after a block.
type Proportion struct{ From, Perbill uint64 }

// Share is the recipient of an amount: the treasury, for that many parts per billion of it, or one of those
// below. The rest is burned.
type Share int64

// The shares other than a fixed part.
const (
	ByParameter Share = -1
	ToAuthor    Share = -2
)

const billion = 1_000_000_000

// Moonbeam returns the parameters of the default network. Its figures are those of runtimes 2302 to 2600
// (network/tables/moonbeam.json). They are repeated here, so that a block tests package network's.
func Moonbeam() Network {
	const fifth Share = billion / 5
	return Network{
		SpecName: "moonbeam", Symbol: "GLMR",
		WeightPerGas: 25_000, BaseFeeConstant: 125_000_000_000,
		NormalRefTime: 375_000_000_000, // 75 % of 0.5 s
		Treasury:      chain.Address20([20]byte{'m', 'o', 'd', 'l', 'p', 'y', '/', 't', 'r', 's', 'r', 'y'}),
		EVMBase:       fifth, EVMPriority: fifth, NativeBase: fifth, NativeTip: fifth, FirstTips: 2400,
	}
}

// split defines the division of a block's fees.
type split struct {
	*Network
	proportion       uint64
	treasury, author *account
	tips             bool // are divided
}

// split returns that of the block at a height: by the parameter after its parent.
func (c *Chain) split(height uint64) *split {
	proportion, set := c.proportion(max(height, 1) - 1)
	if !set {
		proportion = c.network.DefaultProportion
	}
	return &split{&c.network, proportion, c.treasury, c.author(height), c.executing(height).version >= c.network.FirstTips}
}

// proportion returns the value of the parameter after the block at a height, if it was set.
func (c *Chain) proportion(height uint64) (perbill uint64, set bool) {
	for _, p := range c.network.Proportions {
		if p.From <= height {
			perbill, set = p.Perbill, true
		}
	}
	return perbill, set
}

// write writes the credits of an amount: the author's part, or the treasury's, the rest after floor(the part
// to burn).
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
