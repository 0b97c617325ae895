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

const sendManual = `Send a transaction that fees tx sign signed. The node must be of the chain that
it was signed for.

--wait inBlock waits until it is in a block, --wait finalized until that block is
final. Then the fee is shown that was charged for it, and whether it is proved by
what the chain recorded: fees explain has each step. Ctrl-C ends the waiting; the
transaction is sent all the same.

The exit code is 1 where the fee that was charged does not hold.`

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
		Use: "send <signed>", Short: "Send a signed transaction, and tell what was charged for it", Long: sendManual, Example: sendExamples,
		Args: cli.Arg("one signed transaction, a file that fees tx sign wrote", &f.signed, inFile(app.ParseSigned)), RunE: f.send,
	}, f.NodeFlags.Add, f.Forms("table", "json"))
	f.wait = "none"
	cli.Choice(c, &f.wait, "wait", "wait until it is in a block, or final: none, inBlock, finalized", "none", "inBlock", "finalized")
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
		{"fee", bill.Transaction.Fee}, {"fee_token", tokens(bill.Transaction.Fee)}, {"symbol", bill.Symbol}, {"proof", bill.VerdictText()},
	}...))})
}

func tokens(fee chain.Optional[chain.Wei]) (none chain.Optional[string]) {
	if wei, known := fee.Get(); known {
		return chain.Some(console.Tokens(wei))
	}
	return none
}

const hashManual = `The hash of a transaction, of its bytes in 0x-hex. An EVM transaction, legacy or
typed, has the keccak-256 of them; a native extrinsic the BLAKE2b-256, its length
included. Which of the two it is, the bytes tell. Nobody is asked.`

const hashExamples = `  fees tx hash 0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83`

func newHash() *cobra.Command {
	var out cli.Output
	var raw []byte
	return cli.New(&cobra.Command{
		Use: "hash <raw>", Short: "The hash of a transaction's bytes", Long: hashManual, Example: hashExamples, Args: cli.Arg("one transaction, its bytes in 0x-hex", &raw, transactionOf),
		RunE: func(*cobra.Command, []string) error {
			r, notEVM := ethereum(raw)
			if notEVM == nil {
				return out.WriteRecord(cli.Record{r[0], r[1], r[2]})
			}
			if !isExtrinsic(raw) {
				return fmt.Errorf("it is no EVM transaction (%w) and no native extrinsic, which begins with its length", notEVM)
			}
			return out.WriteRecord(cli.Record{{"layer", app.NativeLayer}, {"type", "extrinsic"}, {"hash", extrinsic.Hash(raw)}})
		},
	}, out.Forms("table", "json"))
}

// isExtrinsic tells whether bytes are as many as the length before them says, and begin with a
// version that is known.
func isExtrinsic(raw []byte) bool {
	content, ok := extrinsic.Content(raw)
	return ok && len(content) > 0 && content[0]&0x3f <= 5 && content[0]&0x3f >= 4
}

const decodeManual = `Read a transaction's bytes, or call data, in 0x-hex. An EVM transaction is read
without anybody: its fields, its hash, and who signed it. A native extrinsic and
call data are read by a runtime's metadata: those of the node (--node, as of --at),
or of a file that has them, in hex as state_getMetadata gives them or as bytes
(--metadata).`

const decodeExamples = `  fees tx decode 0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83
  fees tx decode 0x0a07… --node ws://127.0.0.1:9944`

// maxMetadataHex is more than metadata of a runtime have in hex.
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
		Use: "decode <raw|call data>", Short: "Read a transaction's bytes, or call data", Long: decodeManual, Example: decodeExamples,
		Args: cli.Arg("one transaction or call data, in 0x-hex", &f.raw, transactionOf), RunE: f.decode,
	}, f.NodeFlags.Add, f.Forms("table", "json"))
	c.Flags().Int64Var(&f.at, "at", 0, "by the runtime at this height (default: the newest final block)")
	c.Flags().StringVar(&f.file, "metadata", "", "by the metadata in this file, in hex or as bytes")
	return c
}

func (f *decodeFlags) decode(c *cobra.Command, _ []string) error {
	raw := f.raw
	if len(raw) == 0 {
		return errors.New("there are no bytes")
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

// readMetadata reads a file with a runtime's metadata: as they are, or in hex.
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
		return nil, fmt.Errorf("it is no EVM transaction, and native ones are read by metadata, of a node or of --metadata: %w", err)
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

// native reads an extrinsic, or call data.
func native(runtime *extrinsic.Runtime, raw []byte) (cli.Record, error) {
	if !isExtrinsic(raw) {
		call, err := runtime.ReadCall(raw)
		if err != nil {
			return nil, fmt.Errorf("it is no EVM transaction, no extrinsic, and no call data of the runtime: %w", err)
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

const highS = "s is in the upper half of the curve's order. Ethereum and newer runtimes refuse this (EIP-2); where it is taken, " +
	"the same transaction has a second valid signature with another hash, so look for it by sender and nonce."

// ethereum reads an EVM transaction.
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
