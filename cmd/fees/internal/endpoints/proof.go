package endpoints

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
)

const proofManual = `Check a state proof: evidence of what a block's state contains at a key,
verified against the state root in the block's header. A node returns such a
proof for state_getReadProof.`

const proofExamples = `  fees proof check proof.json --root 0xe5c3... --key 0x3f14...`

const proofCheckManual = `Check a state proof against a state root, and show the value of each key, or
"absent", which is proved as well. If the proof does not cover a key, the
reason is shown instead of the value, and the exit code is 1.

FILE contains the proof as a node returns it for state_getReadProof: the whole
response, its result, an object with "proof", an array of such objects, or the
array of nodes; - is standard input. Extra nodes are ignored. The file is not
trusted: everything follows from the root. fees node header HASH shows the
state root of a block; make sure that the block is the chain's.

JSON has null for an absent key, and is only written if all keys are proved.`

const proofCheckExamples = `  fees node call state_getReadProof '["0x3f14..."]' 0xef08... \
      --format json > proof.json
  fees proof check proof.json --root 0xe5c3... --key 0x3f14...
  fees proof check proof.json --root 0xe5c3... --key 0x3f14... --key 0x26aa...
  fees proof check - --root 0xe5c3... --key 0x3f14... --format json <proof.json`

// maxProofBytes fits a proof of the runtime's code, the largest value of a state.
const maxProofBytes = 16 << 20

func newProof() *cobra.Command {
	return cli.NewParent(&cobra.Command{Use: "proof", Short: "Check a state proof from a node", Long: proofManual, Example: proofExamples},
		"unknown command %q; fees proof --help lists the commands", newProofCheck(), newProofFinality())
}

// proofFlags are the flags of fees proof check.
type proofFlags struct {
	cli.Output
	root string
	keys []string
}

func newProofCheck() *cobra.Command {
	var f proofFlags
	c := cli.New(&cobra.Command{
		Use: "check <FILE|-> --root 0x… --key 0x…", Short: "Check a state proof against a state root", Long: proofCheckManual, Example: proofCheckExamples,
		Args: cli.OneArg("a file, or - for standard input"), RunE: f.check,
	}, f.Forms("table", "json"))
	c.Flags().StringVar(&f.root, "root", "", "the state root, 0x and 64 hex digits")
	c.Flags().StringArrayVar(&f.keys, "key", nil, "a storage key in 0x-hex; repeat for several")
	return c
}

func (f *proofFlags) check(c *cobra.Command, args []string) error {
	root, keys, err := readProofKeys(f.root, f.keys)
	if err != nil {
		return err
	}
	path := args[0]
	content, err := readFileOrInput(c.Context(), path, c.InOrStdin(), maxProofBytes)
	if err != nil {
		return err
	}
	list, err := app.CheckStateProof(content, root, keys)
	if err != nil {
		if path == "-" {
			path = "standard input"
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	return writeProved(list, &f.Output, c.ErrOrStderr())
}

// readProofKeys parses a state root and the keys to check.
func readProofKeys(root string, keys []string) (hash chain.Hash, list [][]byte, err error) {
	if root == "" {
		return hash, nil, errors.New("--root is missing; pass the block's state root, as shown by fees node header HASH")
	}
	if hash, err = chain.ParseHash(root); err != nil {
		return hash, nil, fmt.Errorf("--root: %w", err)
	}
	if len(keys) == 0 {
		return hash, nil, errors.New("--key is missing; pass a storage key in 0x-hex")
	}
	for _, text := range keys {
		digits, prefixed := strings.CutPrefix(text, "0x")
		key, err := hex.DecodeString(digits)
		if !prefixed || err != nil {
			return hash, nil, fmt.Errorf("--key %q must be 0x and pairs of hex digits", text)
		}
		list = append(list, key)
	}
	return hash, list, nil
}

// writeProved shows the results. It returns [cli.ErrFinding] if a key is not proved.
func writeProved(list []app.ProvedKey, out *cli.Output, stderr io.Writer) error {
	a := cli.Answer{Text: func(page *console.Page) { writeProvedText(page, list) }}
	values := []cli.Record{}
	for _, p := range list {
		values = append(values, cli.Record{{"key", p.Key}, {"value", p.Value}})
		if p.Err != nil {
			a.Finding = true
			if out.Format == "json" {
				fmt.Fprintf(stderr, "fees: key %v: %s\n", p.Key, shownProof(p))
			}
		}
	}
	if out.Format == "json" && a.Finding { // null would say that a key is absent
		return cli.ErrFinding
	}
	a.JSON = cli.Record{{"values", values}}
	return out.Show(a)
}

// writeProvedText writes keys and values as text, in full; only the reason why a value is not proved is wrapped.
func writeProvedText(page *console.Page, list []app.ProvedKey) {
	for i, p := range list {
		if i > 0 {
			page.WriteString("\n")
		}
		fmt.Fprintf(page, "key    %v\nvalue  ", p.Key)
		if p.Err != nil {
			page.Line(shownProof(p), len("value  "))
		} else {
			fmt.Fprintln(page, shownProof(p))
		}
	}
}

func shownProof(p app.ProvedKey) string {
	value, has := p.Value.Get()
	switch {
	case p.Err != nil:
		return "not proved: " + p.Err.Error()
	case !has:
		return "absent"
	}
	return value.String()
}
