package dataset

import (
	"encoding/hex"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/sheet"
)

// table is one kind of rows. Its columns are those of the ledger's views for SQL.
type table struct {
	name    string
	title   string
	columns []sheet.Column
	sorted  []string // the key
	rows    func(*ledger.Content) iter.Seq[[]any]
}

// tables are all, in the order in which their files get their names.
var tables = []table{
	{"blocks", "Blocks", blockColumns, []string{"height"}, blockRows},
	{"transactions", "Transactions and their fees", transactionColumns, []string{"height", "extrinsic"}, each(transactionsOf, transactionRow)},
	{"movements", "Changes of native balances", movementColumns, []string{"height", "position"}, each(movementsOf, movementRow)},
	{"transfers", "ERC-20 transfers", transferColumns, []string{"height", "position"}, each(transfersOf, transferRow)},
	{"unclassified", "Balances events of which it is not known what they moved", unclassifiedColumns, []string{"height", "position"}, each(unclassifiedOf, unclassifiedRow)},
}

func transactionsOf(c *ledger.Content) []*ledger.Transaction  { return c.Transactions }
func movementsOf(c *ledger.Content) []*ledger.Movement        { return c.Movements }
func transfersOf(c *ledger.Content) []*ledger.Transfer        { return c.Transfers }
func unclassifiedOf(c *ledger.Content) []*ledger.Unclassified { return c.Unclassified }

// each makes rows of one kind of a block's.
func each[T any](of func(*ledger.Content) []*T, row func(*ledger.Block, *T) []any) func(*ledger.Content) iter.Seq[[]any] {
	return func(c *ledger.Content) iter.Seq[[]any] {
		return func(yield func([]any) bool) {
			for _, x := range of(c) {
				if !yield(row(c.Block, x)) {
					return
				}
			}
		}
	}
}

var blockColumns = []sheet.Column{
	{Name: "height", Kind: sheet.Integer}, {Name: "hash", Kind: sheet.Hash}, {Name: "parent_hash", Kind: sheet.Hash}, {Name: "time", Kind: sheet.Time},
	{Name: "runtime", Kind: sheet.Integer}, {Name: "rules", Kind: sheet.Text},
	{Name: "base_fee_per_gas", Kind: sheet.GasPrice}, {Name: "multiplier", Kind: sheet.Text},
	{Name: "evm", Kind: sheet.Integer}, {Name: "native", Kind: sheet.Integer}, {Name: "inherents", Kind: sheet.Integer}, {Name: "undetermined", Kind: sheet.Integer},
	{Name: "fee", Kind: sheet.Wei}, {Name: "charged", Kind: sheet.Wei}, {Name: "burned", Kind: sheet.Wei}, {Name: "treasury", Kind: sheet.Wei}, {Name: "author", Kind: sheet.Wei},
}

func blockRows(c *ledger.Content) iter.Seq[[]any] {
	fee := chain.Some(c.Fee)
	if c.Undetermined > 0 { // a sum with an unknown part is not known
		fee = chain.Optional[chain.Wei]{}
	}
	return slices.Values([][]any{{
		c.Height, c.Hash, c.ParentHash, c.Time,
		runtime(c.Runtime), c.Rules,
		c.BaseFeePerGas, multiplier(c.Multiplier),
		c.EVM, c.Native, c.Inherents, c.Block.Undetermined,
		fee, c.Charged, c.Burned, c.Treasury, c.Author,
	}})
}

var transactionColumns = []sheet.Column{
	{Name: "height", Kind: sheet.Integer}, {Name: "extrinsic", Kind: sheet.Integer}, {Name: "time", Kind: sheet.Time}, {Name: "rules", Kind: sheet.Text},
	{Name: "layer", Kind: sheet.Text}, {Name: "type", Kind: sheet.Text}, {Name: "call", Kind: sheet.Text},
	{Name: "hash", Kind: sheet.Hash}, {Name: "evm_hash", Kind: sheet.Hash},
	{Name: "sender", Kind: sheet.Text}, {Name: "recipient", Kind: sheet.Text}, {Name: "payer", Kind: sheet.Text}, {Name: "nonce", Kind: sheet.Integer},
	{Name: "gas_price", Kind: sheet.GasPrice}, {Name: "gas", Kind: sheet.Integer}, {Name: "weight", Kind: sheet.Integer},
	{Name: "fee", Kind: sheet.Wei}, {Name: "method", Kind: sheet.Text}, {Name: "priority_fee", Kind: sheet.Wei}, {Name: "tip", Kind: sheet.Wei},
	{Name: "success", Kind: sheet.Boolean}, {Name: "outcome", Kind: sheet.Text}, {Name: "status", Kind: sheet.Text}, {Name: "error", Kind: sheet.Text},
	{Name: "charged", Kind: sheet.Wei}, {Name: "verdict", Kind: sheet.Text}, {Name: "drift", Kind: sheet.SignedWei},
	{Name: "burned", Kind: sheet.Wei}, {Name: "treasury", Kind: sheet.Wei}, {Name: "author", Kind: sheet.Wei},
}

func transactionRow(_ *ledger.Block, t *ledger.Transaction) []any {
	return []any{
		t.Height, t.Index, t.Time, t.Rules,
		string(t.Layer), text(t.Type), text(t.Call),
		t.Hash, t.EVMHash,
		account(t.Sender), account(t.Recipient), account(t.Payer), t.Nonce,
		t.GasPrice, t.Gas, t.Weight,
		t.Fee, text(t.Method), t.PriorityFee, t.Tip,
		t.Success, text(string(t.Outcome)), text(t.Status), text(t.Error),
		t.Charged, text(string(t.Verdict)), t.Drift,
		t.Burned, t.Treasury, t.Author,
	}
}

var movementColumns = []sheet.Column{
	{Name: "height", Kind: sheet.Integer}, {Name: "position", Kind: sheet.Integer}, {Name: "time", Kind: sheet.Time},
	{Name: "place", Kind: sheet.Text}, {Name: "extrinsic", Kind: sheet.Integer}, {Name: "event_index", Kind: sheet.Integer},
	{Name: "event", Kind: sheet.Text}, {Name: "kind", Kind: sheet.Text}, {Name: "account", Kind: sheet.Text}, {Name: "counterparty", Kind: sheet.Text},
	{Name: "amount", Kind: sheet.Wei}, {Name: "free", Kind: sheet.SignedWei}, {Name: "reserved", Kind: sheet.SignedWei},
}

func movementRow(b *ledger.Block, m *ledger.Movement) []any {
	return []any{
		m.Height, m.Position, b.Time,
		place(m.Where), extrinsic(m.Where), m.EventIndex,
		m.Event, string(m.Kind), address(m.Account), account(m.Counterparty),
		m.Amount, m.Free, m.Reserved,
	}
}

var transferColumns = []sheet.Column{
	{Name: "height", Kind: sheet.Integer}, {Name: "position", Kind: sheet.Integer}, {Name: "time", Kind: sheet.Time}, {Name: "extrinsic", Kind: sheet.Integer},
	{Name: "token", Kind: sheet.Text}, {Name: "sender", Kind: sheet.Text}, {Name: "recipient", Kind: sheet.Text}, {Name: "amount", Kind: sheet.TokenAmount},
}

func transferRow(b *ledger.Block, x *ledger.Transfer) []any {
	return []any{x.Height, x.Position, b.Time, x.Extrinsic, address(x.Token), address(x.Sender), address(x.Recipient), x.Amount}
}

var unclassifiedColumns = []sheet.Column{
	{Name: "height", Kind: sheet.Integer}, {Name: "position", Kind: sheet.Integer}, {Name: "time", Kind: sheet.Time},
	{Name: "place", Kind: sheet.Text}, {Name: "extrinsic", Kind: sheet.Integer}, {Name: "event_index", Kind: sheet.Integer},
	{Name: "event", Kind: sheet.Text}, {Name: "data", Kind: sheet.Text}, {Name: "reason", Kind: sheet.Text},
}

func unclassifiedRow(b *ledger.Block, u *ledger.Unclassified) []any {
	return []any{u.Height, u.Position, b.Time, place(u.Where), extrinsic(u.Where), u.EventIndex, u.Event, u.Data, u.Reason}
}

// address is an address in lower case, as those who work with SQL write it: text is compared
// by its letters.
func address(a chain.Address) string { return "0x" + hex.EncodeToString(a[:]) }

func account(a chain.Optional[chain.Address]) any {
	if a, ok := a.Get(); ok {
		return address(a)
	}
	return nil
}

// text is a text, or nothing where there is none.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func runtime(v chain.Optional[uint32]) any {
	if v, ok := v.Get(); ok {
		return uint64(v)
	}
	return nil
}

// multiplier is how many parts of 10^18 it is, as text: 128 bits are more than 38 digits.
func multiplier(m chain.Optional[chain.Multiplier]) any {
	if m, ok := m.Get(); ok {
		return m.String()
	}
	return nil
}

// place says where an event is: in an extrinsic, or in a hook before or after them.
func place(w chain.Where) string {
	if _, ok := w.Extrinsic(); ok {
		return "extrinsic"
	}
	return w.String()
}

func extrinsic(w chain.Where) any {
	if index, ok := w.Extrinsic(); ok {
		return index
	}
	return nil
}
