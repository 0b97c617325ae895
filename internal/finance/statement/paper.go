package statement

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// Named returns what a line of a statement is for people, such as "received".
type Named func(context.Context, *Line) (string, error)

var paperColumns = []table.Column{
	{Name: "date", Kind: table.Text}, {Name: "place", Kind: table.Text}, {Name: "kind", Kind: table.Text}, {Name: "counterparty", Kind: table.Text},
	{Name: "free", Kind: table.SignedWei, Total: true}, {Name: "free_balance", Kind: table.SignedWei},
	{Name: "reserved", Kind: table.SignedWei, Total: true}, {Name: "reserved_balance", Kind: table.SignedWei},
}

// onPaper is the form of times on paper.
const onPaper = "2 Jan 2006 15:04:05"

// PaperMovements returns the movements and fees of a statement for paper, a fee in one row. Accounts are
// short: [Style.Annex] has them in full, with the hashes of fees by place. The balances are left out if the opening one is not known.
func (y *Style) PaperMovements(ctx context.Context, s *Statement, named Named) *table.Sheet {
	sheet := &table.Sheet{Name: "movements", Title: "Movements and fees", Token: y.Token, Columns: paperColumns, Rows: allRows([]*Statement{s}, func(s *Statement, add func(...any) error) error {
		return s.EachFee(ctx, func(l *Line) error {
			name, err := named(ctx, l)
			if err != nil {
				return err
			}
			return add(y.timeOf(l.Time), l.Where.Words(l.Height), y.kind(l, name), y.counterparty(l), l.Free, l.FreeBalance, l.Reserved, l.ReservedBalance)
		})
	})}
	var drop []string
	if !s.Opening.Known() {
		drop = append(drop, "free_balance", "reserved_balance")
	}
	if !s.Reserves() {
		drop = append(drop, "reserved", "reserved_balance")
	}
	return Without(sheet, drop...)
}

// timeOf returns a time in the style's zone for people.
func (y *Style) timeOf(at chain.Optional[chain.Time]) any {
	t, known := at.Get()
	if !known {
		return nil
	}
	if y.Zone == nil {
		return t.Std().UTC().Format(onPaper)
	}
	return t.Std().In(y.Zone).Format(onPaper)
}

// kind returns what a line is, with what a reader must know about it.
func (y *Style) kind(l *Line, named string) string {
	if l.Payment != nil {
		named += ", " + LayerName(l.Payment.Layer)
		if l.Payment.Verdict != evidence.Match {
			named += ": " + string(l.Payment.Verdict)
		}
		if l.Payment.Failed != "" {
			named += ", failed checks"
		}
	}
	if remark := y.remark(l); remark != nil {
		named += fmt.Sprintf(" (%v)", remark)
	}
	return named
}

// LayerName returns the name of a layer for people.
func LayerName(l fee.Layer) string {
	if l == fee.EVM {
		return "EVM"
	}
	return string(l)
}

// shortEnds is the number of hexadecimal digits at each end of a short address.
const shortEnds = 4

// counterparty returns the other account of a movement; nil for a fee.
func (y *Style) counterparty(l *Line) any {
	if l.Payment != nil || l.Movement == nil {
		return nil
	}
	other, known := l.Movement.Counterparty.Get()
	if !known {
		return nil
	}
	return y.ShortName(other)
}

// ShortName returns an account's label, or its address shortened.
func (y *Style) ShortName(account chain.Address) string {
	if label, ok := y.Labels.Label(account); ok {
		return plain.Line(label)
	}
	return console.Ends(y.Account(account), shortEnds)
}

// PaperTransfers returns the ERC-20 transfers of a statement for paper.
func (y *Style) PaperTransfers(ctx context.Context, s *Statement) *table.Sheet {
	return &table.Sheet{
		Name: "transfers", Title: "ERC-20 transfers, in the tokens' smallest units", Token: y.Token,
		Columns: []table.Column{
			{Name: "date", Kind: table.Text}, {Name: "id", Kind: table.Text}, {Name: "token", Kind: table.Text}, {Name: "direction", Kind: table.Text},
			{Name: "counterparty", Kind: table.Text}, {Name: "amount", Kind: table.TokenAmount},
		},
		Rows: allRows([]*Statement{s}, func(s *Statement, add func(...any) error) error {
			for x, err := range s.book.Transfers(ctx, s.query(s.Span)) {
				if err != nil {
					return ofLedger(err)
				}
				direction, other := transferOf(s.Account, x.Sender, x.Recipient)
				if err := add(y.timeOf(x.Time), fmt.Sprintf("%d-%d", x.Height, x.Extrinsic), y.ShortName(x.Token), direction, y.ShortName(other), x.Amount); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

// transferOf returns the direction of a transfer for an account, and the other account.
func transferOf(account, sender, recipient chain.Address) (direction string, other chain.Address) {
	switch {
	case sender == recipient:
		return "self", sender
	case sender.Is(account):
		return "out", recipient
	}
	return "in", sender
}

// Annex returns the hashes of a statement's fees by place, and the addresses that its tables shorten or label, in full.
func (y *Style) Annex(ctx context.Context, s *Statement) *table.Sheet {
	return &table.Sheet{
		Name: "annex", Title: "Hashes and addresses in full", Columns: []table.Column{{Name: "above", Kind: table.Text}, {Name: "in_full", Kind: table.Text}},
		Rows: table.Rows(func(add func(...any) error) error {
			for pair, err := range y.inFull(ctx, s) {
				if err == nil {
					err = add(pair[0], pair[1])
				}
				if err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

// inFull yields the rows of the annex: each transaction once, then each account once, in the order of the statement.
func (y *Style) inFull(ctx context.Context, s *Statement) iter.Seq2[[2]string, error] {
	return table.Sequence(func(each func([2]string) error) error {
		seen, accounts := map[chain.Address]bool{}, []chain.Address{}
		note := func(account chain.Address) {
			if !seen[account] {
				seen[account], accounts = true, append(accounts, account)
			}
		}
		err := s.EachFee(ctx, func(l *Line) error {
			if l.Payment != nil {
				return each([2]string{l.Where.Words(l.Height), l.Payment.LayerHash().String()})
			}
			if l.Movement != nil {
				if other, known := l.Movement.Counterparty.Get(); known {
					note(other)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for x, err := range s.book.Transfers(ctx, s.query(s.Span)) {
			if err != nil {
				return ofLedger(err)
			}
			_, other := transferOf(s.Account, x.Sender, x.Recipient)
			note(x.Token)
			note(other)
		}
		for _, account := range accounts {
			if err := each([2]string{y.ShortName(account), y.Account(account)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// HasRows reports whether a sheet, whose rows can be read repeatedly, has any row.
func HasRows(s *table.Sheet) (bool, error) { return hasRows(s) }

// AccountFacts returns what identifies a statement's account: its label, group and address.
func (y *Style) AccountFacts(account chain.Address) (facts console.Pairs) {
	if group, ok := y.Labels.Group(account); ok {
		facts.Add("Company", plain.Line(group))
	}
	if label, ok := y.Labels.Label(account); ok {
		facts.Add("Account", plain.Line(label))
	}
	if e := y.Labels.Entry(account); e.Account != "" {
		facts.Add("In the books", plain.Line(e.Account))
	}
	facts.Add("Address", y.Account(account))
	return facts
}

// PaperNotes returns the notes on a statement for paper: what failed, and what it is based on.
func (y *Style) PaperNotes(s *Statement) []string {
	notes := append(append([]string{}, y.Notes...), s.Notes(y.Token)[1:]...)
	notes = append(notes, s.AssetFees.Notes(y.Amount)...)
	for i, note := range notes {
		notes[i] = strings.TrimSpace(note)
	}
	return append(notes, "evidence for movements and fees: "+y.Evidence.String())
}
