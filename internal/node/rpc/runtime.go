package rpc

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// QueryInfos returns what the runtime after a block answers about extrinsics, each with its length prefix, on that block's
// state (TransactionPaymentApi_query_info). An answer is unknown if the node refuses the question, as it does for a state
// that it no longer has.
func (c *Client) QueryInfos(ctx context.Context, extrinsics [][]byte, block chain.Hash) ([]chain.Optional[chain.QueryInfo], error) {
	const function = "TransactionPaymentApi_query_info"
	batch := c.Batch()
	calls := make([]*call, len(extrinsics))
	for i, x := range extrinsics {
		arguments := binary.LittleEndian.AppendUint32(slices.Clone(x), uint32(len(x)))
		calls[i] = batch.add("state_call", function, "0x"+hex.EncodeToString(arguments), block)
	}
	batch.Ask(ctx) // each call has its error
	answers := make([]chain.Optional[chain.QueryInfo], len(calls))
	for i, one := range calls {
		var err error
		if answers[i], err = unlessRefused(one.result, one.err, function, readQueryInfo); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

func readQueryInfo(r *scale.Reader) (info chain.QueryInfo, err error) {
	info.Weight.RefTime = chain.NewRefTime(r.CompactUint())
	info.Weight.ProofSize = r.CompactUint()
	r.U8() // the class, which the events state
	var word [32]byte
	copy(word[16:], reversed(r.Bytes(16)))
	info.PartialFee, err = chain.WeiOf(word)
	return info, err
}

// EthReceipts returns the receipts of a block's Ethereum transactions in order (ReviveApi_eth_receipt_data); unknown if the
// node refuses the question: the runtime has no such function, or the node no longer has the state.
func (c *Client) EthReceipts(ctx context.Context, block chain.Hash) (chain.Optional[[]chain.Receipt], error) {
	const function = "ReviveApi_eth_receipt_data"
	v, err := c.Call(ctx, "state_call", function, "0x", block)
	return unlessRefused(v, err, function, readReceipts)
}

func readReceipts(r *scale.Reader) ([]chain.Receipt, error) {
	const size = 64 // two words of 256 bits
	list := make([]chain.Receipt, r.Length(size))
	for i := range list {
		gas, price := reversed(r.Bytes(32)), reversed(r.Bytes(32))
		if r.Err() != nil {
			return nil, r.Err()
		}
		if high := gas[:24]; slices.ContainsFunc(high, func(b byte) bool { return b != 0 }) {
			return nil, fmt.Errorf("receipt %d: the gas used has more than 64 bits", i)
		}
		list[i] = chain.Receipt{GasUsed: chain.NewGas(binary.BigEndian.Uint64(gas[24:])), Price: chain.GasPriceOf([32]byte(price))}
	}
	return list, nil
}

// reversed returns bytes with the most significant one first.
func reversed(little []byte) []byte {
	big := slices.Clone(little)
	slices.Reverse(big)
	return big
}

// unlessRefused decodes the answer of a runtime function. It is unknown if the node refuses the question for good.
func unlessRefused[T any](v jsonscan.Value, err error, function string, read func(*scale.Reader) (T, error)) (none chain.Optional[T], _ error) {
	if errors.As(err, new(*RPCError)) && (!httpclient.IsTransient(err) || httpclient.FailureOf(err) == httpclient.Internal) {
		return none, nil // nodes refuse a missing function, or one that fails, with various codes
	}
	if err != nil {
		return none, err
	}
	bytes, err := readBytes(v)
	if err == nil && bytes == nil {
		err = errors.New("null")
	}
	if err != nil {
		return none, &DecodeError{"answer of " + function, err}
	}
	r := scale.NewReader(bytes)
	answer, err := read(r)
	if ended := r.End(); ended != nil { // the first error
		err = ended
	}
	if err != nil {
		return none, &DecodeError{"answer of " + function, err}
	}
	return chain.Some(answer), nil
}
