package app

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/serve"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/network"
)

// GatewayHandler returns a server that answers like Sidecar on top of a node. version is the program's.
func GatewayHandler(node *rpc.Client, version string) http.Handler {
	return serve.Handler(node, version)
}

// GatewayBlock describes a block as a gateway returned it.
func GatewayBlock(b *chain.Block) (jsontext.Record, error) {
	when, err := b.Time()
	if err != nil {
		return nil, &sidecar.DecodeError{What: fmt.Sprintf("block %d", b.Number), Err: err}
	}
	extrinsics := []jsontext.Record{}
	for i := range b.Extrinsics {
		x := &b.Extrinsics[i]
		events := make([]string, len(x.Events))
		for k, e := range x.Events {
			events[k] = e.Pallet + "." + e.Name
		}
		var success chain.Optional[bool]
		if outcome, err := x.Outcome(); err == nil {
			success = chain.Some(outcome.Success)
		}
		extrinsics = append(extrinsics, jsontext.Record{
			{"index", i}, {"call", x.Pallet + "." + x.Call}, {"signed", x.Signed != nil}, {"success", success}, {"hash", x.Hash}, {"events", events},
		})
	}
	return jsontext.Record{
		{"number", b.Number}, {"hash", b.Hash}, {"parent_hash", b.ParentHash}, {"time", when}, {"finalized", b.Finalized}, {"extrinsics", extrinsics},
	}, nil
}

// GatewayBalance returns an account's balance as a gateway states it.
func GatewayBalance(ctx context.Context, c *gatewayclient.Client, account chain.Address, at chain.Optional[uint64]) (jsontext.Record, error) {
	b, err := c.Balance(ctx, account, at)
	if err != nil {
		return nil, err
	}
	var token console.Token
	var tokens chain.Optional[string] // unknown for a symbol of no table, as its decimals are
	if n := networkOf(b.Value.Symbol); n != nil {
		if err := n.AccountMapping.CheckSize(account, n.Name); err != nil { // a gateway answers with zeros
			return nil, err
		}
		token = console.Token(n.Token())
		tokens = chain.Some(token.Tokens(b.Value.Free))
	}
	return jsontext.Record{
		{"account", token.Account(account)}, {"at", b.At}, {"at_hash", b.AtHash}, {"nonce", b.Value.Nonce}, {"free", b.Value.Free}, {"reserved", b.Value.Reserved},
		{"free_token", tokens}, {"symbol", b.Value.Symbol},
	}, nil
}

// networkOf returns the built-in network with a token's symbol, or nil.
func networkOf(symbol string) *network.Network {
	all := network.BuiltIn().All()
	if i := slices.IndexFunc(all, func(n network.Network) bool { return n.Symbol == symbol }); i >= 0 {
		return &all[i]
	}
	return nil
}
