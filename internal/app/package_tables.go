package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// tables returns the networks that the package was made with: its own or the built-in ones.
func (c *PackageCheck) tables() (network.Tables, error) {
	if c.Manifest.Options.OwnNetworks {
		return ReadTables(filepath.Join(c.Dir, networksFile))
	}
	return network.BuiltIn(), nil
}

// readTables reads networks.json, and sets a warning if it differs from the built-in table.
func (c *PackageCheck) readTables() (network.Tables, error) {
	tables, err := c.tables()
	if err != nil {
		return tables, err
	}
	have, err := os.ReadFile(filepath.Join(c.Dir, networksFile))
	if err != nil {
		return tables, err
	}
	n, known := network.BuiltIn().Named(c.Manifest.Network)
	var builtIn bytes.Buffer
	if known {
		err = writeTable(&builtIn, n)
	}
	switch {
	case err != nil:
	case c.Manifest.Options.OwnNetworks && !known:
		c.OwnTables = fmt.Sprintf("This package has its own network table: %s describes %s, which has no built-in table. Review the file; the figures depend on it.", networksFile, c.Manifest.Network)
	case bytes.Equal(have, builtIn.Bytes()):
	case !c.Manifest.Options.OwnNetworks && isEarlierTable(have, builtIn.Bytes()):
		c.earlierTable = true
	case c.Manifest.Options.OwnNetworks:
		c.OwnTables = fmt.Sprintf("This package has its own network table: %s differs from the built-in table of %s. Review the file; the figures depend on it.", networksFile, c.Manifest.Network)
	default:
		c.OwnTables = fmt.Sprintf("The network table in this package, %s, differs from this program's table of %s. It comes from another version or was altered.", networksFile, c.Manifest.Network)
	}
	return tables, err
}

// isEarlierTable reports whether a table is an earlier version of another with the same figures: the
// later one may have more keys, rows appended to its lists, later runtimes, and other texts.
func isEarlierTable(earlier, later []byte) bool {
	var tables [2]struct{ Networks []map[string]any }
	for i, text := range [][]byte{earlier, later} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&tables[i]) != nil || d.More() || len(tables[i].Networks) != 1 {
			return false
		}
	}
	now := withoutWords(tables[1].Networks[0]).(map[string]any)
	for key, then := range withoutWords(tables[0].Networks[0]).(map[string]any) {
		rows, isList := then.([]any)
		all, _ := now[key].([]any)
		switch {
		case key == "last_runtime":
		case isList && len(rows) <= len(all) && reflect.DeepEqual(rows, all[:len(rows)]):
		case !isList && reflect.DeepEqual(then, now[key]):
		default:
			return false
		}
	}
	return true
}

// withoutWords removes the texts for readers from a table.
func withoutWords(value any) any {
	switch value := value.(type) {
	case map[string]any:
		delete(value, "source")
		delete(value, "sources")
		delete(value, "note")
		for key := range value {
			value[key] = withoutWords(value[key])
		}
	case []any:
		for i := range value {
			value[i] = withoutWords(value[i])
		}
	}
	return value
}

func writeTable(w io.Writer, n *network.Network) error {
	return jsontext.Write(w, map[string][]network.Network{"networks": {*n}})
}

// maxMispriced limits how many blocks are named that the package's table prices differently.
const maxMispriced = 3

// comparePrices compares the ledger's blocks with the package's own table, as far as the rows allow:
// rules, base fee, and the gas and fee of each EVM transaction.
func (v *verifier) comparePrices(ctx context.Context, n *network.Network, span chain.Heights) (differences []string, err error) {
	differ := func(height uint64, err error) (enough bool) {
		differences = append(differences, fmt.Sprintf("%s: block %d: %v", networksFile, height, err))
		return len(differences) == maxMispriced
	}
	var executed []rulesFrom
	for b, err := range v.ledger.Book.Blocks(ctx, ledger.Query{Span: span}) {
		if err != nil {
			return nil, v.ledger.wrapErr(err)
		}
		rules, err := rulesOf(n, b)
		if err == nil {
			err = priceBlock(b, &rules)
		}
		if err != nil && differ(b.Height, err) {
			return differences, nil
		}
		if i := len(executed) - 1; i < 0 || executed[i].rules.Name != rules.Name {
			executed = append(executed, rulesFrom{b.Height, rules})
		}
	}
	if len(differences) > 0 {
		return differences, nil
	}
	next := 0
	for t, err := range v.ledger.Book.Transactions(ctx, ledger.Query{Span: span}) {
		if err != nil {
			return nil, v.ledger.wrapErr(err)
		}
		for next+1 < len(executed) && executed[next+1].height <= t.Height {
			next++
		}
		if err := priceTransaction(t, &executed[next].rules); err != nil && differ(t.Height, err) {
			break
		}
	}
	return differences, nil
}

// rulesFrom contains the rules that apply from a height on.
type rulesFrom struct {
	height uint64
	rules  network.Rules
}

// rulesOf returns the table's rules for a block of a ledger.
func rulesOf(n *network.Network, b *ledger.Block) (network.Rules, error) {
	if strings.HasPrefix(b.Rules, "spec/") {
		return n.SpecificationRules()
	}
	return n.RulesOf(b.Runtime)
}

// priceBlock checks the rules and the base fee of a block.
func priceBlock(b *ledger.Block, rules *network.Rules) error {
	if rules.Name != b.Rules {
		return fmt.Errorf("the rules are %s in the table and %s in the ledger", rules.Name, b.Rules)
	}
	at := b.Height
	if rules.MultiplierAt == network.AtParent && at > 0 {
		at--
	}
	if have, known := b.MultiplierAt.Get(); known && have != at {
		return fmt.Errorf("the multiplier comes from block %d in the table and from block %d in the ledger", at, have)
	}
	if rules.BaseFee.Stored.Known() { // an input, which the ledger contains only once
		return nil
	}
	var multiplier chain.Optional[chain.StoredMultiplier]
	if m, known := b.Multiplier.Get(); known {
		multiplier = chain.Some(chain.StoredMultiplier{At: at, Value: m})
	}
	base, err := evm.BaseFeePerGas(rules.BaseFee, multiplier)
	if err == nil && base != b.BaseFeePerGas {
		err = fmt.Errorf("the base fee in wei per gas is %s in the table and %s in the ledger", shownPrice(base), shownPrice(b.BaseFeePerGas))
	}
	return err
}

func shownPrice(price chain.Optional[chain.GasPrice]) string {
	if p, known := price.Get(); known {
		return p.String()
	}
	return "none"
}

// priceTransaction checks gas and fee of a transaction that the rules price.
func priceTransaction(t *ledger.Transaction, rules *network.Rules) error {
	weight, weighed := t.Weight.Get()
	price, priced := t.GasPrice.Get()
	have, known := t.Fee.Get()
	if t.Layer != fee.EVM || rules.EVM == rule.Revive || !weighed || !priced || !known { // the chain states fees of pallet revive
		return nil
	}
	weight, err := weight.Add(rules.WeightCorrection)
	if err != nil {
		return fmt.Errorf("extrinsic %d: %w", t.Index, err)
	}
	want := have
	if !rules.ChargesLimit { // the ledger does not contain gas limits
		if want, err = evm.FeeOf(rules, price, weight, chain.Gas{}); err != nil {
			return fmt.Errorf("extrinsic %d: %w", t.Index, err)
		}
	}
	gas, _ := evm.Gas(weight, rules.WeightPerGas)
	if used, _ := t.Gas.Get(); want != have || gas != used {
		return fmt.Errorf("extrinsic %d: the table gives %v gas and a fee of %v wei, but the ledger has %v gas and a fee of %v wei", t.Index, gas, want, used, have)
	}
	return nil
}
