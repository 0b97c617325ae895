package chain

// Receipt is the part of an Ethereum receipt that states what a transaction cost.
type Receipt struct {
	GasUsed Gas
	Price   GasPrice // effectiveGasPrice, in wei
}
