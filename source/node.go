package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
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

// node is a source without a gateway: the answers are made here, of what the node says.
type node struct {
	*gatewayclient.Client
	client    *rpc.Client // nil where it is the caller's
	gateway   *gateway.Gateway
	announces bool // its heads, over a WebSocket
}

// Close breaks the connection to the node off.
func (n *node) Close() error {
	if n.client == nil {
		return nil
	}
	return n.client.Close()
}

// isNode tells whether a place can only be a node: it has a WebSocket, or a query, where
// providers of nodes have a key, and which no gateway has.
func isNode(place string) bool {
	u, err := url.Parse(place)
	return hasSocket(place) || err == nil && u.Host != "" && u.RawQuery != ""
}

func hasSocket(place string) bool {
	return strings.HasPrefix(place, "ws://") || strings.HasPrefix(place, "wss://")
}

func openNode(place string, o Options) (Source, error) {
	client, err := rpc.New(place, o.Options)
	if err != nil {
		return nil, err
	}
	gateway := gateway.New(client)
	return &node{gatewayclient.Of(gateway), client, gateway, hasSocket(place)}, nil
}

// Of makes a source of a gateway, or of whatever answers as one. The caller closes the gateway.
// Heads are polled.
func Of(g gatewayclient.Gateway) Source {
	client := gatewayclient.Of(g)
	if g, ok := g.(*gateway.Gateway); ok {
		return &node{Client: client, gateway: g}
	}
	return client
}

// OpenURL opens a gateway, or a node as one, at a URL: for those who ask more of it than a
// [Source] is asked. The closer is that of the source.
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
	return nil, nil, fmt.Errorf("%s is no URL", place)
}

// HeadsOf are the final heads of a source: those that a node announces over a WebSocket,
// and else what it is asked for this often.
func HeadsOf(s Source, every time.Duration) Heads {
	if n, ok := s.(*node); ok && n.announces {
		return announced(n.client)
	}
	return Poll(s, every)
}

// announced are the final heads that a node announces.
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

// Extrinsics are those of a block as they are encoded.
func (n *node) Extrinsics(ctx context.Context, block chain.Hash) ([][]byte, error) {
	return n.gateway.Extrinsics(ctx, block)
}

// NativeSigners are those of a block's native extrinsics.
func (n *node) NativeSigners(ctx context.Context, block chain.Hash, genesis chain.Optional[chain.Hash]) ([]chain.NativeSigner, error) {
	return n.gateway.NativeSigners(ctx, block, genesis)
}

// either is a gateway or a node at an http or https URL: what does not answer as a gateway
// does may be a node. It is asked what it is before anything else was answered.
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
	client, err := rpc.New(place, o.Options)
	if err != nil {
		return nil, err
	}
	e := &either{gateway: asked, node: client, asNode: gateway.New(client)}
	return &eitherSource{gatewayclient.Of(e), e}, nil
}

// eitherSource is the source of one.
type eitherSource struct {
	*gatewayclient.Client
	either *either
}

// Close breaks the connection to the node off, where it is one.
func (s *eitherSource) Close() error { return s.either.node.Close() }

// Extrinsics are those of a block as they are encoded. It is [chain.ErrNotOffered] by a
// gateway.
func (s *eitherSource) Extrinsics(ctx context.Context, block chain.Hash) ([][]byte, error) {
	if !s.either.isNode() {
		return nil, chain.ErrNotOffered
	}
	return s.either.asNode.Extrinsics(ctx, block)
}

// NativeSigners are those of a block's native extrinsics. It is [chain.ErrNotOffered] by a gateway.
func (s *eitherSource) NativeSigners(ctx context.Context, block chain.Hash, genesis chain.Optional[chain.Hash]) ([]chain.NativeSigner, error) {
	if !s.either.isNode() {
		return nil, chain.ErrNotOffered
	}
	return s.either.asNode.NativeSigners(ctx, block, genesis)
}

// Portion is a node's, once it is known to be one.
func (e *either) Portion() chain.Portion { return e.known().Portion() }

// Prepare asks for the blocks of a portion, once it is known who is asked.
func (e *either) Prepare(ctx context.Context, blocks chain.Heights) error {
	return e.known().Prepare(ctx, blocks)
}

// known is who is asked, the gateway as long as it is not known.
func (e *either) known() gatewayclient.Gateway {
	if d := e.decided.Load(); d != nil {
		return *d
	}
	return e.gateway
}

// isNode tells whether it is known to be a node.
func (e *either) isNode() bool { return e.known() == gatewayclient.Gateway(e.asNode) }

// Answer asks the gateway, or the node.
func (e *either) Answer(ctx context.Context, question string) (text string, err error) {
	checked := httpclient.Checked(ctx, func(text string) error {
		if e.decided.Load() == nil && isJSONRPC(text) {
			return errJSONRPC
		}
		return httpclient.Check(ctx, text)
	})
	err = e.ask(ctx, func(g gatewayclient.Gateway) (err error) {
		text, err = g.Answer(checked, question)
		return err
	})
	return text, err
}

// Stream passes an answer of either on.
func (e *either) Stream(ctx context.Context, question string, w io.Writer) (n int64, err error) {
	err = e.ask(ctx, func(g gatewayclient.Gateway) (err error) {
		n, err = g.Stream(ctx, question, w)
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
	case err == nil, errors.Is(err, chain.ErrNoBlock), errors.Is(err, chain.ErrCannotTell):
		e.decided.CompareAndSwap(nil, &e.gateway)
		return err
	case !maybeNode(err):
		return err
	}
	_, notNode := e.node.Call(ctx, "system_chain")
	switch {
	case notNode == nil:
	case httpclient.Passes(notNode), httpclient.FailureOf(notNode) == httpclient.Denied: // only what takes the question says so
		return notNode
	default:
		return &neitherError{err, notNode}
	}
	var asNode gatewayclient.Gateway = e.asNode
	e.decided.CompareAndSwap(nil, &asNode)
	return what(*e.decided.Load())
}

// neitherError says that what stands at a URL answers neither as a gateway nor as a node.
type neitherError struct{ asGateway, asNode error }

func (e *neitherError) Error() string {
	return fmt.Sprintf("neither a gateway (%v) nor a node (%v): want the address of either, as its documentation has it, with its path and key", e.asGateway, e.asNode)
}

// Unwrap is what was said to the question itself.
func (e *neitherError) Unwrap() error { return e.asGateway }

// errJSONRPC says that the answer to a GET is one of JSON-RPC's, as some nodes give with
// status 200.
var errJSONRPC = errors.New("it answers as a node does")

func isJSONRPC(text string) bool {
	answer, err := jsonscan.Parse(text)
	return err == nil && answer.Member("jsonrpc").Kind() != jsonscan.Absent
}

// maybeNode tells whether an error can be that of a node, which takes no GET.
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
