package gatewayclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/httpclient"
)

// errNoEndpoint means that the gateway does not have the requested endpoint. It is a [chain.ErrNotOffered].
var errNoEndpoint error = noEndpoint{}

type noEndpoint struct{}

func (noEndpoint) Error() string { return "the gateway does not have this endpoint" }

func (noEndpoint) Unwrap() error { return chain.ErrNotOffered }

// Client is a client of one gateway. It is safe for concurrent use.
type Client struct {
	gateway Gateway
}

// Gateway answers requests, given as paths with their queries, as Substrate API Sidecar does. Its errors wrap
// an error of package chain that names the kind of refusal.
type Gateway interface {
	Get(ctx context.Context, path string) (text string, err error)
	// Stream copies a response to w as it arrives, and returns the number of bytes.
	Stream(ctx context.Context, path string, w io.Writer) (int64, error)
}

// Decoder is a [Gateway] that decodes blocks itself, at paths such as /blocks/25 or /blocks/head. It returns
// [chain.ErrNotOffered] if its blocks are to be decoded from its text.
type Decoder interface {
	Block(ctx context.Context, path string) (*chain.Block, error)
}

// Of returns a client of a gateway other than an HTTP server.
func Of(g Gateway) *Client { return &Client{g} }

// server is a gateway reached over HTTP.
type server struct {
	http    *httpclient.Client
	version atomic.Pointer[string] // prefix of the gateway's paths; nil until a response reveals it
}

// New returns a client of the gateway at address, an http or https URL. A user name and password in the URL
// are sent as basic authentication. A query in the URL, such as ?apikey=KEY, is sent
// with each request. Errors show the address without these, and without its path, which contains an API key at some
// providers.
func New(address string, o Options) (*Client, error) {
	http, err := httpclient.New(httpclient.Gateway, address, httpclient.Options(o), "http", "https")
	if err != nil {
		return nil, err
	}
	return &Client{&server{http: http}}, nil
}

// Close closes idle connections. The client can still be used.
func (c *Client) Close() error {
	if s, is := c.gateway.(*server); is {
		s.http.Close()
	}
	return nil
}

// FinalHead returns the height of the newest finalized block, and its parent's hash: a gateway does not report its own.
func (c *Client) FinalHead(ctx context.Context) (chain.Head, error) {
	h, err := c.HeadHeader(ctx, false)
	if err != nil {
		return chain.Head{}, err
	}
	return chain.Head{Number: h.Number, ParentHash: chain.Some(h.ParentHash)}, nil
}

// Head returns the newest finalized block, or the newest block if unfinalized.
func (c *Client) Head(ctx context.Context, unfinalized bool) (*chain.Block, error) {
	path := "/blocks/head"
	if unfinalized {
		path += "?finalized=false"
	}
	return c.block(ctx, path, func(*chain.Block) error { return nil })
}

// block requests the block at a path, and checks that it is the right one.
func (c *Client) block(ctx context.Context, path string, check func(*chain.Block) error) (b *chain.Block, err error) {
	if d, decodes := c.gateway.(Decoder); decodes {
		b, err = d.Block(ctx, path)
		if err == nil {
			err = check(b)
		}
		if err == nil {
			return b, nil
		}
		if !errors.Is(err, chain.ErrNotOffered) {
			return nil, err
		}
	}
	return read(ctx, c, path, func(text string) (*chain.Block, error) {
		b, err := sidecar.DecodeBlock(text)
		if err == nil {
			err = check(b)
		}
		return b, err
	})
}

// Block returns the block at a height.
func (c *Client) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := c.block(ctx, "/blocks/"+strconv.FormatUint(height, 10), func(b *chain.Block) error {
		if b.Number != height {
			return fmt.Errorf("%w: its number is %d", chain.ErrWrongBlock, b.Number)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", height, err)
	}
	return b, nil
}

// BlockByHash returns the block with that hash.
func (c *Client) BlockByHash(ctx context.Context, hash chain.Hash) (*chain.Block, error) {
	b, err := c.block(ctx, "/blocks/"+hash.String(), func(b *chain.Block) error {
		if b.Hash != hash {
			return fmt.Errorf("%w: its hash is %v", chain.ErrWrongBlock, b.Hash)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("block %v: %w", hash, err)
	}
	return b, nil
}

// read requests a path and decodes the response. A response that cannot be decoded may be a transient fault of
// a server, so the request is retried.
func read[T any](ctx context.Context, c *Client, path string, decode func(text string) (T, error)) (value T, err error) {
	decoded := false
	text, err := c.Get(httpclient.Checked(ctx, func(text string) (err error) {
		value, err = decode(text)
		decoded = err == nil
		return err
	}), path)
	if err == nil && !decoded { // not from a server
		value, err = decode(text)
	}
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// Multiplier returns the fee multiplier after the block at a height.
func (c *Client) Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	m, err := read(ctx, c, fmt.Sprintf("/pallets/transaction-payment/storage/nextFeeMultiplier?at=%d", at), ofHeight(at, sidecar.DecodeMultiplier))
	if err != nil {
		err = fmt.Errorf("multiplier at block %d: %w", at, err)
	}
	return m, err
}

// ofHeight decodes a response that must be for the state at a height.
func ofHeight[T any](at uint64, decode func(string) (chain.AtBlock[T], error)) func(string) (chain.AtBlock[T], error) {
	return func(text string) (chain.AtBlock[T], error) {
		v, err := decode(text)
		if err == nil && v.At != at {
			err = fmt.Errorf("%w: it is for block %d", chain.ErrWrongBlock, v.At)
		}
		return v, err
	}
}

// Runtime returns the runtime after the block at a height. It returns [chain.ErrNotOffered] if the gateway
// does not support this.
func (c *Client) Runtime(ctx context.Context, at uint64) (chain.AtBlock[chain.Runtime], error) {
	r, err := read(ctx, c, fmt.Sprintf("/runtime/spec?at=%d", at), ofHeight(at, sidecar.DecodeRuntime))
	if err != nil {
		err = fmt.Errorf("runtime at block %d: %w", at, err)
	}
	return r, err
}

// NodeVersion returns the version of the node behind the gateway. It returns [chain.ErrNotOffered] if the
// gateway does not support this.
func (c *Client) NodeVersion(ctx context.Context) (chain.NodeVersion, error) {
	v, err := read(ctx, c, "/node/version", sidecar.DecodeNodeVersion)
	if err != nil {
		err = fmt.Errorf("node version: %w", err)
	}
	return v, err
}

// Stream copies the response at a path to w as it arrives.
func (c *Client) Stream(ctx context.Context, path string, w io.Writer) (int64, error) {
	return c.gateway.Stream(ctx, path, w)
}

// Get returns the exact text of the response at a path, such as "/blocks/25/header". It does not inspect
// the text.
func (c *Client) Get(ctx context.Context, path string) (string, error) {
	return c.gateway.Get(ctx, path)
}
