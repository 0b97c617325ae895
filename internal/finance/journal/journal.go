package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/movement"
)

// Request controls how entries are made from payments.
type Request struct {
	console.Token // the network's
	Network       string
	Title         string // the first line of a journal in tokens
	Notes         []string
	Zone          *time.Location // time zone of the dates; nil for UTC
	Prices        *money.List    // nil for amounts only in the token
	// Partial leaves amounts without a price in the token only, and out of a summary.
	Partial bool
	Placer  // the company's chart of accounts; without one, the accounts are those of Names

	// For journals in tokens:
	Names       *Names // nil to use addresses as names
	NetworkSide bool   // also enter the destinations of each fee
	// Continues states that the previous journal exists: a journal of movements then asserts its opening balances
	// instead of entering them, and one for Beancount opens no account that an earlier journal of the same ledger
	// has opened.
	Continues bool
	// Receivables are the deposits of accounts before and after the period; nil if they are not known.
	Receivables map[chain.Address]deposits.Receivable
	// Alone states that there is no other journal. A journal for Beancount then opens nothing for later ones and
	// depends only on the period.
	Alone bool

	// For summaries:
	Format Format
	By     By // what an entry has the fees of
	// After is the summary of another chain whose files this one continues; nil for none.
	After *Summary
}

func (r *Request) zone() *time.Location { return cmp.Or(r.Zone, time.UTC) }

// names returns the names; accounts without one have the form of the network.
func (r *Request) names() *Names {
	var names Names
	if r.Names != nil {
		names = *r.Names
	}
	names.token = r.Token
	return &names
}

// composer makes entries in tokens: the one stream behind every format.
type composer struct {
	Request
	payments *Payments
	verbatim bool // the accounts are exactly as in the chart
	moved    bool // of movements, else of fees
	assets   map[chain.Address]Account
}

// entries returns the entries in chain order. It ends with [ErrChanged] if the payments differ from those of the first
// pass.
func (c *composer) entries(ctx context.Context) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for e, err := range c.compose(ctx, c.payments.All(ctx)) {
			if err == nil {
				err = c.describe(ctx, e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// compose makes entries that are not yet described. Only errors of type [LedgerError] end them.
func (c *composer) compose(ctx context.Context, payments iter.Seq2[*Payment, error]) iter.Seq2[*Entry, error] {
	if c.moved {
		return c.movements(ctx, payments)
	}
	return func(yield func(*Entry, error) bool) {
		for x, err := range payments {
			var e *Entry
			switch {
			case err == nil && x.known():
				e, err = c.fee(ctx, x)
			case err == nil:
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// before returns the accounts of the entries before the period. Fees and movements without an entry are skipped: no
// journal contains them.
func (c *composer) before(ctx context.Context) (map[Account]bool, error) {
	found := map[Account]bool{}
	earlier := *c
	earlier.payments = c.payments.before()
	for e, err := range earlier.compose(ctx, earlier.payments.read(ctx)) {
		if as := (*LedgerError)(nil); errors.As(err, &as) {
			return nil, err
		}
		if err != nil {
			continue
		}
		if changes, err := e.changes(); err == nil {
			for _, x := range changes {
				found[x.account] = true
			}
		}
	}
	return found, nil
}

// newEntry returns an entry of an extrinsic or a hook without postings.
func newEntry(height uint64, where movement.Where, at chain.Optional[chain.Time], t *ledger.Transaction) *Entry {
	return &Entry{head: head{height: height, where: where}, when: at, transaction: t}
}

// fee returns the entry of a payment with known payer and amount: an expense, paid from the payer's asset account.
func (c *composer) fee(ctx context.Context, p *Payment) (*Entry, error) {
	e := newEntry(p.Height, movement.Where(p.Index), p.Time, p.Transaction)
	key, placed, err := c.key(ctx, p)
	if err != nil {
		return nil, err
	}
	paid, _ := p.Paid.Get()
	e.remarks, e.placed = p.Remarks, placed
	e.Postings = []*Posting{{Key: key, Wei: paid.Signed(), Fees: 1}}
	if c.NetworkSide {
		if err := e.network(p); err != nil {
			return nil, e.of(err)
		}
	}
	return e, nil
}

// key returns the accounts and dimensions of a fee: those of its layer and its payer, or those of the chart.
func (c *composer) key(ctx context.Context, p *Payment) (k Key, placed *Placed, err error) {
	payer, _ := p.Payer.Get()
	asset := c.names().Asset(payer)
	if c.Chart == nil {
		return Key{Account: feeAccount(p.Layer), Contra: asset}, nil, nil
	}
	if placed, err = c.Place(ctx, p.Transaction); err != nil {
		return k, nil, err
	}
	isNamed := placed.Asset == "" && !c.verbatim
	if isNamed {
		placed.Asset = string(asset)
	}
	if k, err = placed.key(); err != nil || c.verbatim {
		return k, placed, err
	}
	if k.Account, err = parseAccount(placed.Expense); err == nil && !isNamed {
		k.Contra, err = parseAccount(placed.Asset)
	}
	return k, placed, err
}

var errNoTime = fmt.Errorf("the block has no timestamp: %w", chain.ErrMissing)

// describe gives an entry its time, and the hash and the call of its transaction.
func (c *composer) describe(ctx context.Context, e *Entry) (err error) {
	var known bool
	if e.time, known = e.when.Get(); !known {
		return e.of(errNoTime)
	}
	e.Memo = fmt.Sprintf("block %d %v", e.height, e.where)
	t, err := c.causeOf(ctx, e)
	if t != nil {
		e.Reference, e.Memo = t.LayerHash().String(), fmt.Sprintf("block %d-%d %s", t.Height, t.Index, clean(t.Call))
	}
	return err
}

// causeOf returns the transaction that caused an entry, nil for a hook and for an inherent.
func (c *composer) causeOf(ctx context.Context, e *Entry) (*ledger.Transaction, error) {
	index, within := e.where.Extrinsic()
	if !within || e.transaction != nil {
		return e.transaction, nil
	}
	var err error
	if e.transaction, err = c.payments.book.TransactionAt(ctx, ledger.Place{Height: e.height, Row: index}); err != nil {
		return nil, &LedgerError{err}
	}
	return e.transaction, nil
}

// network adds the destinations of a fee, or a remark if they are not known.
func (e *Entry) network(p *Payment) error {
	paid, _ := p.Paid.Get()
	parts, err := chain.Wei{}, error(nil)
	for _, part := range []struct {
		account Account
		amount  chain.Optional[chain.Wei]
	}{{networkBurned, p.Burned}, {networkTreasury, p.Treasury}, {networkAuthor, p.Author}} {
		amount, ok := part.amount.Get()
		if !ok {
			e.remarks = append(e.remarks, "the destinations of the fee are not known")
			return nil
		}
		if amount.IsZero() {
			continue
		}
		if parts, err = parts.Add(amount); err != nil {
			return err
		}
		e.post(part.account, amount.Signed())
	}
	if beside, ok := mintedBeside(p, parts, paid); ok {
		e.remarks = append(e.remarks, "the author's amount was minted and is not part of the fee")
		parts = paid
		e.post(networkMinted, beside.Signed().Negated())
	}
	if parts != paid {
		return fmt.Errorf("burned, treasury and author add up to %v wei, but %v were paid", parts, paid)
	}
	if !paid.IsZero() {
		e.post(networkFees, paid.Signed().Negated())
	}
	return nil
}

// mintedBeside returns the author's amount if the fee went entirely to others: runtimes before 1600 distributed
// the whole fee and minted the author's part in addition.
func mintedBeside(p *Payment, parts, paid chain.Wei) (author chain.Wei, ok bool) {
	author, _ = p.Author.Get()
	others, err := parts.Sub(author)
	return author, err == nil && !author.IsZero() && others == paid
}

// Journal contains entries in tokens in chain order, to be written for a program. They are not held in memory, but made
// again on each pass.
type Journal struct {
	composer
	holdings    []holding    // opening and closing balances; none if only fees are entered
	receivables []receivable // the same of deposits
	begin       chain.Time   // the earliest
	end         chain.Time   // the latest
	shared      *Shared      // nil for the only journal of a file
	survey
}

// Shared is what the journals of several chains share that are written to one file: it declares each account once, on the
// earliest day of all. Let each journal [Journal.Join] before the first is written.
type Shared struct {
	opened map[Account]bool
	first  string // day; "" for none
}

// Join makes the journal one of several in a file of a format.
func (j *Journal) Join(ctx context.Context, s *Shared, f Format) error {
	j.shared = s
	if s.opened == nil {
		s.opened = map[Account]bool{}
	}
	if day := j.firstDay(); s.first == "" || day < s.first {
		s.first = day
	}
	if f.program.last != nil || !j.Continues {
		return nil
	}
	before, err := j.before(ctx)
	if err == nil {
		j.addOpened(before)
		maps.Copy(s.opened, before)
	}
	return err
}

// firstDay returns the first day with an entry, and some day without entries.
func (j *Journal) firstDay() string {
	if len(j.days) == 0 {
		return "1970-01-01"
	}
	return slices.Min(slices.Collect(maps.Keys(j.days)))
}

// FeeJournal creates an entry for each payment with a known amount: an expense of its layer, paid from the payer's
// asset account. The other payments are in [Payments.Undetermined].
//
// It reads all payments, which are read again when the journal is written.
func FeeJournal(ctx context.Context, payments *Payments, r Request) (*Journal, error) {
	accounts, err := assets(r.names(), payments.payers)
	if err != nil {
		return nil, err
	}
	j := &Journal{composer: composer{Request: r, payments: payments, assets: accounts}}
	return j, j.look(ctx)
}
