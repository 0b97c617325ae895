package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
)

// node is a source without a gateway: it builds the responses from a node's data.
type node struct {
	*gatewayclient.Client
	client    *rpc.Client // nil if it belongs to the caller
	gateway   *gateway.Gateway
	announces bool // its heads, over a WebSocket
}

// Close closes the connection to the node.
func (n *node) Close() error {
	if n.client == nil {
		return nil
	}
	return n.client.Close()
}

// hasSocket reports whether an address is a WebSocket, which can only be a node's.
func hasSocket(place string) bool {
	return strings.HasPrefix(place, "ws://") || strings.HasPrefix(place, "wss://")
}

func openNode(place string, o Options) (Source, error) {
	client, err := rpc.New(place, httpclient.Options(o.Options))
	if err != nil {
		return nil, err
	}
	gateway := gateway.New(client)
	return &node{gatewayclient.Of(gateway), client, gateway, hasSocket(place)}, nil
}

// Of returns a source that reads from a gateway, or from anything that responds like one. The caller closes
// the gateway. Heads are polled.
func Of(g gatewayclient.Gateway) Source {
	client := gatewayclient.Of(g)
	if g, ok := g.(*gateway.Gateway); ok {
		return &node{Client: client, gateway: g}
	}
	return client
}

// OpenURL opens a gateway, or a node as a gateway, at a URL, for requests that [Source] does not offer. The
// closer is that of the source.
func OpenURL(place string, o gatewayclient.Options) (*gatewayclient.Client, io.Closer, error) {
	s, err := Open(place, Options{Options: o})
	if err != nil {
		return nil, nil, err
	}
	switch s := s.(type) {
	case *node:
		return s.Client, s, nil
	case *eitherSource:
		return s.Client, s, nil
	}
	return nil, nil, fmt.Errorf("%s is not a URL", place)
}

// HeadsOf returns the final heads of a source: those that a node announces over a WebSocket, otherwise polled
// at this interval.
func HeadsOf(s Source, every time.Duration) Heads {
	if n, err := As[*node](s); err == nil && n.announces {
		return announced(n.client)
	}
	return Poll(s, every)
}

// announced returns the final heads that a node announces.
func announced(node *rpc.Client) Heads {
	return func(ctx context.Context) iter.Seq2[chain.Head, error] {
		return func(yield func(chain.Head, error) bool) {
			for h, err := range node.SubscribeFinalizedHeads(ctx) {
				if rpc.Temporary(err) {
					err = &TemporaryError{Err: err}
				}
				if !yield(chain.Head{Number: h.Number, Hash: h.Hash}, err) {
					return
				}
			}
		}
	}
}

// BatchSize returns the batch size that suits the node.
func (n *node) BatchSize() (blocks, requests uint64) { return n.gateway.BatchSize() }

// Prepare requests a batch of blocks in advance.
func (n *node) Prepare(ctx context.Context, blocks chain.Heights) error {
	return n.gateway.Prepare(ctx, blocks)
}

// Extrinsics returns the encoded extrinsics of a block.
func (n *node) Extrinsics(ctx context.Context, block chain.Hash) ([][]byte, error) {
	return n.gateway.Extrinsics(ctx, block)
}

// NativeSigners returns the signers of a block's native extrinsics.
func (n *node) NativeSigners(ctx context.Context, block chain.Hash, genesis chain.Optional[chain.Hash]) ([]chain.NativeSigner, error) {
	return n.gateway.NativeSigners(ctx, block, genesis)
}

// QueryInfos returns what the runtime after a block answers about extrinsics.
func (n *node) QueryInfos(ctx context.Context, extrinsics [][]byte, block chain.Hash) ([]chain.Optional[chain.QueryInfo], error) {
	return n.gateway.QueryInfos(ctx, extrinsics, block)
}

// EthReceipts returns the receipts of a block's Ethereum transactions.
func (n *node) EthReceipts(ctx context.Context, block chain.Hash) (chain.Optional[[]chain.Receipt], error) {
	return n.gateway.EthReceipts(ctx, block)
}

// either is a gateway or a node at an http or https URL: if it does not respond like a gateway, it may be a
// node. The first request finds out.
type either struct {
	gateway gatewayclient.Gateway
	node    *rpc.Client
	asNode  *gateway.Gateway
	decided atomic.Pointer[gatewayclient.Gateway]
}

func openEither(place string, o Options) (Source, error) {
	asked, err := gatewayclient.New(place, o.Options)
	if err != nil {
		return nil, err
	}
	client, err := rpc.New(place, httpclient.Options(o.Options))
	if err != nil {
		return nil, err
	}
	e := &either{gateway: asked, node: client, asNode: gateway.New(client)}
	return &eitherSource{gatewayclient.Of(e), e, asked, &node{Client: gatewayclient.Of(e.asNode), client: client, gateway: e.asNode}}, nil
}

// eitherSource is a source that reads from either.
type eitherSource struct {
	*gatewayclient.Client
	either  *either
	gateway *gatewayclient.Client
	node    *node
}

// Close closes the connections to the gateway, or to the node if it is one.
func (s *eitherSource) Close() error { return errors.Join(s.gateway.Close(), s.either.node.Close()) }

// Unwrap returns the node, if it is known to be one, otherwise the gateway.
func (s *eitherSource) Unwrap() Source {
	if s.either.isNode() {
		return s.node
	}
	return s.Client
}

// known returns the gateway or the node; the gateway while the kind is unknown.
func (e *either) known() gatewayclient.Gateway {
	if d := e.decided.Load(); d != nil {
		return *d
	}
	return e.gateway
}

// isNode reports whether it is known to be a node.
func (e *either) isNode() bool { return e.known() == gatewayclient.Gateway(e.asNode) }

// Get sends a request to the gateway or the node.
func (e *either) Get(ctx context.Context, path string) (text string, err error) {
	checked := httpclient.Checked(ctx, func(text string) error {
		if e.decided.Load() == nil && isJSONRPC(text) {
			return errJSONRPC
		}
		return httpclient.Check(ctx, text)
	})
	err = e.ask(ctx, func(g gatewayclient.Gateway) (err error) {
		text, err = g.Get(checked, path)
		return err
	})
	return text, err
}

// Block returns a block of the node, once it is known to be one.
func (e *either) Block(ctx context.Context, path string) (*chain.Block, error) {
	if !e.isNode() {
		return nil, chain.ErrNotOffered
	}
	return e.asNode.Block(ctx, path)
}

// Stream copies a response from either.
func (e *either) Stream(ctx context.Context, path string, w io.Writer) (n int64, err error) {
	err = e.ask(ctx, func(g gatewayclient.Gateway) (err error) {
		n, err = g.Stream(ctx, path, w)
		return err
	})
	return n, err
}

func (e *either) ask(ctx context.Context, what func(gatewayclient.Gateway) error) error {
	if d := e.decided.Load(); d != nil {
		return what(*d)
	}
	err := what(e.gateway)
	switch {
	case err == nil, errors.Is(err, chain.ErrNoBlock), errors.Is(err, chain.ErrUnsupported):
		e.decided.CompareAndSwap(nil, &e.gateway)
		return err
	case !maybeNode(err):
		return err
	}
	_, notNode := e.node.Call(ctx, "system_chain")
	switch {
	case notNode == nil:
	case httpclient.IsTransient(notNode), httpclient.FailureOf(notNode) == httpclient.Denied: // only an endpoint that accepts the request responds like this
		return notNode
	default:
		return &NeitherError{err, notNode}
	}
	var asNode gatewayclient.Gateway = e.asNode
	e.decided.CompareAndSwap(nil, &asNode)
	return what(*e.decided.Load())
}

// NeitherError means that a URL responds neither like a gateway nor like a node.
type NeitherError struct{ asGateway, asNode error }

func (e *NeitherError) Error() string {
	return fmt.Sprintf("neither a gateway (%v) nor a node (%v). Use the address from the provider's documentation, with its path and key.", e.asGateway, e.asNode)
}

// Unwrap returns the response to the request itself.
func (e *NeitherError) Unwrap() error { return e.asGateway }

// errJSONRPC means that the response to a GET is a JSON-RPC response, as some nodes send with status 200.
var errJSONRPC = errors.New("the response is from a node (JSON-RPC)")

func isJSONRPC(text string) bool {
	answer, err := jsonscan.Parse(text)
	return err == nil && answer.Member("jsonrpc").Kind() != jsonscan.Absent
}

// maybeNode reports whether an error may come from a node, which does not accept GET.
func maybeNode(err error) bool {
	if errors.Is(err, errJSONRPC) || errors.Is(err, httpclient.ErrNotJSON) {
		return true
	}
	var status *httpclient.StatusError
	if !errors.As(err, &status) {
		return false
	}
	switch status.Code {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType:
		return true
	}
	return false
}
