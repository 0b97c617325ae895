package endpoints

import (
	"context"
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
	"github.com/feeledger/fees/internal/substrate/trie"
)

const proofManual = `A state proof says what a block's state has at a key, and needs nobody's word
for it: a node answers one to state_getReadProof, and it holds against the state
root that stands in the block's header, or it does not.`

const proofExamples = `  fees proof check proof.json --root 0xe5c3... --key 0x3f14...`

const proofCheckManual = `Check a state proof against a state root, and show what the keys have by it: the
value, or "absent", which is proved as well. Where the proof does not tell what
a key has, it is said why in the value's place, and the exit code is 1.

FILE has the proof as a node answers state_getReadProof: the whole answer, its
result, an object with "proof", an array of such, or the array of nodes itself;
- is standard input. It may hold more than the keys need. Neither the file nor
who gave it is trusted: all follows from the root. fees node header HASH shows
that of a block; that the block is the chain's own must be known from elsewhere.

JSON has null for a key that is absent. It is written only where all of the keys
are proved.`

const proofCheckExamples = `  fees node call state_getReadProof '["0x3f14..."]' 0xef08... \
      --format json > proof.json
  fees proof check proof.json --root 0xe5c3... --key 0x3f14...
  fees proof check proof.json --root 0xe5c3... --key 0x3f14... --key 0x26aa...
  fees proof check - --root 0xe5c3... --key 0x3f14... --format json < proof.json`

// maxProofBytes is enough for a proof with the runtime's code, the largest value of a state.
const maxProofBytes = 16 << 20

func newProof() *cobra.Command {
	return cli.NewParent(&cobra.Command{Use: "proof", Short: "Check a state proof that a node gave", Long: proofManual, Example: proofExamples},
		"unknown command %q; fees proof --help lists them", newProofCheck())
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
		Use: "check <FILE|-> --root 0x… --key 0x…", Short: "What keys have by a state proof and a state root", Long: proofCheckManual, Example: proofCheckExamples,
		Args: cli.OneArg("one file, or - for standard input"), RunE: f.check,
	}, f.Forms("table", "json"))
	c.Flags().StringVar(&f.root, "root", "", "the state root: the hash of the trie's root, 0x and 64 hex digits")
	c.Flags().StringArrayVar(&f.keys, "key", nil, "a key of the storage in 0x-hex; once for each")
	return c
}

func (f *proofFlags) check(c *cobra.Command, args []string) error {
	q, err := readProofQuestion(f.root, f.keys)
	if err != nil {
		return err
	}
	proof, err := readProof(c.Context(), args[0], c.InOrStdin())
	if err != nil {
		return err
	}
	return q.check(proof).write(&f.Output, c.ErrOrStderr())
}

// proofQuestion is what is asked of a proof.
type proofQuestion struct {
	root chain.Hash
	keys [][]byte
}

func readProofQuestion(root string, keys []string) (q proofQuestion, err error) {
	if root == "" {
		return q, errors.New("against which state root? give it with --root; fees node header HASH shows that of a block")
	}
	if q.root, err = chain.ParseHash(root); err != nil {
		return q, fmt.Errorf("--root: %w", err)
	}
	if len(keys) == 0 {
		return q, errors.New("which key? give it with --key, in 0x-hex")
	}
	for _, text := range keys {
		digits, prefixed := strings.CutPrefix(text, "0x")
		key, err := hex.DecodeString(digits)
		if !prefixed || err != nil {
			return q, fmt.Errorf("--key %q: want 0x and pairs of hex digits", text)
		}
		q.keys = append(q.keys, key)
	}
	return q, nil
}

// readProof reads a file of a proof, or standard input.
func readProof(ctx context.Context, path string, stdin io.Reader) (*trie.Proof, error) {
	var content []byte
	var err error
	name := path
	if path == "-" {
		name = "standard input"
		content, err = readInput(ctx, stdin, maxProofBytes)
	} else {
		content, err = app.ReadSmallFile(path, maxProofBytes)
	}
	if err != nil {
		return nil, err
	}
	proof, err := trie.ParseProof(string(content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return proof, nil
}

// proved is what a key has by a proof: nil for nothing, an error where that is not proved.
type proved struct {
	key   string
	value chain.Optional[string]
	err   error
}

type checkedProof []proved

func (q *proofQuestion) check(proof *trie.Proof) (list checkedProof) {
	for _, key := range q.keys {
		p := proved{key: "0x" + hex.EncodeToString(key)}
		value, has, err := proof.Value(q.root, key)
		if p.err = err; has {
			p.value = chain.Some("0x" + hex.EncodeToString(value))
		}
		list = append(list, p)
	}
	return list
}

// write shows what is proved. It is [cli.ErrFinding] where something is not.
func (list checkedProof) write(out *cli.Output, stderr io.Writer) error {
	a := cli.Answer{Text: list.writeTable}
	values := []cli.Record{}
	for _, p := range list {
		values = append(values, cli.Record{{"key", p.key}, {"value", p.value}})
		if p.err != nil {
			a.Finding = true
			if out.Format == "json" {
				fmt.Fprintf(stderr, "fees: key %s: %s\n", p.key, p.shown())
			}
		}
	}
	if out.Format == "json" && a.Finding { // null would say that a key is absent
		return cli.ErrFinding
	}
	a.JSON = cli.Record{{"values", values}}
	return out.Show(a)
}

// writeTable shows keys and values to people. They are whole; the reason why a value is not proved
// is wrapped.
func (list checkedProof) writeTable(page *console.Page) {
	for i, p := range list {
		if i > 0 {
			page.WriteString("\n")
		}
		fmt.Fprintf(page, "key    %s\nvalue  ", p.key)
		if p.err != nil {
			page.Line(p.shown(), len("value  "))
		} else {
			fmt.Fprintln(page, p.shown())
		}
	}
}

func (p *proved) shown() string {
	value, has := p.value.Get()
	switch {
	case p.err != nil:
		return "not proved: " + p.err.Error()
	case !has:
		return "absent"
	}
	return value
}
