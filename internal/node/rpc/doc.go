// Package rpc asks a chain node (Substrate, Moonbeam) by JSON-RPC 2.0, over HTTP or a
// WebSocket, and subscribes to the heads of its chain.
//
// Answers are checked. One that is for another question, that is no JSON-RPC answer at all, or
// that lacks what its method promises is an error, and never a zero. Package httpclient says how long
// a question may take, however a node misbehaves.
//
// The shapes of chain_* and system_* answers are those of recorded ones. Those of
// payment_queryInfo, eth_feeHistory and state_getRuntimeVersion, and how a node ends a
// subscription by itself, follow documentation and source code. Nobody has tried them on a
// real node.
package rpc
