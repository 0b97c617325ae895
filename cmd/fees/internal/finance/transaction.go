package finance

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/table"
)

var transactionManual = `Show a transaction of the ledger: block and time, payer, fee by the rules,
amount charged, verdict, and every movement of balances. No gateway is needed.

Name the transaction by EVM hash, extrinsic hash, or ID (block-index). fees
explain shows each step of its fee.

Exit codes:
  0  the fee equals what was charged
  1  the fee is undetermined or differs from what was charged, or a check of
     the transaction failed
  2  usage, or the hash names several transactions
  4  no ledger, or no such transaction

` + cli.LabelsManual

const transactionExamples = `  fees tx 3-4
  fees tx 0x7b35dba4a12f899716cdb35fad0c57538c42be9822c1fcb268aa3767fbb57080
  fees tx 3-4 --format json --labels accounts.csv`

// lookupFlags are the flags common to look-up commands.
type lookupFlags struct {
	cli.LedgerFlags
	cli.LabelFlags
	cli.Output
	cli.QuietFlag
	command *cobra.Command
}

func (f *lookupFlags) add(c *cobra.Command) {
	f.command = c
	f.LedgerFlags.Add(c)
	f.LabelFlags.Add(c)
	f.Forms("table", "json")(c)
	f.AddTables(c)
	c.Flags().BoolVar(&f.Quiet, "quiet", false, "show only the result")
}

// lookup returns the run function of a look-up command: it opens address book and ledger, then calls show.
func (f *lookupFlags) lookup(show func(context.Context, *app.Ledger, *app.AddressBook, string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		book, err := f.ReadBook(&f.LedgerFlags, f.Quiet, c.ErrOrStderr())
		if err != nil {
			return err
		}
		return f.Ask(c, func(d *app.Ledger) error {
			if err := d.CheckLabels(c.Context(), book); err != nil {
				return err
			}
			return show(c.Context(), d, book, args[0])
		})
	}
}

func newTransaction() *cobra.Command {
	var f lookupFlags
	return cli.New(&cobra.Command{
		Use: "tx <hash|block-index>", Short: "Show a transaction; build, sign or send one", Long: transactionManual, Example: transactionExamples,
		Args: cli.OneArg("a hash, or a block and index such as 25-7"), RunE: f.lookup(f.showTransaction),
	}, f.add)
}

// showTransaction shows the named transaction.
func (f *lookupFlags) showTransaction(ctx context.Context, d *app.Ledger, book *app.AddressBook, name string) error {
	t, err := d.Transaction(ctx, name)
	if err != nil {
		return err
	}
	err = f.Write(func(w io.Writer) error {
		if f.Format == "json" {
			return t.Record(book).WriteJSON(w)
		}
		return writeTransaction(w, t, book, f.Width())
	})
	drift, ok := t.Drift.Get()
	return cli.Found(err, !t.Fee.Known() || ok && drift.Sign() != 0 || t.Failed != "")
}

// writeTransaction writes a transaction as text.
func writeTransaction(w io.Writer, t *app.Paid, book *app.AddressBook, width int) error {
	page := console.NewPage(w, width)
	kind := t.Call
	if t.Type != "" {
		kind = t.Type
	}
	page.Line(fmt.Sprintf("Transaction %d-%d on %s (%s, %s)", t.Height, t.Index, t.Network, t.Layer, kind), 2)
	page.WriteString("\n")
	when := console.Known(t.Time)
	switch {
	case !t.Final:
		when += ", not final"
	case !t.Sealed:
		when += ", not sealed"
	}
	outcome := string(t.Outcome)
	if outcome == "" {
		outcome = cli.NotKnown
	}
	if t.Status != "" {
		outcome += ": " + t.Status
	}
	var p console.Pairs
	p.Add("block", fmt.Sprint(t.Height))
	p.Add("time", strings.TrimPrefix(when, ", "))
	p.Add("hash", t.Hash.String())
	p.Add("evm hash", console.Known(t.EVMHash))
	p.Add("from", cli.Called(t.Token, book, t.Sender))
	p.Add("to", cli.Called(t.Token, book, t.Recipient))
	payer := cli.Called(t.Token, book, t.Payer)
	if payer == "" {
		payer = cli.NotKnown
	}
	p.Add("payer", payer)
	p.Add("outcome", strings.ReplaceAll(outcome, "_", " "))
	p.Add("rules", t.Rules)
	fee := tokens(t.Fee, t.Token)
	if !t.Fee.Known() {
		fee = "undetermined: " + t.Error
	}
	p.Add("fee", fee)
	p.Add("charged", tokens(t.Charged, t.Token))
	p.Add("verdict", t.Standing().Words())
	p.Add("failed checks", t.Failed)
	if drift, ok := t.Drift.Get(); ok {
		p.Add("drift", strings.TrimSpace(inToken(t.Tokens(drift), t.Symbol)+" "+string(t.Class)))
	}
	page.Pairs(p)
	for _, s := range []*table.Sheet{movementsOf(t, book), transfersOf(t, book)} {
		if s == nil {
			continue
		}
		page.WriteString("\n")
		if err := table.WriteTable(page, s, width); err != nil {
			return err
		}
	}
	return page.Flush()
}

// movementsOf returns the movements of a transaction, nil if there are none.
func movementsOf(t *app.Paid, book *app.AddressBook) *table.Sheet {
	return listed("Movements", t.Token, []table.Column{
		{Name: "account", Kind: table.Address}, {Name: "kind", Kind: table.Text, Term: true}, {Name: "free", Kind: table.SignedWei}, {Name: "reserved", Kind: table.SignedWei, Drop: 2}, {Name: "counterparty", Kind: table.Text, Drop: 1},
	}, book, t.Movements, func(m *ledger.Movement) []any {
		var counterparty any
		if m.Counterparty.Known() {
			counterparty = cli.LabelOf(t.Token, book, m.Counterparty)
		}
		return []any{m.Account, string(m.Kind), m.Free, m.Reserved, counterparty}
	})
}

// transfersOf returns the ERC-20 transfers of a transaction, nil if there are none.
func transfersOf(t *app.Paid, book *app.AddressBook) *table.Sheet {
	return listed("ERC-20 transfers, in the tokens' smallest units", t.Token, []table.Column{
		{Name: "token", Kind: table.Address, Drop: 1}, {Name: "from", Kind: table.Address}, {Name: "to", Kind: table.Address}, {Name: "amount", Kind: table.TokenAmount},
	}, book, t.Transfers, func(x *ledger.Transfer) []any { return []any{x.Token, x.Sender, x.Recipient, x.Amount} })
}

// listed returns a list as a table. With an address book, labels replace addresses.
func listed[T any](title string, token console.Token, columns []table.Column, book *app.AddressBook, list []T, row func(T) []any) *table.Sheet {
	if len(list) == 0 {
		return nil
	}
	s := &table.Sheet{Name: title, Title: title, Token: token}
	for _, c := range columns {
		if c.Kind == table.Address && book != nil {
			c.Kind = table.Text
		}
		s.Columns = append(s.Columns, c)
	}
	s.Rows = func(yield func([]any, error) bool) {
		for _, x := range list {
			cells := row(x)
			for i, value := range cells {
				if a, ok := value.(chain.Address); ok && book != nil {
					cells[i] = cli.LabelOf(token, book, chain.Some(a))
				}
			}
			if !yield(cells, nil) {
				return
			}
		}
	}
	return s
}
