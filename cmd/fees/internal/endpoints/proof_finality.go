package endpoints

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/sys/plain"
)

const proofFinalityManual = `Check offline that a block is final, from a trusted set of validators: their
signatures, the sets that follow, a parachain's head in the state of its relay
chain, and a value in a block's state. The output lists each link. If one fails,
it is named, and the exit code is 1.

FILE is JSON; - is standard input. Each member after "root" is optional:

  root   setId, with authorities or authoritiesFromScheduledChangeOf (the header
         that announces the set); or lightSyncState of a chain specification
  steps  final blocks, the lowest first: header, justification, ancestors
  relay  one more final block, the highest: header, justification, ancestors
  para   a parachain: id, key, readProof, ancestors
  state  a value: at (the hash of a block proved before), key, readProof

Bytes are 0x-hex of SCALE. readProof is a node's response to state_getReadProof.

The root needs trust. Compare its set ID and the hash of its list with another
source, or pass your own file with --trust-set: a root, or a chain
specification, whose checkpoint is preferred to its genesis. If you trust the
hash of a relay block instead, pass it with --trust: the evidence then needs no
root and no justification. "final" is false then, though the exit code is 0.`

const proofFinalityExamples = `  fees proof finality evidence.json
  fees proof finality evidence.json --json
  fees proof finality evidence.json --trust-set polkadot.json
  fees proof finality evidence.json --trust 32492252:0xcb4d5e64...`

// finalityFlags are the flags of fees proof finality.
type finalityFlags struct {
	cli.Output
	json     bool
	trustSet string
	trust    string
	forced   bool
}

func newProofFinality() *cobra.Command {
	var f finalityFlags
	c := cli.New(&cobra.Command{
		Use: "finality <FILE|->", Short: "Check that a block is final, by validators' signatures", Long: proofFinalityManual, Example: proofFinalityExamples,
		Args: cli.OneArg("a file, or - for standard input"), RunE: f.check,
	}, f.Forms("table", "json"))
	c.Flags().BoolVar(&f.json, "json", false, "short for --format json")
	c.Flags().StringVar(&f.trustSet, "trust-set", "", "trust the set of validators in this `FILE`, not the evidence's root")
	c.Flags().StringVar(&f.trust, "trust", "", "trust this relay block, not validators: `HEIGHT:HASH`")
	c.Flags().BoolVar(&f.forced, "forced", false, "follow forced changes of the set, which need more trust")
	c.MarkFlagsMutuallyExclusive("trust-set", "trust")
	return c
}

func (f *finalityFlags) check(c *cobra.Command, args []string) error {
	if f.json {
		f.Format = "json"
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	text, err := readFileOrInput(c.Context(), args[0], c.InOrStdin(), app.MaxFinality)
	if err != nil {
		return err
	}
	r, err := app.ProveFinality(c.Context(), text, options)
	if ctxErr := c.Context().Err(); ctxErr != nil {
		return ctxErr
	}
	if err != nil && f.Format == "json" {
		fmt.Fprintf(c.ErrOrStderr(), "fees: not proved final: %s\n", plain.Line(err.Error()))
	}
	return f.Show(cli.Answer{JSON: finalityRecord(&r, err), Text: func(page *console.Page) { writeFinality(page, &r, err) }, Finding: err != nil})
}

func (f *finalityFlags) options() (o app.FinalityOptions, err error) {
	o.AcceptForced = f.forced
	if f.trust != "" {
		anchor, err := chain.ParseAnchor(f.trust)
		if err != nil {
			return o, fmt.Errorf("--trust: %w", err)
		}
		o.Trust = chain.Some(anchor)
	}
	o.Root, err = cli.ReadTrustSet(f.trustSet)
	return o, err
}

// readFileOrInput reads a file, or standard input for "-".
func readFileOrInput(ctx context.Context, path string, stdin io.Reader, limit int64) ([]byte, error) {
	if path == "-" {
		return readInput(ctx, stdin, limit)
	}
	return disk.ReadSmall(path, limit)
}

// finalityRecord is the result in JSON. Set IDs are strings: they have 64 bits.
func finalityRecord(r *app.FinalityProof, failed error) cli.Record {
	links, sets := []cli.Record{}, []string{}
	for _, l := range r.Links {
		link := cli.Record{{"kind", l.Kind}, {"number", nil}, {"hash", nil}, {"set", nil}, {"text", l.Reason}}
		if block, has := l.Block.Get(); has {
			link.Set("number", block.Height)
			link.Set("hash", block.Hash)
		}
		if id, has := l.Set.Get(); has {
			link.Set("set", strconv.FormatUint(id, 10))
		}
		links = append(links, link)
	}
	for _, id := range r.Sets {
		sets = append(sets, strconv.FormatUint(id, 10))
	}
	out := cli.Record{{"final", r.Final}, {"chain", links}, {"sets", sets}, {"target", nil}, {"number", nil}, {"head", nil}, {"state", nil}, {"reason", nil}}
	if target, has := r.Target.Get(); has {
		out.Set("target", target.Hash)
		out.Set("number", target.Height)
	}
	if head, has := r.Head.Get(); has {
		out.Set("head", cli.Record{{"para", head.Para}, {"number", head.Height}, {"hash", head.Hash}})
	}
	if v, has := r.Value.Get(); has {
		state := cli.Record{{"number", v.At.Height}, {"hash", v.At.Hash}, {"key", app.HexBytes(v.Key)}, {"value", nil}}
		if v.Has {
			state.Set("value", app.HexBytes(v.Bytes))
		}
		out.Set("state", state)
	}
	if failed != nil {
		out.Set("reason", failed.Error())
	}
	return out
}

// maxShownBytes is the number of bytes of a value that text shows; JSON has all.
const maxShownBytes = 64

// writeFinality writes the verdict, what is proved, and the links.
func writeFinality(page *console.Page, r *app.FinalityProof, failed error) {
	target, _ := r.Target.Get()
	var pairs console.Pairs
	switch {
	case failed != nil:
		pairs.Add("final", "not proved: "+failed.Error())
	case !r.Final:
		pairs.Add("final", "not proved: the block is trusted (--trust)")
	default:
		pairs.Add("final", "proved")
	}
	if r.Target.Known() {
		pairs.Add("block", strconv.FormatUint(target.Height, 10))
		pairs.Add("hash", target.Hash.String())
	}
	if head, has := r.Head.Get(); has {
		pairs.Add("parachain", strconv.FormatUint(uint64(head.Para), 10))
		pairs.Add("head", strconv.FormatUint(head.Height, 10))
		pairs.Add("head's hash", head.Hash.String())
	}
	if v, has := r.Value.Get(); has {
		pairs.Add("state of", strconv.FormatUint(v.At.Height, 10))
		pairs.Add("key", app.HexBytes(v.Key).String())
		pairs.Add("value", shownValue(v.Bytes, v.Has))
	}
	page.Pairs(pairs)
	for i, l := range r.Links {
		if i == 0 {
			page.WriteString("\n")
		}
		number := strconv.Itoa(i+1) + "  "
		page.Line(number+plain.Line(l.Reason), len(number))
	}
}

// shownValue shortens a long value.
func shownValue(value app.HexBytes, has bool) string {
	switch {
	case !has:
		return "absent"
	case len(value) > maxShownBytes:
		return fmt.Sprintf("%v... (%d bytes; --json shows all)", value[:maxShownBytes], len(value))
	}
	return value.String()
}
