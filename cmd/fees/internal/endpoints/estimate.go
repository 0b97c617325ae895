package endpoints

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/network"
)

const estimateManual = `Ask a node what a native extrinsic would cost: its weight, its class and its fee
without a tip. It is not sent: the node only weighs it. What it weighs is the most
that the call can use, so that the fee in the end can be less; it can be more
where the fee multiplier has risen.

A call is named with its arguments, as for fees tx build, and with --from who would
sign it. Beside its native fee stand: what the same transfer costs by the EVM, by
the node's gas estimate and the price that follows from the chain's rule; what
priority costs in both layers, by what was paid in recent blocks; and by --blocks
the hours of the newest blocks, the cheapest first. The pool orders by the fee for
each unit of gas, for EVM transactions by their priority fee, and also by how long
a transaction is valid. --then-watch waits until the call is in a final block,
signed by that account, and compares the estimate with what was charged.

Or a signed extrinsic is given, encoded in 0x-hex: with --extrinsic, in a file with
@FILE, or on standard input with - (payment_queryInfo). Then the fees are those in
force on the state of the newest block, or of that of --at.`

const estimateExamples = `  fees estimate balances.transferAllowDeath 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 1.5GLMR \
      --from 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac --blocks 1200 --node ws://127.0.0.1:9944
  fees estimate --extrinsic 0x4d028400... --node ws://127.0.0.1:9944
  fees estimate --extrinsic @transfer.hex --format json
  fees estimate --extrinsic - < transfer.hex
  fees estimate --extrinsic @transfer.hex --at 0x8a6106317772a661efcdabc6803822782030b7d040428e9caf4f7dd8beceb75f`

// maxExtrinsicBytes is more than a block's worth of extrinsic in hex.
const maxExtrinsicBytes = 32 << 20

var estimateNotes = []string{
	"the fee is without a tip, which comes on top",
	"nothing was signed or sent",
}

// estimateFlags are the flags of fees estimate.
type estimateFlags struct {
	cli.NodeFlags
	cli.Output
	extrinsic, at string
	call          callFlags
}

func newEstimate() *cobra.Command {
	var f estimateFlags
	c := cli.New(&cobra.Command{
		Use: "estimate <pallet.call> [argument]... | --extrinsic <0x…|@FILE|->", Short: "What an action would cost: natively, by the EVM, with priority",
		Long: estimateManual, Example: estimateExamples, RunE: f.estimate,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && (f.extrinsic != "" || strings.HasPrefix(args[0], "0x")) {
				return cli.NoArgument("--extrinsic takes the extrinsic")(c, args)
			}
			return nil
		},
	}, f.NodeFlags.Add, f.Forms("table", "json"))
	c.Flags().StringVar(&f.extrinsic, "extrinsic", "", "the signed extrinsic in 0x-hex; @FILE reads a file, - standard input")
	f.call.add(c)
	c.Flags().StringVar(&f.at, "at", "", "of --extrinsic: on the state of the block with this hash (default: the newest)")
	return c
}

// readExtrinsic is the text of the flag, or what stands in the file that it names.
func readExtrinsic(ctx context.Context, said string, stdin io.Reader) (string, error) {
	var content []byte
	var err error
	path, isFile := strings.CutPrefix(said, "@")
	switch {
	case said == "":
		return "", errors.New("which extrinsic? name a call and its arguments, or give it with --extrinsic, encoded in 0x-hex")
	case isFile:
		content, err = app.ReadSmallFile(path, maxExtrinsicBytes)
	case said == "-":
		content, err = readInput(ctx, stdin, maxExtrinsicBytes)
	default:
		content = []byte(said)
	}
	if err != nil {
		return "", fmt.Errorf("--extrinsic: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}

// readInput reads standard input of at most that many bytes, which may never end, for as long
// as ctx lasts.
func readInput(ctx context.Context, stdin io.Reader, limit int64) ([]byte, error) {
	return cli.Await(ctx, func() ([]byte, error) { return app.ReadAtMost(stdin, "standard input", limit) })
}

func (f *estimateFlags) estimate(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return f.estimateCall(c, args)
	}
	ctx := c.Context()
	encoded, err := readExtrinsic(ctx, f.extrinsic, c.InOrStdin())
	if err != nil {
		return err
	}
	var at chain.Optional[chain.Hash]
	if f.at != "" {
		hash, err := chain.ParseHash(f.at)
		if err != nil {
			return fmt.Errorf("--at: %w", err)
		}
		at = chain.Some(hash)
	}
	client, err := f.Client()
	if err != nil {
		return err
	}
	info, err := client.QueryInfo(ctx, encoded, at)
	if err != nil {
		return err
	}
	symbol, err := symbolOf(ctx, client, at)
	if err != nil {
		return err
	}
	r := infoRecord(asked{}, info)
	if !symbol.Known() { // nor are the token's decimals
		r.Set("partial_fee_token", nil)
	}
	return f.Show(cli.Answer{JSON: append(r, cli.Field{"symbol", symbol}, cli.Field{"at", at}, cli.Field{"notes", estimateNotes}), Text: func(page *console.Page) {
		fee := info.PartialFee.String() + " wei"
		if name, known := symbol.Get(); known {
			fee = fmt.Sprintf("%s %s = %s", console.Tokens(info.PartialFee), name, fee)
		}
		var pairs console.Pairs
		pairs.Add("fee", fee)
		pairs.Add("weight", fmt.Sprintf("%v of ref time, %d of proof size", info.Weight.RefTime, info.Weight.ProofSize))
		pairs.Add("class", cli.Name(info.Class, cli.MostName))
		page.Pairs(pairs)
		page.WriteString("\n")
		for _, note := range estimateNotes {
			page.Line("note: "+note, 2)
		}
	}})
}

// symbolOf is the symbol of the node's token, where its runtime says which network
// it is of and a table knows that.
func symbolOf(ctx context.Context, client *rpc.Client, at chain.Optional[chain.Hash]) (symbol chain.Optional[string], err error) {
	runtime, err := client.Runtime(ctx, at)
	if errors.Is(err, rpc.ErrNoMethod) {
		return symbol, nil
	}
	if err != nil {
		return symbol, err
	}
	n, _, err := network.BuiltIn().Find(network.Identity{SpecName: runtime.SpecName}, "")
	if err != nil {
		return symbol, nil
	}
	return chain.Some(n.Symbol), nil
}
