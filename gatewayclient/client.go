package gatewayclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/feeledger/fees/ask"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/sidecar"
	"github.com/feeledger/fees/wire"
)

// errNoEndpoint says that the gateway does not have the endpoint that was asked: it is a
// [chain.ErrNotOffered].
var errNoEndpoint error = noEndpoint{}

type noEndpoint struct{}

func (noEndpoint) Error() string { return "no such endpoint" }

func (noEndpoint) Unwrap() error { return chain.ErrNotOffered }

// Client asks one gateway. It is safe for use by several goroutines.
type Client struct {
	http    *ask.Client
	version atomic.Pointer[string] // what the gateway's paths begin with, nil until an answer told
}

// New returns a client of the gateway at address, an http or https URL. A user
// name and password in it are sent as basic authentication. Errors show the
// address without them, and without its path, where some providers have a key.
func New(address string, o ask.Options) (*Client, error) {
	u, err := url.Parse(address)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "") {
		return nil, fmt.Errorf("gateway address %s://%s: want http://host:port or https://host, without a query", u.Scheme, u.Host)
	}
	http, err := ask.New(ask.Gateway, address, o, "http", "https")
	if err != nil {
		return nil, err
	}
	return &Client{http: http}, nil
}

// Kept is not known: a gateway's chain grows.
func (c *Client) Kept() (none chain.Optional[chain.Heights], err error) { return none, nil }

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
	return c.block(ctx, path)
}

// Block is the block at a height.
func (c *Client) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := c.block(ctx, "/blocks/"+strconv.FormatUint(height, 10))
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", height, err)
	}
	if b.Number != height {
		return nil, fmt.Errorf("block %d: %w: it has number %d", height, chain.ErrWrongBlock, b.Number)
	}
	return b, nil
}

// BlockByHash is the block with that hash.
func (c *Client) BlockByHash(ctx context.Context, hash chain.Hash) (*chain.Block, error) {
	b, err := c.block(ctx, "/blocks/"+hash.String())
	if err != nil {
		return nil, fmt.Errorf("block %v: %w", hash, err)
	}
	if b.Hash != hash {
		return nil, fmt.Errorf("block %v: %w: it has hash %v", hash, chain.ErrWrongBlock, b.Hash)
	}
	return b, nil
}

func (c *Client) block(ctx context.Context, path string) (*chain.Block, error) {
	text, err := c.get(ctx, path)
	if err != nil {
		return nil, err
	}
	return sidecar.DecodeBlock(text)
}

// Multiplier is the fee multiplier that the block at a height left behind.
func (c *Client) Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	text, err := c.get(ctx, fmt.Sprintf("/pallets/transaction-payment/storage/nextFeeMultiplier?at=%d", at))
	if err != nil {
		return chain.AtBlock[chain.Multiplier]{}, fmt.Errorf("multiplier at block %d: %w", at, err)
	}
	m, err := sidecar.DecodeMultiplier(text)
	if err == nil && m.At != at {
		err = fmt.Errorf("%w: it is at block %d", chain.ErrWrongBlock, m.At)
	}
	if err != nil {
		return chain.AtBlock[chain.Multiplier]{}, fmt.Errorf("multiplier at block %d: %w", at, err)
	}
	return m, nil
}

// Runtime is the runtime that the block at a height left behind. It is
// [chain.ErrNotOffered] where the gateway cannot tell.
func (c *Client) Runtime(ctx context.Context, at uint64) (chain.AtBlock[chain.Runtime], error) {
	text, err := c.get(ctx, fmt.Sprintf("/runtime/spec?at=%d", at))
	if err != nil {
		return chain.AtBlock[chain.Runtime]{}, fmt.Errorf("runtime at block %d: %w", at, err)
	}
	r, err := sidecar.DecodeRuntime(text)
	if err == nil && r.At != at {
		err = fmt.Errorf("%w: it is at block %d", chain.ErrWrongBlock, r.At)
	}
	if err != nil {
		return chain.AtBlock[chain.Runtime]{}, fmt.Errorf("runtime at block %d: %w", at, err)
	}
	return r, nil
}

// NodeVersion is what the node behind the gateway is. It is [chain.ErrNotOffered]
// where the gateway cannot tell.
func (c *Client) NodeVersion(ctx context.Context) (chain.NodeVersion, error) {
	text, err := c.get(ctx, "/node/version")
	if err != nil {
		return chain.NodeVersion{}, fmt.Errorf("node version: %w", err)
	}
	return sidecar.DecodeNodeVersion(text)
}

// Answer is the text of the answer at a path, such as "/blocks/25/header", to the
// byte. What it says is not looked into.
func (c *Client) Answer(ctx context.Context, path string) (string, error) {
	return c.get(ctx, path)
}

// The prefixes that the paths of a gateway can have: none, and that of its
// successor (polkadot-rest-api); untested against a real one.
const (
	noVersion = ""
	version1  = "/v1"
)

// get returns the text of a JSON answer. The first answer tells whether the
// gateway's paths have a version: an unknown path is asked for once with it.
func (c *Client) get(ctx context.Context, path string) (string, error) {
	if version := c.version.Load(); version != nil {
		return c.text(ctx, *version, path)
	}
	version := noVersion
	text, err := c.text(ctx, version, path)
	if errors.Is(err, errNoEndpoint) {
		if versioned, versionedErr := c.text(ctx, version1, path); !errors.Is(versionedErr, errNoEndpoint) {
			text, err, version = versioned, versionedErr, version1
		}
	}
	if settles(text, err) {
		c.version.CompareAndSwap(nil, &version)
	}
	return text, err
}

// settles tells whether an answer is one of a gateway's, so that its path is a
// gateway's too. Anything can answer with status 200.
func settles(text string, err error) bool {
	if err != nil {
		return errors.Is(err, chain.ErrNoBlock)
	}
	_, notJSON := wire.Parse(text)
	return notJSON == nil
}

func (c *Client) text(ctx context.Context, version, path string) (text string, err error) {
	err = c.http.Ask(ctx, func(ctx context.Context) error {
		answer, err := c.http.Get(ctx, version+path)
		switch {
		case err != nil:
			return err
		case !answer.IsSuccess():
			return c.refusal(path, answer)
		case answer.Status == http.StatusNoContent:
			return &sidecar.DecodeError{What: "answer", Err: fmt.Errorf("GET %s: %w", path, errNoContent)}
		case answer.IsWebPage():
			return fmt.Errorf("GET %s: %w", path, c.http.WebPage())
		}
		text = answer.Text
		return nil
	})
	return text, err
}

var errNoContent = errors.New("status 204: there is nothing in it")

// The texts with which the real gateway says that there is no such block: the
// first for a height or hash that the chain does not have (status 500), the
// second for a height that is more than 32 bits (status 400).
var noBlockTexts = []string{
	"Unable to retrieve header and parent from supplied hash",
	"Specified block number is larger than the current largest block",
}

// The texts with which the real gateway says, with status 500, that it has no connection
// to its node.
var lostNodeTexts = []string{
	"WebSocket is not connected",
	"Failed while trying to get the latest header.",
}

// The texts with which a gateway says, with status 500 or 400, that it cannot answer a
// question, now or later: a key that it cannot read, a part of the chain that it does
// not know or that the runtime did not have, or what its library cannot decode.
var cannotTellTexts = []string{
	"Cannot map",
	"not supported",
	"createType(",
	"Unable to decode",
	"Unable to create Enum",
	"Unable to find Call",
	"Could not find storage item",
	"was not recognized as a queryable pallet",
	"the archive lacks it", // of fees archive serve
}

// cannotTell tells whether an answer with that status and message is final.
func cannotTell(status int, said string) bool {
	return (status == http.StatusInternalServerError || status == http.StatusBadRequest) &&
		slices.ContainsFunc(cannotTellTexts, func(text string) bool { return strings.Contains(said, text) })
}

// refusal is the error for an answer with a status that is no success.
func (c *Client) refusal(path string, answer ask.Answer) error {
	body, notJSON := wire.Parse(answer.Text)
	said, _ := body.Member("message").Text()
	for _, text := range noBlockTexts {
		if strings.HasPrefix(said, text) {
			return chain.ErrNoBlock
		}
	}
	err := c.http.Refused(path, answer.Status, answer.Header, wire.Excerpt(said))
	err.LostNode = answer.Status == http.StatusInternalServerError && slices.Contains(lostNodeTexts, said)
	switch {
	case cannotTell(answer.Status, said):
		return fmt.Errorf("%w: %w", chain.ErrCannotTell, err)
	case answer.Status != http.StatusNotFound:
		return err
	case notJSON == nil: // the gateway's successor says so of a block; an unknown route is a web page
		return fmt.Errorf("%w: %w", chain.ErrNoBlock, err)
	}
	return fmt.Errorf("%w: %w", errNoEndpoint, err)
}
