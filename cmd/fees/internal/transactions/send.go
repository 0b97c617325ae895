package transactions

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/state"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/tx/ethtx"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
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
	sent, err := app.Send(c.Context(), app.SendQuestion{Node: client, Signed: signed, Told: func(status string) {
		fmt.Fprintln(c.ErrOrStderr(), "fees: "+console.Printable(status))
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
	bill, err := in.Charged(c.Context(), &source.Reader{Source: source.Of(gateway.New(client)), Tables: network.BuiltIn(), Unfinalized: true})
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
			r, notEVM := ethereum(raw)
			if notEVM == nil {
				return out.WriteRecord(cli.Record{r[0], r[1], r[2]})
			}
			if !isExtrinsic(raw) {
				return fmt.Errorf("neither an EVM transaction (%w) nor a native extrinsic with its length prefix; check the bytes", notEVM)
			}
			return out.WriteRecord(cli.Record{{"layer", app.NativeLayer}, {"type", "extrinsic"}, {"hash", extrinsic.Hash(raw)}})
		},
	}, out.Forms("table", "json"))
}

// isExtrinsic reports whether bytes match their length prefix and start with a known version.
func isExtrinsic(raw []byte) bool {
	content, ok := extrinsic.Content(raw)
	return ok && len(content) > 0 && content[0]&0x3f <= 5 && content[0]&0x3f >= 4
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
	r, notEVM := ethereum(raw)
	if notEVM != nil {
		runtime, err := f.runtime(c)
		if err != nil {
			return err
		}
		if r, err = native(runtime, raw); err != nil {
			return err
		}
	}
	return f.WriteRecord(r)
}

// readMetadata reads a file with a runtime's metadata, in hex or binary.
func readMetadata(path string) ([]byte, error) {
	text, err := app.ReadSmallFile(path, maxMetadataHex)
	if err != nil {
		return nil, fmt.Errorf("--metadata: %w", err)
	}
	if bytes.HasPrefix(text, []byte("meta")) { // the magic number of metadata
		return text, nil
	}
	return bytesOf("--metadata "+path, string(text))
}

func (f *decodeFlags) runtime(c *cobra.Command) (*extrinsic.Runtime, error) {
	if f.file != "" {
		text, err := readMetadata(f.file)
		if err != nil {
			return nil, err
		}
		m, err := metadata.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("--metadata %s: %w", f.file, err)
		}
		return extrinsic.NewRuntime(m, extrinsic.Token{})
	}
	client, err := f.Client()
	if err != nil {
		return nil, fmt.Errorf("not an EVM transaction, and a native one needs the metadata of a node or of --metadata: %w", err)
	}
	height, err := cli.At(c, f.at)
	if err != nil {
		return nil, err
	}
	view, err := state.Open(c.Context(), client, height, extrinsic.Token{})
	if err != nil {
		return nil, err
	}
	return view.Runtime, nil
}

// native decodes an extrinsic or call data.
func native(runtime *extrinsic.Runtime, raw []byte) (cli.Record, error) {
	if !isExtrinsic(raw) {
		call, err := runtime.ReadCall(raw)
		if err != nil {
			return nil, fmt.Errorf("not an EVM transaction, an extrinsic or call data of the runtime: %w", err)
		}
		return append(cli.Record{{"layer", app.NativeLayer}, {"type", "call data"}}, callFields(call)...), nil
	}
	x, err := runtime.Read(raw)
	if err != nil {
		return nil, err
	}
	r := cli.Record{{"layer", app.NativeLayer}, {"type", "extrinsic"}, {"hash", x.Hash}, {"signed", x.Signed}}
	if x.Signed {
		r = append(r, cli.Record{{"signer", x.Signer}, {"nonce", x.Nonce}, {"tip", x.Tip}, {"era_period", x.Era.Period}, {"era_phase", x.Era.Phase}, {"signature", app.HexBytes(x.Signature[:])}}...)
	}
	return append(append(r, callFields(x.Call)...), cli.Field{Name: "call_data", Value: app.HexBytes(x.Data)}), nil
}

func callFields(call jsonscan.Value) cli.Record {
	pallet, name := extrinsic.CallName(call)
	return cli.Record{{"call", pallet + "." + name}, {"args", json.RawMessage(call.Member("args").Raw())}}
}

const highS = "s is in the upper half of the curve's order. Ethereum and newer runtimes refuse this (EIP-2). Where it is accepted, " +
	"a second signature with another hash is also valid, so look up the transaction by sender and nonce."

// ethereum decodes an EVM transaction.
func ethereum(raw []byte) (cli.Record, error) {
	t, err := ethtx.Parse(raw)
	if err != nil {
		return nil, err
	}
	hash, err := t.Hash()
	if err != nil {
		return nil, err
	}
	var sender chain.Optional[chain.Address]
	if a, err := t.Sender(); err == nil {
		sender = chain.Some(a)
	}
	var id chain.Optional[uint64]
	if t.ChainID > 0 {
		id = chain.Some(t.ChainID)
	}
	r := cli.Record{{"layer", app.EVMLayer}, {"type", t.Type}, {"hash", hash}, {"sender", sender}, {"chain_id", id}, {"nonce", t.Nonce}}
	if t.Type == evm.Legacy || t.Type == evm.EIP2930 {
		r = append(r, cli.Field{Name: "gas_price", Value: t.GasPrice})
	} else {
		r = append(r, cli.Record{{"max_fee_per_gas", t.MaxFeePerGas}, {"max_priority_fee_per_gas", t.MaxPriorityFeePerGas}}...)
	}
	s, _ := t.Signature.Get()
	r = append(r, cli.Record{{"gas_limit", t.GasLimit}, {"to", t.To}, {"value", t.Value}, {"input", "0x" + hex.EncodeToString(t.Input)}}...)
	if t.Type != evm.Legacy {
		r = append(r, cli.Field{Name: "access_list", Value: t.AccessList})
	}
	r = append(r, cli.Record{{"v", s.V}, {"r", s.R}, {"s", s.S}, {"high_s", t.HighS()}}...)
	if t.HighS() {
		r = append(r, cli.Field{Name: "note", Value: highS})
	}
	return r, nil
}
