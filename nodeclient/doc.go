// Package nodeclient asks a chain node (Substrate, Moonbeam) by JSON-RPC 2.0,
// over HTTP or over a WebSocket, and follows the heads of its chain.
//
// Answers are checked: one that is for another question, that is no JSON-RPC
// answer at all, or that lacks what its method promises is an error and never a
// zero. Nothing waits longer than [Options].Timeout, however a node misbehaves.
//
// The shapes of chain_* and system_* answers are those of recorded ones. Those of
// payment_queryInfo, eth_feeHistory and state_getRuntimeVersion, and how a node
// ends a subscription of its own accord, are built from documentation and source
// code and were not tried on a real node.
package nodeclient
