package rpc

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// NextIndex returns the nonce of an account's next extrinsic, counting those that wait in the pool
// (system_accountNextIndex).
func (c *Client) NextIndex(ctx context.Context, account chain.Address) (chain.Nonce, error) {
	return ask(ctx, c, "next index", jsonread.Nonce, "system_accountNextIndex", account)
}

// alreadyThere lists codes with which a pool refuses a transaction it has or recently had: a retry may find its own
// transaction.
//
// Source: polkadot-sdk, client/rpc-api/src/author/error.rs: POOL_ALREADY_IMPORTED.
const alreadyThere = 1013

// SubmitExtrinsic sends a signed extrinsic to the node's pool, and checks the returned hash (author_submitExtrinsic). An
// extrinsic already in the pool is not an error.
func (c *Client) SubmitExtrinsic(ctx context.Context, encoded []byte, hash chain.Hash) error {
	v, err := c.Call(ctx, "author_submitExtrinsic", "0x"+hex.EncodeToString(encoded))
	var refused *RPCError
	if errors.As(err, &refused) {
		if code, _ := refused.Code.Get(); code == alreadyThere {
			return nil
		}
	}
	return sentAs(v, err, hash)
}

// SendRawTransaction sends a signed Ethereum transaction to the node's pool, and checks the returned hash
// (eth_sendRawTransaction). A transaction already in the pool is not an error.
func (c *Client) SendRawTransaction(ctx context.Context, encoded []byte, hash chain.Hash) error {
	v, err := c.Call(ctx, "eth_sendRawTransaction", "0x"+hex.EncodeToString(encoded))
	var refused *RPCError
	if errors.As(err, &refused) && strings.Contains(strings.ToLower(refused.Message), "already known") {
		return nil
	}
	return sentAs(v, err, hash)
}

// sentAs checks that the node's hash equals the computed one.
func sentAs(v jsonscan.Value, err error, hash chain.Hash) error {
	if err != nil {
		return err
	}
	have, err := jsonread.Hash(v)
	if err == nil && have != hash {
		err = fmt.Errorf("the transaction was sent, but the node returned the hash %v instead of %v", have, hash)
	}
	if err != nil {
		return &DecodeError{"hash of the transaction", err}
	}
	return nil
}

// EthChainID returns the EVM chain ID (eth_chainId).
func (c *Client) EthChainID(ctx context.Context) (uint64, error) {
	return ask(ctx, c, "chain id", jsonread.Uint64, "eth_chainId")
}

// EthNonce returns the nonce of an account's next Ethereum transaction, counting those that wait in the pool
// (eth_getTransactionCount).
func (c *Client) EthNonce(ctx context.Context, account chain.Address) (chain.Nonce, error) {
	return ask(ctx, c, "transaction count", jsonread.Nonce, "eth_getTransactionCount", account, "pending")
}

// EthCall is an EVM call for a gas estimate.
type EthCall struct {
	From  chain.Address
	To    chain.Optional[chain.Address] // unset to create a contract
	Value chain.Wei
	Input []byte
}

// EstimateGas returns how much gas a call would use on the newest block's state (eth_estimateGas).
func (c *Client) EstimateGas(ctx context.Context, call EthCall) (chain.Gas, error) {
	form := map[string]any{"from": call.From, "value": "0x" + call.Value.Big().Text(16)}
	if to, ok := call.To.Get(); ok {
		form["to"] = to
	}
	if len(call.Input) > 0 {
		form["data"] = "0x" + hex.EncodeToString(call.Input)
	}
	return ask(ctx, c, "gas estimate", jsonread.Gas, "eth_estimateGas", form)
}

// MetadataAt returns a version of the metadata of the runtime after a block (the runtime function Metadata_metadata_at_version). It
// returns [chain.ErrUnsupported] if the runtime does not have that version.
func (c *Client) MetadataAt(ctx context.Context, block chain.Hash, version uint32) ([]byte, error) {
	const function = "Metadata_metadata_at_version"
	answer, err := c.StateCall(ctx, function, binary.LittleEndian.AppendUint32(nil, version), block)
	if err != nil {
		return nil, err
	}
	r := scale.NewReader(answer)
	var text []byte
	has := r.Option()
	if has {
		text = r.Blob()
	}
	if err := r.End(); err != nil {
		return nil, &DecodeError{"answer of " + function, err}
	}
	if !has {
		return nil, fmt.Errorf("the runtime does not have metadata of version %d: %w", version, chain.ErrUnsupported)
	}
	return text, nil
}

// StateCall returns the encoded answer of a runtime function on the state of a block (state_call).
func (c *Client) StateCall(ctx context.Context, function string, arguments []byte, block chain.Hash) ([]byte, error) {
	v, err := c.Call(ctx, "state_call", function, "0x"+hex.EncodeToString(arguments), block)
	if err != nil {
		return nil, err
	}
	bytes, err := readBytes(v)
	if err == nil && bytes == nil {
		err = &DecodeError{"answer of " + function, errors.New("null")}
	}
	return bytes, err
}
