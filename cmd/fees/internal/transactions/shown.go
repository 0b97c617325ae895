package transactions

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/sha3"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// lines are the names and texts shown before signing. They are never shortened, however narrow the
// terminal: people lose money to addresses that look alike.
type lines []struct{ name, text string }

func (l *lines) add(name, format string, values ...any) {
	*l = append(*l, struct{ name, text string }{plain.Line(name), plain.Line(fmt.Sprintf(format, values...))})
}

func (l *lines) write(to io.Writer) error {
	width := 0
	for _, line := range *l {
		width = max(width, len(line.name))
	}
	for _, line := range *l {
		if _, err := fmt.Fprintf(to, "%-*s  %s\n", width, line.name, line.text); err != nil {
			return err
		}
	}
	return nil
}

// amount formats an amount in the token and in the smallest unit.
func amount(wei chain.Wei, token extrinsic.Token) string {
	if token.Symbol == "" {
		return wei.String() + " (smallest unit; the token's decimals are not known)"
	}
	unit := "of the smallest unit"
	if token.Decimals == console.TokenDecimals {
		unit = "wei"
	}
	return fmt.Sprintf("%s %s = %v %s", console.Plain(console.Scaled(wei, token.Decimals)), token.Symbol, wei, unit)
}

// show writes what will be signed.
func show(stderr io.Writer, p *app.Prepared) error {
	l := &lines{}
	name := p.Chain.Name
	if name == "" {
		name = "not in any table; as stated by you"
	}
	if p.Native != nil {
		l.add("chain", "%s (genesis %v)", name, p.Native.Genesis)
		l.add("signer", "%v", p.Signer)
		if err := l.native(p.Native, p.Chain.Token); err != nil {
			return err
		}
	} else {
		l.add("chain", "%s (EVM chain ID %d)", name, p.EVM.ChainID)
		l.add("signer", "%v", p.Signer)
		if err := l.evm(p.EVM, p.Chain.Token); err != nil {
			return err
		}
	}
	return l.write(stderr)
}

func (l *lines) native(n *app.PreparedNative, token extrinsic.Token) error {
	balances, err := n.Balances()
	if err != nil {
		return err
	}
	pallet, call := extrinsic.CallName(n.Call)
	l.add("call", "%s.%s", pallet, call)
	for name, v := range n.Call.Member("args").Members() {
		l.argument(name, v, balances, token)
	}
	l.add("nonce", "%v", n.Nonce)
	l.add("tip", "%s", amount(n.Tip, token))
	if dies, ends := n.Dies.Get(); ends {
		l.add("valid", "from block %d to %d (the hash of block %[1]d is signed: %[3]v)", n.Birth, dies-1, n.Signing.Birth)
	} else {
		l.add("valid", "forever (immortal)")
	}
	l.add("runtime", "%s %d, transaction version %d", n.Runtime.SpecName, n.SpecVersion, n.TransactionVersion)
	l.add("metadata", "%s", trusted[n.Metadata])
	return nil
}

// argument writes an argument of the call, followed by the amounts in nested calls.
func (l *lines) argument(name string, v jsonscan.Value, balances []extrinsic.Balance, token extrinsic.Token) {
	text, is := v.Text()
	if !is {
		text = v.Raw()
	}
	for _, b := range balances {
		if b.Path == name {
			text = amount(b.Amount, token)
		}
	}
	l.add("  "+name, "%s", text)
	for _, b := range balances {
		if strings.HasPrefix(b.Path, name+".") || strings.HasPrefix(b.Path, name+"[") {
			l.add("    "+b.Path, "%s", amount(b.Amount, token))
		}
	}
}

var trusted = map[app.MetadataTrust]string{
	app.PinnedMetadata:     "pinned: its hash is built in for this runtime",
	app.GivenMetadata:      "from your file",
	app.BoundMetadata:      "bound: a chain with other metadata refuses the signature",
	app.UnverifiedMetadata: "UNVERIFIED: the draft's author decides what the call is shown as",
}

func (l *lines) evm(t *ethtx.Transaction, token extrinsic.Token) error {
	l.add("type", "%s", t.Type)
	if to, ok := t.To.Get(); ok {
		l.add("to", "%v", to)
	} else {
		l.add("to", "none: creates a contract")
	}
	l.add("value", "%s", amount(t.Value, token))
	l.add("data", "%s", data(t.Input))
	for _, a := range t.AccessList {
		l.add("access", "%v, %d storage keys", a.Address, len(a.StorageKeys))
		for _, key := range a.StorageKeys {
			l.add("  key", "%v", key)
		}
	}
	l.add("nonce", "%v", t.Nonce)
	l.add("gas limit", "%v", t.GasLimit)
	price := t.GasPrice
	if t.Type == chain.EIP1559 {
		price = t.MaxFeePerGas
		l.add("max fee", "%s Gwei per gas", console.Gwei(t.MaxFeePerGas))
		l.add("max priority", "%s Gwei per gas", console.Gwei(t.MaxPriorityFeePerGas))
	} else {
		l.add("gas price", "%s Gwei per gas", console.Gwei(price))
	}
	maxFee, err := price.Times(t.GasLimit)
	if err != nil {
		return err
	}
	l.add("fee", "at most %s", amount(maxFee, token))
	return nil
}

// maxData limits the bytes shown of an EVM transaction's data.
const maxData = 256

func data(input []byte) string {
	if len(input) == 0 {
		return "none"
	}
	text := fmt.Sprintf("%d bytes: 0x%s", len(input), hex.EncodeToString(input[:min(len(input), maxData)]))
	if len(input) > maxData {
		h := sha3.NewLegacyKeccak256()
		h.Write(input)
		text += fmt.Sprintf("… (keccak-256 of all: 0x%x)", h.Sum(nil))
	}
	return text
}
