package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/archive"
	"github.com/feeledger/fees/archive/demo"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/nodeclient"
	"github.com/feeledger/fees/sidecar"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/wire"
)

const suggestManual = `Suggest maxFeePerGas and maxPriorityFeePerGas for the next block: a slow, a
normal and a fast bid, with the reasons for each.

The node (--node, or FEES_NODE) is asked for the fee history of its newest
blocks (eth_feeHistory). Where it does not have that method, or no node is
named, the gateway is asked instead: the base fee of the block after the
newest final one follows from the network's rule, and the priority fees from
the EVM transactions of recent blocks.

The priority fee is the median, over the blocks in which gas was used, of the
10th, 50th or 90th percentile of each block's gas. The max fee is that plus
the base fee with headroom for it to rise: 1.125, 1.5 or 2 times, and none
where it is static. What a transaction is charged is base fee + priority fee,
so that headroom costs nothing while the base fee stays.

An API key goes to the node where one is named, and else to the gateway.`

const suggestExamples = `  fees suggest --node http://127.0.0.1:9944
  fees suggest --gateway http://127.0.0.1:8080 --blocks 50
  fees suggest --gateway demo --format json`

// The blocks that are looked at: those of a few minutes by default, and at most
// those that a node has for the asking.
const (
	defaultRecent = 20
	mostRecent    = 1023
)

// suggestFlags are the flags of fees suggest.
type suggestFlags struct {
	gatewayFlags
	output
	node        string
	network     string
	networkFile string
	unfinalized bool
	blocks      uint64
	tables      network.Tables
}

func newSuggest(stdout, stderr io.Writer) *cobra.Command {
	flags := suggestFlags{output: output{stdout: stdout}}
	c := &cobra.Command{
		Use:     "suggest",
		Short:   "What to bid for gas in the next block, and why",
		Long:    suggestManual,
		Example: suggestExamples,
		Args:    noArgument("fees suggest --help explains"),
		RunE: func(c *cobra.Command, _ []string) error {
			return suggest(c.Context(), flags, stderr)
		},
	}
	flags.gatewayFlags.add(c, "where blocks come from without a node: a gateway's URL, a directory of recordings, or demo")
	flags.output.add(c, "table", "json")
	f := c.Flags()
	f.StringVar(&flags.node, "node", "", "the node's URL: http, https, ws or wss (default: FEES_NODE)")
	f.StringVar(&flags.network, "network", "", "the network, where node or gateway do not tell; an error if they tell another")
	f.StringVar(&flags.networkFile, "network-file", "", "a file with network tables of your own, as fees networks --format json prints them")
	f.BoolVar(&flags.unfinalized, "unfinalized", false, "go by the gateway's newest block, final or not")
	f.Uint64Var(&flags.blocks, "blocks", defaultRecent, "look at the priority fees of this many recent blocks")
	complete(c, "gateway", demo.Name)
	complete(c, "network", network.BuiltIn().Names()...)
	return c
}

func suggest(ctx context.Context, flags suggestFlags, stderr io.Writer) (err error) {
	if err := flags.output.check(); err != nil {
		return err
	}
	if flags.blocks == 0 || flags.blocks > mostRecent {
		return fmt.Errorf("--blocks %d: want a number from 1 to %d", flags.blocks, mostRecent)
	}
	if flags.tables, err = loadTables(flags.networkFile); err != nil {
		return err
	}
	s, err := flags.ask(ctx, stderr)
	if err != nil {
		return err
	}
	if err := flags.output.write(func(w io.Writer) error {
		if flags.format == "json" {
			return writeJSON(w, s.record())
		}
		return s.writeTable(w, flags.width())
	}); err != nil {
		return err
	}
	if !s.certain {
		return errFinding
	}
	return nil
}

// ask asks the node, and the gateway where there is no node or where it has no
// fee history.
func (f *suggestFlags) ask(ctx context.Context, stderr io.Writer) (*suggestion, error) {
	node := nodeFlags{node: f.node, connectionFlags: f.connectionFlags}
	switch address, err := nodeAddress(f.node); {
	case err != nil:
		return nil, err
	case address == "":
		return f.askGateway(ctx, stderr, "no node is named with --node or FEES_NODE: the figures are from the gateway's blocks")
	}
	client, err := node.client()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	s, err := f.askNode(ctx, client)
	why := ""
	switch {
	case errors.Is(err, nodeclient.ErrNoMethod):
		why = "the node does not have eth_feeHistory"
	case errors.Is(err, errNoHistory):
		why = "the node's eth_feeHistory has no blocks"
	default:
		return s, err
	}
	f.withoutKey = true // it is for the node
	if s, err = f.askGateway(ctx, stderr, why+": the figures are from the gateway's blocks"); err != nil {
		return nil, fmt.Errorf("%s, and of the gateway: %w", why, err)
	}
	return s, nil
}

// errNoHistory says that a node has the method but no block: it keeps those since
// it was started.
var errNoHistory = errors.New("the fee history is empty")

func (f *suggestFlags) askNode(ctx context.Context, client *nodeclient.Client) (*suggestion, error) {
	var percentiles []float64
	for _, p := range fee.Percentiles() {
		percentiles = append(percentiles, float64(p))
	}
	history, err := client.FeeHistory(ctx, f.blocks, "latest", percentiles)
	if err != nil {
		return nil, err
	}
	base, known := history.NextBaseFee().Get()
	if !known {
		return nil, errNoHistory
	}
	s := &suggestion{from: fromNode, certain: true, blocks: len(history.GasUsedRatio)}
	if have := uint64(s.blocks); have == f.blocks {
		s.newest = chain.Some(history.OldestBlock + have - 1)
	} else { // some are left out, and it does not say which
		s.notes = append(s.notes, fmt.Sprintf("the node has %d of the %d blocks that were asked for", have, f.blocks))
	}
	s.market.BaseFeePerGas = base
	for i := range history.GasUsedRatio {
		if !history.Empty(i) {
			s.market.PriorityFees = append(s.market.PriorityFees, history.Reward[i])
		}
	}
	if err := f.addRules(ctx, client, s); err != nil {
		return nil, err
	}
	if s.bids, err = fee.Suggest(s.market); err != nil {
		return nil, &nodeclient.DecodeError{What: "fee history", Err: err}
	}
	return s, nil
}

// addRules adds what the table says of the runtime that the node has now. Where
// the node or the tables do not tell, the bids do without it.
func (f *suggestFlags) addRules(ctx context.Context, client *nodeclient.Client, s *suggestion) error {
	runtime, err := client.Runtime(ctx, chain.Optional[chain.Hash]{})
	without := func(why string) error {
		s.notes = append(s.notes, why+": the network's minimum gas price is not known, and the base fee is taken to move")
		return nil
	}
	if errors.Is(err, nodeclient.ErrNoMethod) {
		return without("the node does not tell its runtime")
	}
	if err != nil {
		return err
	}
	n, note, err := f.tables.Find(network.Identity{SpecName: runtime.SpecName}, f.network)
	if errors.Is(err, network.ErrUnknownNetwork) && f.network == "" {
		return without(fmt.Sprintf("no table knows the node's network %q", wire.Excerpt(runtime.SpecName)))
	}
	if errors.Is(err, network.ErrConflict) {
		return fmt.Errorf("%w: --network says %s, the node says %s; leave --network out, or ask another node", network.ErrConflict, f.network, wire.Excerpt(runtime.SpecName))
	}
	if err != nil {
		return err
	}
	rules, err := n.Rules(runtime.SpecVersion)
	if errors.Is(err, network.ErrUnknownRuntime) {
		return without(fmt.Sprintf("no table knows the node's runtime %d", runtime.SpecVersion))
	}
	if err != nil {
		return err
	}
	if note != "" {
		rules.Notes = append(rules.Notes, fmt.Sprintf("the node calls its network %q: taken as %s, as --network says", wire.Excerpt(runtime.SpecName), n.Name))
	}
	s.govern(rules)
	return nil
}

func (f *suggestFlags) askGateway(ctx context.Context, stderr io.Writer, why string) (*suggestion, error) {
	src, err := f.open()
	if err != nil {
		return nil, err
	}
	reader := &source.Reader{Source: src, Tables: f.tables, Network: f.network, Unfinalized: f.unfinalized}
	stop := waiting(stderr, f.place(), false)
	defer stop()
	head, err := reader.Next(ctx, source.Ref{})
	if err != nil {
		return nil, err
	}
	s := &suggestion{from: fromGateway, notes: []string{why}, newest: chain.Some(head.Block.Number), multiplier: head.Multiplier}
	s.govern(head.Rules)
	var value chain.Optional[chain.Multiplier]
	if m, ok := head.Multiplier.Get(); ok {
		value = chain.Some(m.Value)
	}
	base, err := evm.BaseFeePerGas(head.Rules.BaseFee, value)
	if err != nil {
		return nil, malformedPrices(err)
	}
	s.market.BaseFeePerGas, _ = base.Get() // Next has the multiplier where it is needed
	if err := s.lookBack(ctx, reader, head.Block.Number, f.blocks); err != nil {
		return nil, err
	}
	if s.bids, err = fee.Suggest(s.market); err != nil {
		return nil, malformedPrices(err)
	}
	return s, nil
}

// malformedPrices is for prices that no chain can have charged.
func malformedPrices(err error) error {
	return &sidecar.DecodeError{What: "prices of recent blocks", Err: err}
}

// mostAhead is how many recent blocks are read at the same time.
const mostAhead = 8

// lookBack finds the priority fees of the blocks up to the head. Block 0 has no
// transactions.
func (s *suggestion) lookBack(ctx context.Context, reader *source.Reader, head, blocks uint64) error {
	if head == 0 {
		return nil
	}
	first := head + 1 - min(blocks, head)
	if kept, ok := reader.Source.(*archive.Archive); ok {
		lowest, _, err := kept.Range()
		if err != nil {
			return err
		}
		if lowest > first {
			first = lowest
			s.notes = append(s.notes, fmt.Sprintf("the recordings begin at block %d: they have %d of the %d blocks that were asked for", lowest, head+1-lowest, blocks))
		}
	}
	passed := 0
	for item, err := range reader.Range(ctx, source.Range{First: first, Last: head}, mostAhead) {
		if err != nil {
			return err
		}
		s.blocks++
		report := fee.Price(item.Block, item.Rules, item.Multiplier)
		prices, counted, err := fee.PriorityFees(report)
		if err != nil {
			return malformedPrices(err)
		}
		s.transactions += counted
		passed += report.Totals.EVM - counted
		if counted > 0 {
			s.market.PriorityFees = append(s.market.PriorityFees, prices)
		}
	}
	if passed > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d EVM transactions are not counted: their priority fee is not known", passed))
	}
	return nil
}
