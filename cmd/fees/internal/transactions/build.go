package transactions

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

const buildManual = `Build a native extrinsic of any call that the runtime has: fees node calls lists
them with the types of their arguments. An argument is written by its type:

  an integer                  1000000000000000000
  an amount, where the type   1.5GLMR, in the symbol of the chain's token;
    is u128                   without a symbol it is in the smallest unit
  an account, a hash, bytes   0x and hex digits
  an Option                   the value, or null
  a call                      0x and its call data, or JSON
  all else                    JSON, as a gateway's answers have it

--hex writes only the call data. Otherwise the draft, a JSON file, has everything
that is signed: nonce, tip, era, genesis hash, runtime versions. fees tx sign
signs it, on a machine without a network if you like, and fees tx send sends it.
Nothing is signed or sent here.

The genesis hash tells the chain, and the chain's table the token's symbol and
decimals: the node's word for them is only compared. If no table has your chain,
state --symbol and --decimals to write amounts in its token.`

const buildExamples = `  fees tx build balances.transferAllowDeath 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 1.5GLMR \
      --signer 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac -o draft.json --node ws://127.0.0.1:9944
  fees tx build balances.transferAllowDeath 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 1.5GLMR --hex --node ws://127.0.0.1:9944
  fees tx build utility.batch '["0x0003…", "0x0003…"]' --hex --node ws://127.0.0.1:9944
  fees tx build parachainStaking.scheduleDelegatorBondLess 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac 5GLMR --hex --node ws://127.0.0.1:9944`

// draftFlags are those of both kinds of drafts.
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
	c.Flags().Uint64Var(&f.nonce, "nonce", 0, "the nonce (default: the next one, counting those that wait in the node's pool)")
}

func (f *draftFlags) account() (chain.Address, error) {
	if f.signer == "" {
		return chain.Address{}, errors.New("who signs? name the account with --signer")
	}
	a, err := chain.ParseAddress(f.signer)
	if err != nil {
		return a, fmt.Errorf("--signer: %w", err)
	}
	return a, nil
}

// given is a number that a flag gives, if it does.
func given(c *cobra.Command, flag string, n uint64) (none chain.Optional[uint64]) {
	if !c.Flags().Changed(flag) {
		return none
	}
	return chain.Some(n)
}

const outputFlag = "output"

// addOutput adds the flag of the file that is written. Who says --out means it too.
func addOutput(c *cobra.Command, path *string, what string) {
	c.Flags().StringVarP(path, outputFlag, "o", "", "write "+what+" to this file instead of standard output")
	c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "out" {
			name = outputFlag
		}
		return pflag.NormalizedName(name)
	})
}

// write writes a file of JSON, to the file that is named or to standard output.
func write(ctx context.Context, path string, stdout io.Writer, value any) error {
	if path == "" {
		return jsontext.Write(stdout, value)
	}
	return cli.ReplaceNamedFile(ctx, "--"+outputFlag, path, func(w io.Writer) error { return jsontext.Write(w, value) })
}

// periodOf is the period of an era: a number of blocks, or immortal.
func periodOf(text string) (uint64, error) {
	if text == "immortal" {
		return 0, nil
	}
	blocks, err := cli.ParseHeight(text)
	if err != nil || blocks == 0 {
		return 0, fmt.Errorf("--era %q: want a number of blocks from 4 to 65536, or immortal", text)
	}
	return blocks, nil
}

func newBuild(stdout, stderr io.Writer) *cobra.Command {
	var flags draftFlags
	var tip, era string
	var bare bool
	c := &cobra.Command{
		Use:     "build <pallet.call> [argument]...",
		Short:   "Build a native extrinsic that is ready to be signed",
		Long:    buildManual,
		Example: buildExamples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("build wants a call and its arguments, such as balances.transferAllowDeath 0x… 1.5GLMR; fees node calls lists the calls")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			period, err := periodOf(era)
			if err != nil {
				return err
			}
			var signer chain.Address
			if !bare {
				if signer, err = flags.account(); err != nil {
					return err
				}
			}
			q := app.BuildQuestion{Call: args[0], Arguments: args[1:], Signer: signer, Nonce: given(c, "nonce", flags.nonce), Tip: tip, Period: period}
			if q.Chain, q.Tables, err = flags.Chain(c); err != nil {
				return err
			}
			if q.Node, err = flags.Client(); err != nil {
				return err
			}
			if bare {
				call, err := app.CallData(c.Context(), q)
				if err != nil {
					return err
				}
				return cli.Say(stdout, "0x%s\n", hex.EncodeToString(call))
			}
			d, err := app.Build(c.Context(), q)
			if err != nil {
				return err
			}
			if err := write(c.Context(), flags.out, stdout, d); err != nil || flags.out == "" {
				return err
			}
			return sayDraft(stderr, d, flags.out)
		},
	}
	flags.add(c)
	c.Flags().StringVar(&tip, "tip", "", "what is paid on top of the fee, such as 0.01GLMR or wei (default: nothing)")
	c.Flags().StringVar(&era, "era", "64", "for how many blocks it can be put into one, or immortal")
	c.Flags().BoolVar(&bare, "hex", false, "the call data alone, in hex")
	return c
}

func sayDraft(stderr io.Writer, d *app.Draft, path string) error {
	return cli.Say(stderr, "fees: %s has the draft; fees tx sign %[1]s signs it, with the key of %v\n", path, d.Signer)
}

const buildEVMManual = `Build an EVM transaction of type eip1559, eip2930 or legacy. The node fills in
what you leave out: the nonce, the gas (eth_estimateGas) and the price of a normal
bid (fees suggest). Without --to, the transaction creates a contract from --data.

The EVM chain ID, the symbol and the decimals come from the chain's table; a node
that names others is refused. If no table has your chain, state --chain-id, and
--symbol and --decimals to write the value in its token.

fees tx sign signs the draft, and fees tx send sends it.`

const buildEVMExamples = `  fees tx build-evm --to 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 --value 1.5GLMR \
      --signer 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac -o draft.json --node ws://127.0.0.1:9944
  fees tx build-evm --type legacy --to 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 --data 0xa9059cbb… \
      --gas-price 125000000000 --signer 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac --node ws://127.0.0.1:9944`

func newBuildEVM(stdout, stderr io.Writer) *cobra.Command {
	var flags draftFlags
	var kind, to, value, data, access, price, maxFee, maxPriority string
	var gasLimit uint64
	c := &cobra.Command{
		Use:     "build-evm",
		Short:   "Build an EVM transaction that is ready to be signed",
		Long:    buildEVMManual,
		Example: buildEVMExamples,
		Args:    cli.NoneOf("build-evm takes no argument, and has %q: --to names the recipient"),
		RunE: func(c *cobra.Command, _ []string) error {
			q := app.BuildEVMQuestion{Type: evm.Type(kind), Value: value, Nonce: given(c, "nonce", flags.nonce), GasLimit: given(c, "gas-limit", gasLimit)}
			var err error
			if q.Signer, err = flags.account(); err != nil {
				return err
			}
			if to != "" {
				a, err := chain.ParseAddress(to)
				if err != nil {
					return fmt.Errorf("--to: %w", err)
				}
				q.To = chain.Some(a)
			}
			if q.Input, err = bytesOf("--data", data); err != nil {
				return err
			}
			if q.AccessList, err = accessListOf(access); err != nil {
				return err
			}
			for _, p := range []struct {
				flag, text string
				to         *chain.Optional[chain.GasPrice]
			}{{"gas-price", price, &q.GasPrice}, {"max-fee-per-gas", maxFee, &q.MaxFeePerGas}, {"max-priority-fee-per-gas", maxPriority, &q.MaxPriorityFeePerGas}} {
				if p.text == "" {
					continue
				}
				price, err := chain.ParseGasPrice(p.text)
				if err != nil {
					return fmt.Errorf("--%s: want wei per gas in decimal digits: %w", p.flag, err)
				}
				*p.to = chain.Some(price)
			}
			if q.Chain, q.Tables, err = flags.Chain(c); err != nil {
				return err
			}
			if q.Node, err = flags.Client(); err != nil {
				return err
			}
			d, err := app.BuildEVM(c.Context(), q)
			if err != nil {
				return err
			}
			if err := write(c.Context(), flags.out, stdout, d); err != nil || flags.out == "" {
				return err
			}
			return sayDraft(stderr, d, flags.out)
		},
	}
	flags.add(c)
	c.Flags().StringVar(&kind, "type", string(evm.EIP1559), "eip1559, eip2930 or legacy")
	cli.Complete(c, "type", string(evm.EIP1559), string(evm.EIP2930), string(evm.Legacy))
	c.Flags().StringVar(&to, "to", "", "whom it calls (default: it creates a contract)")
	c.Flags().StringVar(&value, "value", "", "the amount that goes along, such as 1.5GLMR or wei (default: nothing)")
	c.Flags().StringVar(&data, "data", "", "its data, or a contract's code, in 0x-hex")
	c.Flags().StringVar(&access, "access-list", "", `JSON: [{"address": "0x…", "storageKeys": ["0x…"]}]`)
	c.Flags().StringVar(&price, "gas-price", "", "of eip2930 and legacy, in wei per gas")
	c.Flags().StringVar(&maxFee, "max-fee-per-gas", "", "of eip1559, in wei")
	c.Flags().StringVar(&maxPriority, "max-priority-fee-per-gas", "", "of eip1559, in wei")
	c.Flags().Uint64Var(&gasLimit, "gas-limit", 0, "how much gas it may use (default: what the node estimates)")
	return c
}

func bytesOf(what, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	digits, prefixed := strings.CutPrefix(strings.TrimSpace(text), "0x")
	bytes, err := hex.DecodeString(digits)
	if !prefixed || err != nil {
		return nil, fmt.Errorf("%s: want 0x and pairs of hex digits", what)
	}
	return bytes, nil
}

func accessListOf(text string) (list []evm.AccessEntry, err error) {
	if text == "" {
		return nil, nil
	}
	if _, err = jsonscan.Parse(text); err == nil {
		err = json.Unmarshal([]byte(text), &list)
	}
	if err != nil {
		return nil, fmt.Errorf(`--access-list: want JSON such as [{"address": "0x…", "storageKeys": ["0x…"]}]: %w`, err)
	}
	return list, nil
}
