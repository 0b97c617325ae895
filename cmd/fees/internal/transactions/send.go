package transactions

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/network"
)

const sendManual = `Send a transaction signed by fees tx sign. The node must be on the chain that
it was signed for.

--wait inBlock waits until it is in a block, --wait finalized until that block
is final. Then the command shows the fee charged, and whether the chain's
records prove it; fees explain shows each step. Ctrl-C ends the wait, but the
transaction stays sent.

The exit code is 1 if a check of the charged fee failed.`

const sendExamples = `  fees tx send signed.json --node ws://127.0.0.1:9944
  fees tx send signed.json --wait finalized --node ws://127.0.0.1:9944`

// sendFlags are the flags of fees tx send.
type sendFlags struct {
	cli.NodeFlags
	cli.Output
	signed *app.SignedTransaction
	wait   string
}

func newSend() *cobra.Command {
	var f sendFlags
	c := cli.New(&cobra.Command{
		Use: "send <signed>", Short: "Send a signed transaction and show its fee", Long: sendManual, Example: sendExamples,
		Args: cli.Arg("a signed transaction, the file that fees tx sign wrote", &f.signed, inFile(app.ParseSigned)), RunE: f.send,
	}, f.NodeFlags.Add, f.Forms("table", "json"))
	f.wait = "none"
	cli.Choice(c, &f.wait, "wait", "wait until it is in a block or final: none, inBlock, finalized", "none", "inBlock", "finalized")
	return c
}

func (f *sendFlags) send(c *cobra.Command, _ []string) error {
	signed := f.signed
	client, err := f.Client()
	if err != nil {
		return err
	}
	sent, err := app.Send(c.Context(), app.SendRequest{Node: client, Signed: signed, Told: func(status string) {
		fmt.Fprintln(c.ErrOrStderr(), "fees: "+plain.Line(status))
	}})
	if err != nil {
		return err
	}
	r := cli.Record{{"hash", signed.Hash}, {"layer", signed.Layer}}
	if f.wait == "none" {
		return f.WriteRecord(append(r, cli.Field{Name: "status", Value: "sent"}))
	}
	in, err := sent.Wait(c.Context(), f.wait == "finalized")
	if err != nil {
		return err
	}
	bill, err := in.Charged(c.Context(), client, network.BuiltIn())
	if err != nil {
		return err
	}
	return f.Show(cli.Answer{JSON: bill, Finding: !bill.Holds(), Text: cli.RecordText(append(r, cli.Record{
		{"status", f.wait}, {"block", in.Height}, {"index", in.Index},
		{"fee", bill.Transaction.Fee}, {"fee_token", tokens(bill.Token, bill.Transaction.Fee)}, {"symbol", bill.Token.Symbol}, {"proof", bill.VerdictText()},
	}...))})
}

func tokens(token console.Token, fee chain.Optional[chain.Wei]) (none chain.Optional[string]) {
	if wei, known := fee.Get(); known {
		return chain.Some(token.Tokens(wei))
	}
	return none
}

const hashManual = `Show the hash of a transaction from its bytes in 0x-hex: keccak-256 for an EVM
transaction, legacy or typed; BLAKE2b-256 for a native extrinsic with its
length prefix. The kind is detected from the bytes. No network is used.`

const hashExamples = `  fees tx hash 0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83`

func newHash() *cobra.Command {
	var out cli.Output
	var raw []byte
	return cli.New(&cobra.Command{
		Use: "hash <raw>", Short: "Show the hash of a transaction's bytes", Long: hashManual, Example: hashExamples, Args: cli.Arg("the bytes of a transaction in 0x-hex", &raw, transactionOf),
		RunE: func(*cobra.Command, []string) error {
			r, err := app.HashTransaction(raw)
			if err != nil {
				return err
			}
			return out.WriteRecord(r)
		},
	}, out.Forms("table", "json"))
}

const decodeManual = `Decode the bytes of a transaction, or call data, in 0x-hex. For an EVM
transaction, show fields, hash and signer; no network is used. Native
extrinsics and call data need the runtime's metadata: from the node (--node, at
the height of --at), or from a file (--metadata) in hex, as state_getMetadata
returns it, or in binary.`

const decodeExamples = `  fees tx decode 0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83
  fees tx decode 0x0a07… --node ws://127.0.0.1:9944`

// maxMetadataHex exceeds the hex of any runtime's metadata.
const maxMetadataHex = 32 << 20

// decodeFlags are the flags of fees tx decode.
type decodeFlags struct {
	cli.NodeFlags
	cli.Output
	raw  []byte
	at   int64
	file string
}

func newDecode() *cobra.Command {
	var f decodeFlags
	c := cli.New(&cobra.Command{
		Use: "decode <raw|call data>", Short: "Decode a transaction or call data", Long: decodeManual, Example: decodeExamples,
		Args: cli.Arg("a transaction or call data in 0x-hex", &f.raw, transactionOf), RunE: f.decode,
	}, f.NodeFlags.Add, f.Forms("table", "json"))
	c.Flags().Int64Var(&f.at, "at", 0, "use the runtime at this height (default: the newest final block)")
	c.Flags().StringVar(&f.file, "metadata", "", "use the metadata in this file, in hex or binary")
	return c
}

func (f *decodeFlags) decode(c *cobra.Command, _ []string) error {
	raw := f.raw
	if len(raw) == 0 {
		return errors.New("the transaction is empty; pass its bytes in 0x-hex")
	}
	r, err := app.DecodeTransaction(raw, func() (*app.Runtime, error) { return f.runtime(c) })
	if err != nil {
		return err
	}
	return f.WriteRecord(r)
}

// readMetadata reads a file with a runtime's metadata, in hex or binary.
func readMetadata(path string) ([]byte, error) {
	text, err := disk.ReadSmall(path, maxMetadataHex)
	if err != nil {
		return nil, fmt.Errorf("--metadata: %w", err)
	}
	if bytes.HasPrefix(text, []byte("meta")) { // the magic number of metadata
		return text, nil
	}
	return bytesOf("--metadata "+path, string(text))
}

// runtime returns the runtime of the file, or else of the node.
func (f *decodeFlags) runtime(c *cobra.Command) (*app.Runtime, error) {
	if f.file != "" {
		text, err := readMetadata(f.file)
		if err != nil {
			return nil, err
		}
		return app.ReadRuntime("--metadata "+f.file, text)
	}
	client, err := f.Client()
	if err != nil {
		return nil, fmt.Errorf("not an EVM transaction, and a native one needs the metadata of a node or of --metadata: %w", err)
	}
	height, err := cli.At(c, f.at)
	if err != nil {
		return nil, err
	}
	return app.RuntimeOf(c.Context(), client, height)
}
