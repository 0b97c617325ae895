// Package relay collects evidence of finality from nodes, for package finality: the blocks at which sets of validators
// hand over, a justification of a block, and, for a parachain, the proof of its head in the relay chain's state.
//
// It needs a node that keeps old states (an archive node), and justifications. Nodes keep that of the last block of each
// set. What a node lacks is an error that says so. Nothing that a node returns is trusted: the evidence is checked
// before it is returned, from the set that it starts with.
package relay
