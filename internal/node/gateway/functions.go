package gateway

import (
	"context"

	"github.com/feeledger/fees/chain"
)

// QueryInfos returns what the runtime after a block answers about extrinsics: see [rpc.Client.QueryInfos].
func (g *Gateway) QueryInfos(ctx context.Context, extrinsics [][]byte, block chain.Hash) ([]chain.Optional[chain.QueryInfo], error) {
	if g.client == nil {
		return nil, chain.ErrNotOffered
	}
	return g.client.QueryInfos(ctx, extrinsics, block)
}

// EthReceipts returns the receipts of a block's Ethereum transactions: see [rpc.Client.EthReceipts].
func (g *Gateway) EthReceipts(ctx context.Context, block chain.Hash) (none chain.Optional[[]chain.Receipt], err error) {
	if g.client == nil {
		return none, chain.ErrNotOffered
	}
	return g.client.EthReceipts(ctx, block)
}
