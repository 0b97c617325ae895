package dataset

import (
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/table"
)

// rowTable describes a table. Its columns match the ledger's SQL views.
type rowTable struct {
	name    string
	title   string
	columns []table.Column
	sorted  []string // the key
	rows    func(*ledger.Content) iter.Seq[[]any]
}

// tables lists all tables in the order in which their files are installed.
var tables = []rowTable{
	{"blocks", "Blocks", blockColumns, []string{"height"}, blockRows},
	{"transactions", "Transactions and their fees", transactionColumns, []string{"height", "extrinsic"}, each(transactionsOf, transactionRow)},
	{"movements", "Changes of native balances", movementColumns, []string{"height", "position"}, each(movementsOf, movementRow)},
	{"transfers", "ERC-20 transfers", transferColumns, []string{"height", "position"}, each(transfersOf, transferRow)},
	{"unclassified", "Unrecognised balances events", unclassifiedColumns, []string{"height", "position"}, each(unclassifiedOf, unclassifiedRow)},
}

func transactionsOf(c *ledger.Content) []ledger.Transaction  { return c.Transactions }
func movementsOf(c *ledger.Content) []ledger.Movement        { return c.Movements }
func transfersOf(c *ledger.Content) []ledger.Transfer        { return c.Transfers }
func unclassifiedOf(c *ledger.Content) []ledger.Unclassified { return c.Unclassified }

// each returns a function that makes a block's rows of one table.
func each[T any](of func(*ledger.Content) []T, row func(*ledger.Block, *T) []any) func(*ledger.Content) iter.Seq[[]any] {
	return func(c *ledger.Content) iter.Seq[[]any] {
		return func(yield func([]any) bool) {
			list := of(c)
			for i := range list {
				if !yield(row(c.Block, &list[i])) {
					return
				}
			}
		}
	}
}

var blockColumns = []table.Column{
	{Name: "height", Kind: table.Integer}, {Name: "hash", Kind: table.Hash}, {Name: "parent_hash", Kind: table.Hash}, {Name: "time", Kind: table.Time},
	{Name: "runtime", Kind: table.Integer}, {Name: "rules", Kind: table.Text},
	{Name: "base_fee_per_gas", Kind: table.GasPrice}, {Name: "multiplier", Kind: table.Text},
	{Name: "evm", Kind: table.Integer}, {Name: "native", Kind: table.Integer}, {Name: "inherents", Kind: table.Integer}, {Name: "undetermined", Kind: table.Integer},
	{Name: "fee", Kind: table.Wei}, {Name: "charged", Kind: table.Wei}, {Name: "burned", Kind: table.Wei}, {Name: "treasury", Kind: table.Wei}, {Name: "author", Kind: table.Wei},
}

func blockRows(c *ledger.Content) iter.Seq[[]any] {
	fee := chain.Some(c.Fee)
	if c.Undetermined > 0 { // a sum with an unknown part is unknown
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

var transactionColumns = []table.Column{
	{Name: "height", Kind: table.Integer}, {Name: "extrinsic", Kind: table.Integer}, {Name: "time", Kind: table.Time}, {Name: "rules", Kind: table.Text},
	{Name: "layer", Kind: table.Text}, {Name: "type", Kind: table.Text}, {Name: "call", Kind: table.Text},
	{Name: "hash", Kind: table.Hash}, {Name: "evm_hash", Kind: table.Hash},
	{Name: "sender", Kind: table.Text}, {Name: "recipient", Kind: table.Text}, {Name: "payer", Kind: table.Text}, {Name: "nonce", Kind: table.Integer},
	{Name: "gas_price", Kind: table.GasPrice}, {Name: "gas", Kind: table.Integer}, {Name: "weight", Kind: table.Integer},
	{Name: "fee", Kind: table.Wei}, {Name: "method", Kind: table.Text}, {Name: "priority_fee", Kind: table.Wei}, {Name: "tip", Kind: table.Wei},
	{Name: "success", Kind: table.Boolean}, {Name: "outcome", Kind: table.Text}, {Name: "status", Kind: table.Text}, {Name: "error", Kind: table.Text},
	{Name: "charged", Kind: table.Wei}, {Name: "verdict", Kind: table.Text}, {Name: "drift", Kind: table.SignedWei},
	{Name: "burned", Kind: table.Wei}, {Name: "treasury", Kind: table.Wei}, {Name: "author", Kind: table.Wei},
	{Name: "fee_asset", Kind: table.Text}, {Name: "asset_fee", Kind: table.TokenAmount}, {Name: "asset_fee_tip", Kind: table.Wei}, {Name: "asset_fee_equivalent", Kind: table.Wei},
}

func transactionRow(_ *ledger.Block, t *ledger.Transaction) []any {
	var assetFee, assetTip any // null unless the fee was paid in an asset
	if t.InAsset() {
		assetFee, assetTip = t.AssetFee.Amount, t.AssetFee.Tip
	}
	return []any{
		t.Height, t.Index, t.Time, t.Rules,
		string(t.Layer), table.OrNull(t.Type), table.OrNull(t.Call),
		t.Hash, t.EVMHash,
		account(t.Sender), account(t.Recipient), account(t.Payer), t.Nonce,
		t.GasPrice, t.Gas, t.Weight,
		t.Fee, table.OrNull(t.Method), t.PriorityFee, t.Tip,
		t.Success, table.OrNull(string(t.Outcome)), table.OrNull(t.Status), table.OrNull(t.Error),
		t.Charged, table.OrNull(string(t.Verdict)), t.Drift,
		t.Burned, t.Treasury, t.Author,
		table.OrNull(t.AssetFee.Asset), assetFee, assetTip, t.AssetFee.Equivalent,
	}
}

var movementColumns = []table.Column{
	{Name: "height", Kind: table.Integer}, {Name: "position", Kind: table.Integer}, {Name: "time", Kind: table.Time},
	{Name: "place", Kind: table.Text}, {Name: "extrinsic", Kind: table.Integer}, {Name: "event_index", Kind: table.Integer},
	{Name: "event", Kind: table.Text}, {Name: "kind", Kind: table.Text}, {Name: "account", Kind: table.Text}, {Name: "counterparty", Kind: table.Text},
	{Name: "amount", Kind: table.Wei}, {Name: "free", Kind: table.SignedWei}, {Name: "reserved", Kind: table.SignedWei},
}

func movementRow(b *ledger.Block, m *ledger.Movement) []any {
	return []any{
		m.Height, m.Position, b.Time,
		place(m.Where), extrinsic(m.Where), m.EventIndex,
		m.Event, string(m.Kind), address(m.Account), account(m.Counterparty),
		m.Amount, m.Free, m.Reserved,
	}
}

var transferColumns = []table.Column{
	{Name: "height", Kind: table.Integer}, {Name: "position", Kind: table.Integer}, {Name: "time", Kind: table.Time}, {Name: "extrinsic", Kind: table.Integer},
	{Name: "token", Kind: table.Text}, {Name: "sender", Kind: table.Text}, {Name: "recipient", Kind: table.Text}, {Name: "amount", Kind: table.TokenAmount},
}

func transferRow(b *ledger.Block, x *ledger.Transfer) []any {
	return []any{x.Height, x.Position, b.Time, x.Extrinsic, address(x.Token), address(x.Sender), address(x.Recipient), x.Amount}
}

var unclassifiedColumns = []table.Column{
	{Name: "height", Kind: table.Integer}, {Name: "position", Kind: table.Integer}, {Name: "time", Kind: table.Time},
	{Name: "place", Kind: table.Text}, {Name: "extrinsic", Kind: table.Integer}, {Name: "event_index", Kind: table.Integer},
	{Name: "event", Kind: table.Text}, {Name: "data", Kind: table.Text}, {Name: "reason", Kind: table.Text},
}

func unclassifiedRow(b *ledger.Block, u *ledger.Unclassified) []any {
	return []any{u.Height, u.Position, b.Time, place(u.Where), extrinsic(u.Where), u.EventIndex, u.Event, u.Data, u.Reason}
}

// address formats an address as SQL users write it, hex in lower case: text comparison is case-sensitive.
func address(a chain.Address) string { return a.Plain() }

// optional returns what of makes of a value, or nil if it is unknown.
func optional[T, V any](o chain.Optional[T], of func(T) V) any {
	if x, known := o.Get(); known {
		return of(x)
	}
	return nil
}

func account(a chain.Optional[chain.Address]) any { return optional(a, address) }

func runtime(v chain.Optional[uint32]) any {
	return optional(v, func(v uint32) uint64 { return uint64(v) })
}

// multiplier returns the multiplier in units of 10^-18, as text: 128 bits can exceed 38 digits.
func multiplier(m chain.Optional[chain.Multiplier]) any { return optional(m, chain.Multiplier.String) }

// place returns where an event occurred: in an extrinsic, or in a hook before or after them.
func place(w movement.Where) string {
	if _, ok := w.Extrinsic(); ok {
		return "extrinsic"
	}
	return w.String()
}

func extrinsic(w movement.Where) any {
	if index, ok := w.Extrinsic(); ok {
		return index
	}
	return nil
}
