package app

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/table"
)

// Record returns the JSON form of the transaction: the keys of the list of fees export, and the movements.
// With an address book, labels follow the addresses.
func (t *Paid) Record(book *AddressBook) jsontext.Record {
	return append(transactionRecord(t, book), movementFields(t, book)...)
}

// transactionRecord returns a transaction without its movements.
func transactionRecord(t *Paid, book *AddressBook) jsontext.Record {
	r := jsontext.Record{
		{Name: "network", Value: t.Network}, {Name: "rules", Value: t.Rules}, {Name: "id", Value: t.Place()}, {Name: "block", Value: t.Height}, {Name: "time", Value: t.Time}, {Name: "finalized", Value: t.Final}, {Name: "sealed", Value: t.Sealed},
		{Name: "index", Value: t.Index}, {Name: "layer", Value: t.Layer}, {Name: "type", Value: table.OrNull(t.Type)}, {Name: "call", Value: t.Call},
		{Name: "hash", Value: t.Hash}, {Name: "evm_hash", Value: t.EVMHash},
	}
	for _, party := range []struct {
		name    string
		address chain.Optional[chain.Address]
	}{{"from", t.Sender}, {"to", t.Recipient}, {"payer", t.Payer}} {
		r = append(r, jsontext.Field{Name: party.name, Value: t.AccountOf(party.address)})
		r = append(r, book.labelFields(party.name+"_", party.address)...)
	}
	if t.InAsset() {
		r = append(r, jsontext.Field{Name: "asset_fee", Value: t.AssetFee})
	}
	return append(r, jsontext.Record{
		{Name: "nonce", Value: t.Nonce}, {Name: "gas_price", Value: t.GasPrice}, {Name: "gas", Value: t.Gas}, {Name: "weight", Value: t.Weight}, {Name: "fee", Value: t.Fee}, {Name: "method", Value: table.OrNull(t.Method)},
		{Name: "priority_fee", Value: t.PriorityFee}, {Name: "tip", Value: t.Tip}, {Name: "success", Value: t.Success}, {Name: "outcome", Value: table.OrNull(string(t.Outcome))}, {Name: "status", Value: table.OrNull(t.Status)}, {Name: "error", Value: table.OrNull(t.Error)},
		{Name: "charged", Value: t.Charged}, {Name: "verdict", Value: t.Verdict}, {Name: "failed_checks", Value: append([]string{}, t.Standing().Failed...)}, {Name: "drift", Value: t.Drift}, {Name: "class", Value: table.OrNull(string(t.Class))},
		{Name: "burned", Value: t.Burned}, {Name: "treasury", Value: t.Treasury}, {Name: "author", Value: t.Author},
	}...)
}

// movementFields returns the movements and transfers of a transaction.
func movementFields(t *Paid, book *AddressBook) []jsontext.Field {
	movements := []jsontext.Record{}
	for _, m := range t.Movements {
		x := append(jsontext.Record{{Name: "account", Value: t.Token.Account(m.Account)}}, book.labelFields("", chain.Some(m.Account))...)
		x = append(x, jsontext.Field{Name: "event", Value: m.Event}, jsontext.Field{Name: "kind", Value: m.Kind}, jsontext.Field{Name: "amount", Value: m.Amount}, jsontext.Field{Name: "free", Value: m.Free}, jsontext.Field{Name: "reserved", Value: m.Reserved},
			jsontext.Field{Name: "counterparty", Value: t.AccountOf(m.Counterparty)})
		movements = append(movements, append(x, book.labelFields("counterparty_", m.Counterparty)...))
	}
	transfers := []jsontext.Record{}
	for _, m := range t.Transfers {
		x := jsontext.Record{}
		for _, party := range []struct {
			name    string
			address chain.Address
		}{{"token", m.Token}, {"from", m.Sender}, {"to", m.Recipient}} {
			x = append(x, jsontext.Field{Name: party.name, Value: party.address})
			x = append(x, book.labelFields(party.name+"_", chain.Some(party.address))...)
		}
		transfers = append(transfers, append(x, jsontext.Field{Name: "amount", Value: m.Amount}))
	}
	return []jsontext.Field{{Name: "movements", Value: movements}, {Name: "transfers", Value: transfers}}
}

// Record returns the JSON form of the summary.
func (a *AccountSummary) Record(book *AddressBook) jsontext.Record {
	seen := func(s chain.Optional[Seen]) (any, any) {
		at, ok := s.Get()
		if !ok {
			return nil, nil
		}
		return at.Height, at.Time
	}
	first, firstTime := seen(a.First)
	last, lastTime := seen(a.Last)
	span, _ := a.Held.Span.Get()
	r := jsontext.Record{{Name: "account", Value: a.Token.Account(a.Account)}}
	r = append(r, book.labelFields("", chain.Some(a.Account))...)
	r = append(r, jsontext.Record{
		{Name: "network", Value: a.Network}, {Name: "symbol", Value: table.OrNull(a.Symbol)}, {Name: "first_block", Value: span.First}, {Name: "last_block", Value: span.Last}, {Name: "evidence", Value: a.Held.Evidence},
		{Name: "first_seen", Value: first}, {Name: "first_seen_time", Value: firstTime}, {Name: "last_seen", Value: last}, {Name: "last_seen_time", Value: lastTime},
		{Name: "evm", Value: a.Fees.EVM}, {Name: "native", Value: a.Fees.Native}, {Name: "undetermined", Value: a.Fees.Undetermined}, {Name: "drifts", Value: a.Fees.Drifts}, {Name: "failed_checks", Value: a.Failed},
		{Name: "fee", Value: a.Fees.Fee}, {Name: "charged", Value: a.Charged},
		{Name: "movements", Value: a.Movements}, {Name: "in", Value: a.In}, {Name: "out", Value: a.Out},
		{Name: "transfers_in", Value: a.TransfersIn}, {Name: "transfers_out", Value: a.TransfersOut},
	}...)
	if len(a.AssetFees) > 0 {
		r = append(r, jsontext.Field{Name: "asset_fees", Value: a.AssetFees})
	}
	if b, ok := a.Balance.Get(); ok {
		r = append(r, jsontext.Record{{Name: "free_balance", Value: b.Free}, {Name: "reserved_balance", Value: b.Reserved}, {Name: "proved", Value: a.Proved}}...)
	}
	return r
}

// BlockRecord returns the JSON form of a block.
func BlockRecord(b *ledger.Block) jsontext.Record {
	return jsontext.Record{
		{Name: "number", Value: b.Height}, {Name: "hash", Value: b.Hash}, {Name: "parent_hash", Value: b.ParentHash}, {Name: "time", Value: b.Time}, {Name: "finalized", Value: b.Final}, {Name: "sealed", Value: b.Sealed},
		{Name: "runtime", Value: b.Runtime}, {Name: "rules", Value: b.Rules}, {Name: "certain", Value: b.Certain}, {Name: "base_fee_per_gas", Value: b.BaseFeePerGas},
		{Name: "evm", Value: b.EVM}, {Name: "native", Value: b.Native}, {Name: "inherents", Value: b.Inherents}, {Name: "undetermined", Value: b.Undetermined},
		{Name: "fee", Value: b.Fee}, {Name: "evm_fee", Value: b.EVMFee}, {Name: "native_fee", Value: b.NativeFee},
		{Name: "charged", Value: b.Charged}, {Name: "burned", Value: b.Burned}, {Name: "treasury", Value: b.Treasury}, {Name: "author", Value: b.Author},
	}
}

// labelFields returns the book's label and group of an address as fields with a name prefix; none without a book.
func (b *AddressBook) labelFields(prefix string, address chain.Optional[chain.Address]) []jsontext.Field {
	if b == nil {
		return nil
	}
	return []jsontext.Field{{Name: prefix + "label", Value: b.LabelOf(address)}, {Name: prefix + "group", Value: b.GroupOf(address)}}
}
