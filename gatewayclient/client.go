package gatewayclient

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"sync/atomic"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/httpclient"
)

// errNoEndpoint says that the gateway does not have the endpoint that was asked: it is a
// [chain.ErrNotOffered].
var errNoEndpoint error = noEndpoint{}

type noEndpoint struct{}

func (noEndpoint) Error() string { return "no such endpoint" }

func (noEndpoint) Unwrap() error { return chain.ErrNotOffered }

// Client asks one gateway. It is safe for use by several goroutines.
type Client struct {
	gateway Gateway
}

// Gateway answers questions, which are the paths of requests with their queries, as
// Substrate API Sidecar does. An error says by chain's errors what kind of refusal it is.
type Gateway interface {
	Answer(ctx context.Context, question string) (text string, err error)
	// Stream copies an answer to w as it comes, and returns how many bytes there were.
	Stream(ctx context.Context, question string, w io.Writer) (int64, error)
	// Portion is how many neighbouring blocks are best asked for together, and Prepare asks
	// for them, so that they are answered at once afterwards.
	Portion() chain.Portion
	Prepare(ctx context.Context, blocks chain.Heights) error
}

// Options say how a gateway is asked: timeouts, attempts, credentials, limits. The zero value has
// defaults for all.
type Options = httpclient.Options

// Of returns a client of a gateway that is no server.
func Of(g Gateway) *Client { return &Client{g} }

// server is a gateway that is asked over HTTP.
type server struct {
	http    *httpclient.Client
	version atomic.Pointer[string] // what the gateway's paths begin with, nil until an answer told
}

// New returns a client of the gateway at address, an http or https URL. A user
// name and password in it are sent as basic authentication. Errors show the
// address without them, and without its path, where some providers have a key.
func New(address string, o Options) (*Client, error) {
	u, err := url.Parse(address)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "") {
		return nil, fmt.Errorf("gateway address %s://%s: want http://host:port or https://host, without a query", u.Scheme, u.Host)
	}
	http, err := httpclient.New(httpclient.Gateway, address, o, "http", "https")
	if err != nil {
		return nil, err
	}
	return &Client{&server{http: http}}, nil
}

// Kept is not known: a gateway's chain grows.
func (c *Client) Kept() (none chain.Optional[chain.Heights], err error) { return none, nil }

// Proved is not known: a gateway gives its word.
func (c *Client) Proved() (none chain.Optional[chain.Anchor]) { return none }

// Portion is how many neighbouring blocks are best asked for together: one by one, where the
// gateway is a server.
func (c *Client) Portion() chain.Portion { return c.gateway.Portion() }

// Prepare asks for the blocks of a portion.
func (c *Client) Prepare(ctx context.Context, blocks chain.Heights) error {
	return c.gateway.Prepare(ctx, blocks)
}

// FinalHead is where the newest block that is final is, without the block itself.
func (c *Client) FinalHead(ctx context.Context) (chain.Head, error) {
	h, err := c.HeadHeader(ctx, false)
	return chain.Head{Number: h.Number}, err
}

// Head is the newest block that is final, or the newest of all if unfinalized.
func (c *Client) Head(ctx context.Context, unfinalized bool) (*chain.Block, error) {
	path := "/blocks/head"
	if unfinalized {
		path += "?finalized=false"
	}
	return read(ctx, c, path, sidecar.DecodeBlock)
}

// Block is the block at a height.
func (c *Client) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := read(ctx, c, "/blocks/"+strconv.FormatUint(height, 10), func(text string) (*chain.Block, error) {
		b, err := sidecar.DecodeBlock(text)
		if err == nil && b.Number != height {
			err = fmt.Errorf("%w: it has number %d", chain.ErrWrongBlock, b.Number)
		}
		return b, err
	})
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", height, err)
	}
	return b, nil
}

// BlockByHash is the block with that hash.
func (c *Client) BlockByHash(ctx context.Context, hash chain.Hash) (*chain.Block, error) {
	b, err := read(ctx, c, "/blocks/"+hash.String(), func(text string) (*chain.Block, error) {
		b, err := sidecar.DecodeBlock(text)
		if err == nil && b.Hash != hash {
			err = fmt.Errorf("%w: it has hash %v", chain.ErrWrongBlock, b.Hash)
		}
		return b, err
	})
	if err != nil {
		return nil, fmt.Errorf("block %v: %w", hash, err)
	}
	return b, nil
}

// read asks for what is at a path, and decodes it. An answer that cannot be decoded is one
// that may have come by mistake: a server is asked again where that makes sense.
func read[T any](ctx context.Context, c *Client, path string, decode func(text string) (T, error)) (value T, err error) {
	decoded := false
	text, err := c.Answer(httpclient.Checked(ctx, func(text string) (err error) {
		value, err = decode(text)
		decoded = err == nil
		return err
	}), path)
	if err == nil && !decoded { // by what is no server
		value, err = decode(text)
	}
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// Multiplier is the fee multiplier that the block at a height left behind.
func (c *Client) Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	m, err := read(ctx, c, fmt.Sprintf("/pallets/transaction-payment/storage/nextFeeMultiplier?at=%d", at), ofHeight(at, sidecar.DecodeMultiplier))
	if err != nil {
		err = fmt.Errorf("multiplier at block %d: %w", at, err)
	}
	return m, err
}

// ofHeight decodes an answer that must be of the state at a height.
func ofHeight[T any](at uint64, decode func(string) (chain.AtBlock[T], error)) func(string) (chain.AtBlock[T], error) {
	return func(text string) (chain.AtBlock[T], error) {
		v, err := decode(text)
		if err == nil && v.At != at {
			err = fmt.Errorf("%w: it is at block %d", chain.ErrWrongBlock, v.At)
		}
		return v, err
	}
}

// Runtime is the runtime that the block at a height left behind. It is
// [chain.ErrNotOffered] where the gateway cannot tell.
func (c *Client) Runtime(ctx context.Context, at uint64) (chain.AtBlock[chain.Runtime], error) {
	r, err := read(ctx, c, fmt.Sprintf("/runtime/spec?at=%d", at), ofHeight(at, sidecar.DecodeRuntime))
	if err != nil {
		err = fmt.Errorf("runtime at block %d: %w", at, err)
	}
	return r, err
}

// NodeVersion is what the node behind the gateway is. It is [chain.ErrNotOffered]
// where the gateway cannot tell.
func (c *Client) NodeVersion(ctx context.Context) (chain.NodeVersion, error) {
	v, err := read(ctx, c, "/node/version", sidecar.DecodeNodeVersion)
	if err != nil {
		err = fmt.Errorf("node version: %w", err)
	}
	return v, err
}

// Stream copies the answer at a path to w as it comes.
func (c *Client) Stream(ctx context.Context, path string, w io.Writer) (int64, error) {
	return c.gateway.Stream(ctx, path, w)
}

// Answer is the text of the answer at a path, such as "/blocks/25/header", to the
// byte. What it says is not looked into.
func (c *Client) Answer(ctx context.Context, path string) (string, error) {
	return c.gateway.Answer(ctx, path)
}
