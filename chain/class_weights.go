package chain

// ClassWeights is a block's weight by dispatch class, as counted by the chain (system.blockWeight).
type ClassWeights struct{ Normal, Operational, Mandatory Weight }
