package transactions

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

const buildManual = `Build a native extrinsic of any call of the runtime. fees node calls lists the
calls and the types of their arguments. Write an argument by its type:

  an integer                  1000000000000000000
  an amount (u128)            1.5GLMR, in the chain's token; without a symbol
                              it is in the smallest unit
  an account, a hash, bytes   0x and hex digits
  an Option                   the value, or null
  a call                      0x and its call data, or JSON
  anything else               JSON, as in a gateway's responses

The draft, a JSON file, contains everything that is signed: nonce, tip, era,
genesis hash and runtime versions. Sign it with fees tx sign, on an offline
machine if you like, and send it with fees tx send. --hex writes only the call
data. Nothing is signed or sent here.

The genesis hash identifies the chain, whose table has the token's symbol and
decimals; the node's values are only compared. If no table has your chain, pass
--symbol and --decimals to write amounts in its token.`

const buildExamples = `  fees tx build balances.transferAllowDeath 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 1.5GLMR \
      --signer 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac -o draft.json --node ws://127.0.0.1:9944
  fees tx build balances.transferAllowDeath 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 1.5GLMR --hex --node ws://127.0.0.1:9944
  fees tx build utility.batch '["0x0003…", "0x0003…"]' --hex --node ws://127.0.0.1:9944
  fees tx build parachainStaking.scheduleDelegatorBondLess 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac 5GLMR --hex --node ws://127.0.0.1:9944`

// draftFlags are the flags common to both kinds of drafts.
type draftFlags struct {
	cli.NodeFlags
	cli.ChainFlags
	signer, out string
	nonce       uint64
}

func (f *draftFlags) add(c *cobra.Command) {
	f.NodeFlags.Add(c)
	f.ChainFlags.Add(c)
	c.Flags().StringVar(&f.signer, "signer", "", "the account that will sign")
	addOutput(c, &f.out, "the draft")
	c.Flags().Uint64Var(&f.nonce, "nonce", 0, "the nonce (default: the next one, including pending transactions)")
}

func (f *draftFlags) account() (chain.Address, error) {
	if f.signer == "" {
		return chain.Address{}, errors.New("--signer is missing; name the account that will sign")
	}
	a, err := chain.ParseAddress(f.signer)
	if err != nil {
		return a, fmt.Errorf("--signer: %w", err)
	}
	return a, nil
}

// given returns n if the flag is set.
func given(c *cobra.Command, flag string, n uint64) (none chain.Optional[uint64]) {
	if !c.Flags().Changed(flag) {
		return none
	}
	return chain.Some(n)
}

const outputFlag = "output"

// addOutput adds the flag for the output file, with the alias --out.
func addOutput(c *cobra.Command, path *string, what string) {
	c.Flags().StringVarP(path, outputFlag, "o", "", "write "+what+" to this file, not to standard output")
	c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "out" {
			name = outputFlag
		}
		return pflag.NormalizedName(name)
	})
}

// write writes value as JSON to the file at path, or to standard output if path is empty. For a file it
// also writes a message to standard error.
func write(c *cobra.Command, path string, value any, format string, values ...any) error {
	if path == "" {
		return jsontext.Write(c.OutOrStdout(), value)
	}
	if err := cli.ReplaceNamedFile(c.Context(), "--"+outputFlag, path, func(w io.Writer) error { return jsontext.Write(w, value) }); err != nil {
		return err
	}
	return cli.Say(c.ErrOrStderr(), "fees: "+format+"\n", append([]any{path}, values...)...)
}

// writeDraft writes a draft.
func (f *draftFlags) writeDraft(c *cobra.Command, d *app.Draft, err error) error {
	if err != nil {
		return err
	}
	return write(c, f.out, d, "wrote the draft to %[1]s; sign it with fees tx sign %[1]s and the key of %[2]v", d.Signer)
}

// periodOf parses the period of an era: a number of blocks, 0 for immortal.
func periodOf(text string) (uint64, error) {
	if text == "immortal" {
		return 0, nil
	}
	blocks, err := cli.ParseHeight(text)
	if err != nil || blocks == 0 {
		return 0, fmt.Errorf("--era %q must be a number of blocks from 4 to 65536, or immortal", text)
	}
	return blocks, nil
}

// buildFlags are the flags of fees tx build.
type buildFlags struct {
	draftFlags
	tip, era string
	bare     bool
}

func newBuild() *cobra.Command {
	var f buildFlags
	c := cli.New(&cobra.Command{
		Use: "build <pallet.call> [argument]...", Short: "Build a native extrinsic to sign", Long: buildManual, Example: buildExamples, RunE: f.build,
		Args: cli.AnyArgs("fees tx build needs a call and its arguments, such as balances.transferAllowDeath 0x… 1.5GLMR; list calls with fees node calls"),
	}, f.add)
	c.Flags().StringVar(&f.tip, "tip", "", "the tip, such as 0.01GLMR or wei (default: none)")
	c.Flags().StringVar(&f.era, "era", "64", "the number of blocks for which it is valid, or immortal")
	c.Flags().BoolVar(&f.bare, "hex", false, "write only the call data, in hex")
	return c
}

func (f *buildFlags) build(c *cobra.Command, args []string) (err error) {
	q := app.BuildRequest{Call: args[0], Arguments: args[1:], Nonce: given(c, "nonce", f.nonce), Tip: f.tip}
	if q.Period, err = periodOf(f.era); err != nil {
		return err
	}
	if !f.bare {
		if q.Signer, err = f.account(); err != nil {
			return err
		}
	}
	if q.Chain, q.Tables, err = f.Chain(c); err != nil {
		return err
	}
	if q.Node, err = f.Client(); err != nil {
		return err
	}
	if f.bare {
		call, err := app.CallData(c.Context(), q)
		if err != nil {
			return err
		}
		return cli.Say(c.OutOrStdout(), "0x%s\n", hex.EncodeToString(call))
	}
	d, err := app.Build(c.Context(), q)
	return f.writeDraft(c, d, err)
}

const buildEVMManual = `Build an EVM transaction of type eip1559, eip2930 or legacy. The node supplies
what you leave out: nonce, gas (eth_estimateGas) and a normal price (fees
suggest). Without --to, the transaction creates a contract from --data.

EVM chain ID, symbol and decimals come from the chain's table; a node that
reports others is refused. If no table has your chain, pass --chain-id, and
--symbol and --decimals to write the value in its token.

Sign the draft with fees tx sign, and send it with fees tx send.`

const buildEVMExamples = `  fees tx build-evm --to 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 --value 1.5GLMR \
      --signer 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac -o draft.json --node ws://127.0.0.1:9944
  fees tx build-evm --type legacy --to 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 --data 0xa9059cbb… \
      --gas-price 125000000000 --signer 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac --node ws://127.0.0.1:9944`

// evmFlags are the flags of fees tx build-evm.
type evmFlags struct {
	draftFlags
	kind, to, value, data, access string
	price, maxFee, maxPriority    string
	gasLimit                      uint64
}

func newBuildEVM() *cobra.Command {
	var f evmFlags
	c := cli.New(&cobra.Command{
		Use: "build-evm", Short: "Build an EVM transaction to sign", Long: buildEVMManual, Example: buildEVMExamples, RunE: f.build,
		Args: cli.NoneOf("fees tx build-evm takes no argument, got %q; name the recipient with --to"),
	}, f.add)
	c.Flags().StringVar(&f.kind, "type", string(chain.EIP1559), "eip1559, eip2930 or legacy")
	cli.Complete(c, "type", string(chain.EIP1559), string(chain.EIP2930), string(chain.Legacy))
	c.Flags().StringVar(&f.to, "to", "", "the recipient or contract (default: create a contract)")
	c.Flags().StringVar(&f.value, "value", "", "the amount to send, such as 1.5GLMR or wei (default: none)")
	c.Flags().StringVar(&f.data, "data", "", "the data, or a contract's code, in 0x-hex")
	c.Flags().StringVar(&f.access, "access-list", "", `the access list, JSON: [{"address": "0x…", "storageKeys": ["0x…"]}]`)
	c.Flags().StringVar(&f.price, "gas-price", "", "for eip2930 and legacy, in wei per gas")
	c.Flags().StringVar(&f.maxFee, "max-fee-per-gas", "", "for eip1559, in wei per gas")
	c.Flags().StringVar(&f.maxPriority, "max-priority-fee-per-gas", "", "for eip1559, in wei per gas")
	c.Flags().Uint64Var(&f.gasLimit, "gas-limit", 0, "the gas limit (default: the node's estimate)")
	return c
}

func (f *evmFlags) build(c *cobra.Command, _ []string) (err error) {
	q := app.BuildEVMRequest{Type: chain.TransactionType(f.kind), Value: f.value, Nonce: given(c, "nonce", f.nonce), GasLimit: given(c, "gas-limit", f.gasLimit)}
	if q.Signer, err = f.account(); err != nil {
		return err
	}
	if q.To, err = ifGiven("--to", chain.ParseAddress, f.to); err != nil {
		return err
	}
	if q.Input, err = bytesOf("--data", f.data); err != nil {
		return err
	}
	if q.AccessList, err = accessListOf(f.access); err != nil {
		return err
	}
	for _, price := range []struct {
		flag, text string
		to         *chain.Optional[chain.GasPrice]
	}{{"--gas-price", f.price, &q.GasPrice}, {"--max-fee-per-gas", f.maxFee, &q.MaxFeePerGas}, {"--max-priority-fee-per-gas", f.maxPriority, &q.MaxPriorityFeePerGas}} {
		if *price.to, err = ifGiven(price.flag+" must be wei per gas in decimal digits", chain.ParseGasPrice, price.text); err != nil {
			return err
		}
	}
	if q.Chain, q.Tables, err = f.Chain(c); err != nil {
		return err
	}
	if q.Node, err = f.Client(); err != nil {
		return err
	}
	d, err := app.BuildEVM(c.Context(), q)
	return f.writeDraft(c, d, err)
}

// ifGiven parses the value of a flag, if it is set.
func ifGiven[T any](what string, parse func(string) (T, error), text string) (none chain.Optional[T], err error) {
	if text == "" {
		return none, nil
	}
	value, err := parse(text)
	if err != nil {
		return none, fmt.Errorf("%s: %w", what, err)
	}
	return chain.Some(value), nil
}

// transactionOf parses the bytes of a transaction.
func transactionOf(text string) ([]byte, error) { return bytesOf("transaction", text) }

// inFile returns a function that reads and parses a file.
func inFile[T any](parse func([]byte) (*T, error)) func(path string) (*T, error) {
	return func(path string) (*T, error) {
		text, err := disk.ReadSmall(path, app.MaxDraft)
		if err != nil {
			return nil, err
		}
		value, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return value, nil
	}
}

func bytesOf(what, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	digits, prefixed := strings.CutPrefix(strings.TrimSpace(text), "0x")
	bytes, err := hex.DecodeString(digits)
	if !prefixed || err != nil {
		return nil, fmt.Errorf("%s must be 0x and pairs of hex digits", what)
	}
	return bytes, nil
}

func accessListOf(text string) (list []chain.AccessEntry, err error) {
	if text == "" {
		return nil, nil
	}
	if err = jsonscan.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf(`--access-list must be JSON such as [{"address": "0x…", "storageKeys": ["0x…"]}]: %w`, err)
	}
	return list, nil
}
