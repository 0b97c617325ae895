// Package rpc calls a chain node (Substrate, Moonbeam) with JSON-RPC 2.0, over HTTP or a WebSocket, and subscribes to the
// heads of its chain.
//
// It checks answers. An answer to another request, one that is not JSON-RPC, or one without what its method promises is an
// error, never a zero. Package httpclient limits how long a request may take, however a node misbehaves.
//
// The formats of chain_* and system_* answers come from recordings. Those of payment_queryInfo, eth_feeHistory and
// state_getRuntimeVersion, and the way a node ends a subscription, follow documentation and source code and are untested
// against a real node.
package rpc
