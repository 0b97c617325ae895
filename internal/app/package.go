package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/closing/signature"
	"github.com/feeledger/fees/internal/finance/closing/timestamp"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// PackageQuestion asks for the package of a month, or of a year.
type PackageQuestion struct {
	Dir         string // that becomes the package
	PeriodInput        // a month, or a year
	PackageInputs
	Networks  string               // the file with the user's own network tables, "" for none
	Journal   string               // the journal's program
	With      string               // WithFees or WithMovements
	Proved    bool                 // the statements are proved by balances
	Fiat      string               // the currency of the prices
	Key       *signature.Key       // that signs the manifest, nil for none
	Authority *timestamp.Authority // that stamps the manifest with the time, nil for none
	PackageOptions
}

// PackageInputs are the user's files that a package is made of, "" for none.
type PackageInputs struct {
	Accounts []string     // addresses, and files of them
	Labels   *AddressBook // what addresses are called: the package keeps it; nil for none
	Names    string       // of names for the journal, "" for those of Labels
	Prices   string       // what the token cost, "" for no amounts in a currency
	Classes  string       // the user's own classes of movements
	Books    BooksInput   // the company's own record of fees; without a path there is none
}

// PackageOptions are what making a package and checking it have in common.
type PackageOptions struct {
	Program string // who makes the package, or checks it
	// Balances opens who tells what the accounts had, where the statements are proved.
	Balances func() (source.Source, error)
	// Kept says that a package is checked by the blocks of that source where there is no
	// ledger: it has to be an archive.
	Kept        bool
	Concurrency int      // balances asked for at once; 0 is the default
	Progress    Progress // of blocks
	Asked       Progress // of balances
}

// Closed is a package that was made.
type Closed struct {
	*closing.Package
	Changed    bool                // something of it is new
	Symbol     string              // of the network's token
	Signatures []closing.Signature // of its manifest, checked against nobody
	Unsigned   bool                // the version before was signed, and this one is not
	Stamp      *timestamp.Checked  // of its manifest, checked against nobody; nil for none
	Unstamped  bool                // the version before was stamped, and this one is not
}

// options are what of a question the manifest keeps.
func (q *PackageQuestion) options() closing.Options {
	var priced *closing.Prices
	if q.Prices != "" {
		priced = &closing.Prices{Name: filepath.Base(q.Prices), Currency: q.Fiat}
	}
	var record *closing.Reconciliation
	if q.Books.Path != "" {
		record = &closing.Reconciliation{Name: filepath.Base(q.Books.Path), Reading: q.Books.Reading, Priced: priced != nil}
		record.Columns = append([]string{}, record.Columns...) // never null
	}
	return closing.Options{
		Prices: priced, Journal: q.Journal, With: q.With, Partial: q.Partial, Balances: q.Proved,
		Rollforward: true, Classes: q.Classes != "", OwnNetworks: q.Networks != "", Names: q.Names != "", Labels: q.Labels != nil, Reconciliation: record,
	}
}

// MakePackage makes the package of a month or a year: it is whole, or not there. Where the
// directory has a package of the same period already and a byte differs, the new one is its next
// version. The findings of its manifest say what does not hold.
func (d *Desk) MakePackage(ctx context.Context, q PackageQuestion) (*Closed, error) {
	x, err := d.maker(q.PeriodInput, q.options(), &q.PackageOptions)
	if err != nil {
		return nil, err
	}
	x.inputs = q.PackageInputs
	if _, err := ReadPrices(q.Prices, q.Fiat); err != nil { // before the work
		return nil, err
	}
	if err := x.find(ctx); err != nil {
		return nil, err
	}
	if x.draft, err = closing.Begin(q.Dir); err != nil {
		return nil, err
	}
	defer x.draft.Discard() // nothing is there any more if all went well
	old, err := closing.Prepare(q.Dir)
	if err != nil {
		return nil, err
	}
	if old != nil {
		if err := x.manifest.Follows(old.Manifest); err != nil {
			return nil, fmt.Errorf("-o %s: %w", q.Dir, err)
		}
	}
	if err := errors.Join(x.make(ctx), ctx.Err()); err != nil {
		return nil, err
	}
	var before Closed
	if old != nil {
		before.Package = old
		if err := before.vouched(ctx); err != nil {
			return nil, err
		}
	}
	x.draft.SignWith(q.Key)
	if q.Authority != nil {
		x.draft.StampWith(func(manifest []byte) ([]byte, error) { return q.Authority.Ask(ctx, manifest) })
	}
	made, changed, err := x.draft.Install(q.Dir, x.manifest, old)
	if err != nil {
		return nil, errors.Join(ctx.Err(), err) // a key's agent may be asked for long
	}
	c := &Closed{Package: made, Changed: changed, Symbol: x.network.Symbol}
	if err := c.vouched(ctx); err != nil {
		return nil, err
	}
	c.Unsigned = len(before.Signatures) > 0 && len(c.Signatures) == 0
	c.Unstamped = before.Stamp != nil && c.Stamp == nil
	return c, nil
}

// vouched reads the signatures and the timestamp.
func (c *Closed) vouched(ctx context.Context) (err error) {
	if c.Signatures, err = c.Package.Signatures(nil, time.Now()); err != nil {
		return err
	}
	c.Stamp, err = c.Package.Stamp(ctx, nil)
	return err
}

// Where a package keeps them.
const (
	inputAccounts = "inputs/accounts.csv"
	inputLabels   = "inputs/labels.csv" // the address book
	inputNames    = "inputs/names.csv"
	inputBooks    = "inputs/books" // with its form
	inputPrices   = "inputs/prices.csv"
	inputClasses  = "inputs/classes.csv"
	networksFile  = "networks.json"
)

// maker makes a package.
type maker struct {
	*Desk
	options *PackageOptions
	period  PeriodInput
	asked   Period
	inputs  PackageInputs
	// withoutSource leaves out the files that need balances.
	withoutSource bool
	// cover is what the package has of the month, where it is made again.
	cover chain.Optional[ledger.Cover]
	// evidence is what the package says of it, where it is made again.
	evidence evidence.Evidence
	// examined is what the ledger has of the blocks, where it was read before.
	examined closing.Blocks

	told     source.Source // who tells the balances, once it has answered
	held     Held
	network  *network.Network
	accounts []chain.Address
	labels   *addressbook.Book // of the accounts, and of the address book
	names    *journal.Names    // nil where none are given
	prices   *money.List       // nil where none are given
	classes  *rollforward.OwnRules
	draft    *closing.Draft
	manifest closing.Manifest // all that is known of it so far
}

// maker checks how a package is to be made, and begins to.
func (d *Desk) maker(in PeriodInput, o closing.Options, p *PackageOptions) (*maker, error) {
	if _, ok := Program(o.Journal); !ok {
		return nil, notUnderstood("%v %q: want a program that has journals", FieldProgram, o.Journal)
	}
	switch {
	case o.With != WithFees && o.With != WithMovements:
		return nil, notUnderstood("%v %q: want %s or %s", FieldWith, o.With, WithFees, WithMovements)
	case o.With == WithMovements && !o.Balances:
		return nil, notUnderstood("%v %s opens the journal with balances, and none are to be asked for", FieldWith, WithMovements)
	case in.Month == "" && in.Year == "":
		return nil, notUnderstood("which %v, or which %v?", FieldMonth, FieldYear)
	}
	in.Partial = o.Partial
	asked, err := in.Parse()
	if err != nil {
		return nil, err
	}
	return &maker{Desk: d, options: p, period: in, asked: asked, manifest: closing.Manifest{Tool: p.Program, Options: o}}, nil
}

// find finds the month, the network and the accounts.
func (x *maker) find(ctx context.Context) (err error) {
	if cover, again := x.cover.Get(); again {
		x.held = Held{x.asked, cover, x.evidence}
	} else if x.held, err = x.Held(ctx, x.asked); err != nil {
		return err
	}
	span, err := x.Desk.span(&x.held)
	if err != nil {
		return err
	}
	if x.network, err = x.Network(ctx); err != nil {
		return err
	}
	m := &x.manifest
	m.Network, m.LeftOut, m.Evidence = x.network.Name, []string{}, x.held.Evidence
	id, err := x.Book.Identity(ctx)
	if err != nil {
		return x.of(err)
	}
	if hash, ok := id.Genesis.Get(); ok {
		m.Genesis = hash.String()
	}
	m.Period = closing.Period{
		Month: x.period.Month, Year: x.period.Year, Timezone: x.asked.Zone.String(), From: x.asked.Asked.From.String(), Before: x.asked.Asked.To.String(),
		Complete: len(x.held.Lacks) == 0, Missing: append([]string{}, x.held.Lacks...),
	}
	m.Blocks.First, m.Blocks.Last = span.First, span.Last
	return x.readAccounts()
}

// ask opens who tells the balances, and wants an answer: before the work of minutes that is for
// nothing where nobody answers.
func (x *maker) ask(ctx context.Context) (err error) {
	if !x.manifest.Options.Balances || x.withoutSource {
		return nil
	}
	if x.told, err = x.options.Balances(); err != nil {
		return err
	}
	_, err = x.balances(ctx, x.told, x.span().Last)
	return err
}

// examine reads what the ledger has of the blocks.
func (x *maker) examine(ctx context.Context) error {
	span, m := x.span(), &x.manifest
	if e := &x.examined; e.Count > 0 && e.First == span.First && e.Last == span.Last {
		m.Blocks = *e
	} else {
		var err error
		if m.Blocks, err = closing.Examine(ctx, x.Book, x.asked.Asked, span); err != nil {
			return x.of(err)
		}
	}
	if last, ended := x.lastBlock(ctx).Get(); ended && last == span.Last {
		m.Period.ChainEnd = &closing.ChainEnd{Block: last, Hash: m.Blocks.LastHash}
	}
	return nil
}

// readAccounts reads the accounts with their labels, which a package has as they are
// shown, and the address book.
func (x *maker) readAccounts() (err error) {
	var chosen *addressbook.Book
	if x.accounts, chosen, err = ReadAccounts(x.inputs.Accounts, x.inputs.Labels); err != nil {
		return err
	}
	own := &addressbook.Book{}
	for _, e := range chosen.Entries() {
		label := strings.TrimSpace(console.Printable(cmp.Or(x.inputs.Labels.entries().Entry(e.Address).Label, e.Label)))
		if err := own.Add(addressbook.Entry{Address: e.Address, Label: label}); err != nil {
			return err
		}
		x.manifest.Accounts = append(x.manifest.Accounts, closing.Account{Address: e.Address.String(), Label: label})
	}
	x.labels = own
	if x.inputs.Labels == nil {
		return nil
	}
	kept, err := x.inputs.Labels.printable()
	if err != nil {
		return err
	}
	x.inputs.Labels = kept
	x.labels = kept.With(own)
	return nil
}
