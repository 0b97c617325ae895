package cli

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/source"
)

// HeadFlags configure how new blocks are detected.
type HeadFlags struct {
	poll  time.Duration
	Quiet bool
	same  *app.SameChain // compares gateway and node, nil without a node; set by Open
}

// defaultPoll is half the shortest block time of a parachain.
const defaultPoll = 3 * time.Second

// Add adds the flags.
func (f *HeadFlags) Add(c *cobra.Command) {
	c.Flags().Lookup("node").Usage = "the ws or wss URL of a node that announces final blocks (default: FEES_NODE, else the gateway is polled)"
	c.Flags().DurationVar(&f.poll, "poll", defaultPoll, "without a node, poll the gateway this often")
	c.Flags().BoolVar(&f.Quiet, "quiet", false, "do not report what the command waits for")
}

// Options returns how to follow the chain. What the command waits for is reported on standard error.
func (f *HeadFlags) Options(gateway *SourceFlags, stderr io.Writer) (source.FollowOptions, error) {
	o := source.FollowOptions{Concurrency: httpclient.DefaultConcurrency}
	if f.poll <= 0 {
		return o, fmt.Errorf("--poll %v must be more than 0, such as %v", f.poll, defaultPoll)
	}
	o.Doubt = func(ctx context.Context) error {
		if f.same == nil {
			return nil
		}
		_, err := f.same.Check(ctx)
		return err
	}
	if gateway.node == "" {
		o.Patience = max(source.DefaultPatience, 2*f.poll)
	}
	if !f.Quiet {
		o.Trouble = func(err error) { fmt.Fprintf(stderr, "fees: waiting: %s\n", plain.Line(err.Error())) }
	}
	return o, nil
}

// Open opens the gateway and the heads, which come from the node if one is named, otherwise from the
// gateway. end stops them.
func (f *HeadFlags) Open(gateway *SourceFlags) (reader *source.Reader, heads source.Heads, end func(), err error) {
	if reader, err = gateway.Reader(); err != nil {
		return nil, nil, nil, err
	}
	address, _ := NodeAddress(gateway.node) // NodeBeside reports the error
	if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return nil, nil, nil, fmt.Errorf("--node or FEES_NODE: %w", rpc.ErrNoSubscriptions)
	}
	node, same, err := gateway.NodeBeside(reader.Source)
	if err != nil {
		return nil, nil, nil, err
	}
	if node == nil {
		return reader, source.HeadsOf(reader.Source, f.poll), func() {}, nil
	}
	f.same = same
	return reader, nodeHeads(node, same), func() { node.Close() }, nil
}

// NodeBeside returns the node named by --node or the environment, nil if none is, and the check that it
// is on the gateway's chain. The node does not get the API key.
func (f *SourceFlags) NodeBeside(gateway source.Source) (*rpc.Client, *app.SameChain, error) {
	address, err := NodeAddress(f.node)
	if err != nil || address == "" {
		return nil, nil, err
	}
	c, err := f.Connection()
	if err != nil {
		return nil, nil, err
	}
	node, err := rpc.New(address, httpclient.Options{Total: c.Timeout, RootCAs: c.RootCAs, Observer: f.Observer})
	return node, &app.SameChain{Source: gateway, Node: node, Place: ShownPlace(f.Place()), NodeAt: ShownPlace(address)}, err
}

// nodeHeads returns the final heads of a node, which must be on the gateway's chain.
func nodeHeads(node *rpc.Client, same *app.SameChain) source.Heads {
	return func(ctx context.Context) iter.Seq2[chain.Head, error] {
		return func(yield func(chain.Head, error) bool) {
			known := false
			for h, err := range node.SubscribeFinalizedHeads(ctx) {
				if rpc.Temporary(err) {
					err = &source.TemporaryError{Err: err}
				}
				if err == nil && !known {
					known, err = same.Check(ctx)
				}
				if !yield(chain.Head{Number: h.Number, Hash: h.Hash}, err) {
					return
				}
			}
		}
	}
}
