package endpoints

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/disk"
)

const estimateManual = `Estimate the fee of a native extrinsic: its weight, class and fee without a
tip. The node weighs it; nothing is sent. The weight is the maximum that the
call can use, so the final fee can be lower. It can be higher if the fee
multiplier has risen.

Name a call with its arguments, as for fees tx build, and the signer with
--from. The result also shows the EVM fee of the same transfer (by the node's
gas estimate and the chain's rule for the price), the price of priority in both
layers (from recent blocks), and with --blocks the hours of the newest blocks,
cheapest first. The pool orders by fee per unit of gas, for EVM transactions by
priority fee, and by how long a transaction stays valid. --then-watch waits
until the call is in a final block, signed by that account, and compares the
estimate with what was charged.

Or pass a signed extrinsic in 0x-hex with --extrinsic, from a file with @FILE,
or from standard input with - (payment_queryInfo). Its fee is computed on the
state of the newest block, or of --at.`

const estimateExamples = `  fees estimate balances.transferAllowDeath 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 1.5GLMR \
      --from 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac --blocks 1200 --node ws://127.0.0.1:9944
  fees estimate --extrinsic 0x4d028400... --node ws://127.0.0.1:9944
  fees estimate --extrinsic @transfer.hex --format json
  fees estimate --extrinsic - < transfer.hex
  fees estimate --extrinsic @transfer.hex --at 0x8a6106317772a661efcdabc6803822782030b7d040428e9caf4f7dd8beceb75f`

// maxExtrinsicBytes exceeds the hex of any extrinsic that fits in a block.
const maxExtrinsicBytes = 32 << 20

var estimateNotes = []string{
	"the fee excludes the tip",
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
		Use: "estimate <pallet.call> [argument]... | --extrinsic <0x…|@FILE|->", Short: "Estimate a fee: native, EVM, and with priority",
		Long: estimateManual, Example: estimateExamples, RunE: f.estimate,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && (f.extrinsic != "" || strings.HasPrefix(args[0], "0x")) {
				return cli.NoArgument("pass the extrinsic with --extrinsic")(c, args)
			}
			return nil
		},
	}, f.NodeFlags.Add, f.Forms("table", "json"))
	c.Flags().StringVar(&f.extrinsic, "extrinsic", "", "the signed extrinsic in 0x-hex; @FILE reads a file, - standard input")
	f.call.add(c)
	c.Flags().StringVar(&f.at, "at", "", "for --extrinsic, the hash of the block whose state to use (default: the newest)")
	return c
}

// readExtrinsic returns the text of the flag, or the contents of the file that it names.
func readExtrinsic(ctx context.Context, value string, stdin io.Reader) (string, error) {
	var content []byte
	var err error
	path, isFile := strings.CutPrefix(value, "@")
	switch {
	case value == "":
		return "", errors.New("no extrinsic is given; name a call and its arguments, or pass an extrinsic in 0x-hex with --extrinsic")
	case isFile:
		content, err = disk.ReadSmall(path, maxExtrinsicBytes)
	case value == "-":
		content, err = readInput(ctx, stdin, maxExtrinsicBytes)
	default:
		content = []byte(value)
	}
	if err != nil {
		return "", fmt.Errorf("--extrinsic: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}

// readInput reads at most limit bytes of standard input, until ctx ends.
func readInput(ctx context.Context, stdin io.Reader, limit int64) ([]byte, error) {
	return cli.Await(ctx, func() ([]byte, error) { return disk.ReadAtMost(stdin, "standard input", limit) })
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
	info, err := app.EstimateExtrinsic(ctx, client, encoded, at)
	if err != nil {
		return err
	}
	fee := info.PartialFee.String() + " of the smallest unit"
	var tokens, symbol chain.Optional[string]
	if t, known := info.Token.Get(); known {
		tokens, symbol = chain.Some(t.Tokens(info.PartialFee)), chain.Some(t.Symbol)
		fee = fmt.Sprintf("%s %s = %v %s", t.Tokens(info.PartialFee), t.Symbol, info.PartialFee, t.Unit())
	}
	r := slices.Insert(infoRecord(arguments{}, info.DispatchInfo), 1, cli.Field{"partial_fee_token", tokens})
	return f.Show(cli.Answer{JSON: append(r, cli.Field{"symbol", symbol}, cli.Field{"at", at}, cli.Field{"notes", estimateNotes}), Text: func(page *console.Page) {
		var pairs console.Pairs
		pairs.Add("fee", fee)
		pairs.Add("weight", fmt.Sprintf("%v of ref time, %d of proof size", info.Weight.RefTime, info.Weight.ProofSize))
		pairs.Add("class", cli.Name(info.Class, cli.MaxName))
		page.Pairs(pairs)
		page.Notes(estimateNotes)
	}})
}
