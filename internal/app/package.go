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
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// PackageRequest requests the close package of a month or a year.
type PackageRequest struct {
	Dir         string // the directory of the package
	Before      string // the directory of the package whose record of fees it keeps; "" is Dir
	Drop        string // what it may lack of that one: "", DropAcceptances or DropRecord
	PeriodInput        // a month, or a year
	PackageInputs
	Networks string // a file with the user's own network tables, or ""
	Journal  string // the accounting program of the journal in tokens; "" for none
	// KeepJournal means that the journal in tokens is that of the package before, if there is one: Journal is a default.
	KeepJournal bool
	Posted      []string             // accounting systems with journals, of [JournalForms]; nil are those of the package before
	Summarise   string               // what their entries have the fees of: a transaction, a day or a month
	Company     string               // its name, for the cover; "" is that of the package before
	With        string               // WithFees or WithMovements
	Proved      bool                 // prove the statements with balances
	NoRecords   bool                 // leave out the records of the blocks
	Key         *signature.Key       // signs the manifest; may be nil
	Authority   *timestamp.Authority // timestamps the manifest; may be nil
	PackageOptions
}

// PackageInputs are the user's files that go into a package; "" for none.
type PackageInputs struct {
	Accounts []string     // addresses, and files of them
	Labels   *AddressBook // the address book, stored in the package; may be nil
	Names    string       // account names for the journal; "" takes them from Labels
	Prices   PricesInput
	Classes  string     // the user's own classes of movements
	Chart    string     // the chart of accounts
	Tags     string     // tags of transactions
	Books    BooksInput // the company's own record of fees; none if Path is ""
}

// PackageOptions apply to making and to checking a package.
type PackageOptions struct {
	Program string // name and version of the program that makes or checks the package
	// Balances opens the source of balances, if the statements are proved.
	Balances func() (source.Source, error)
	// Kept means that without a ledger a package is checked with the blocks of that source, which must be an archive.
	Kept bool
	// Offline means that a package is checked without a source of balances: what needs them is not compared.
	Offline     bool
	Concurrency int      // parallel balance requests; 0 is the default
	Progress    Progress // of blocks
	Asked       Progress // of balances
}

// Closed is a finished package.
type Closed struct {
	*closing.Package
	Changed       bool                // it differs from the previous version
	console.Token                     // the network's
	Signatures    []closing.Signature // of its manifest, without checking the signers
	Unsigned      bool                // the previous version was signed, this one is not
	Stamp         *timestamp.Checked  // of its manifest, without checking the authority; nil for none
	Unstamped     bool                // the previous version was timestamped, this one is not
	Record        string              // the record of fees that it keeps from the version before; "" for none
	Journals      []string            // the formats of journals that it keeps from the version before
}

// options returns the options that the manifest stores.
func (q *PackageRequest) options() closing.Options {
	priced := q.Prices.kept()
	var record *closing.Reconciliation
	if q.Books.Path != "" {
		record = &closing.Reconciliation{Name: cmp.Or(q.Books.Name, filepath.Base(q.Books.Path)), Reading: q.Books.Reading, Priced: priced != nil, Accepted: len(q.Books.Accepted) > 0}
		record.Columns = append([]string{}, record.Columns...) // never null
		for _, more := range q.Books.More {
			kept := closing.Record{Name: cmp.Or(more.Name, filepath.Base(more.Path)), Reading: more.Reading}
			kept.Columns = append([]string{}, kept.Columns...)
			record.More = append(record.More, kept)
		}
	}
	return closing.Options{
		Prices: priced, Journal: q.Journal, Posted: q.Posted, Summarise: summarised(q), Company: q.Company, With: q.With, Partial: q.Partial, Balances: q.Proved,
		Rollforward: true, Classes: q.Classes != "", Chart: q.Chart != "", Tags: q.Tags != "", About: true, Records: !q.NoRecords, OwnNetworks: q.Networks != "", Names: q.Names != "", Labels: q.Labels != nil, Reconciliation: record,
	}
}

// MakePackage makes the package of a month or a year, completely or not at all. If the directory contains a
// package of the same period that differs in any byte, the new one becomes its next version. The findings in its
// manifest list what failed. The package keeps the record of fees and the accepted differences of the one before, unless
// the request states what it drops.
func (d *Ledger) MakePackage(ctx context.Context, q PackageRequest) (*Closed, error) {
	kept, err := d.keepRecord(ctx, &q)
	if err != nil {
		return nil, err
	}
	priced, err := ReadPrices(q.Prices) // fail before the long work
	if err != nil {
		return nil, err
	}
	if priced != nil {
		q.Prices.Fiat = string(priced.Currency)
	}
	x, err := d.maker(q.PeriodInput, q.options(), &q.PackageOptions)
	if err != nil {
		return nil, err
	}
	x.inputs, x.had, x.drop = q.PackageInputs, kept.accepted, q.Drop
	if err := x.find(ctx); err != nil {
		return nil, err
	}
	c, err := x.install(ctx, q.Dir, q.Key, q.Authority)
	if err == nil {
		c.Record, c.Journals = kept.name, kept.journals
	}
	return c, err
}

// install makes the package in a directory. The key and the authority may be nil.
func (x *maker) install(ctx context.Context, dir string, key *signature.Key, authority *timestamp.Authority) (_ *Closed, err error) {
	if x.draft, err = closing.Begin(dir); err != nil {
		return nil, err
	}
	defer x.draft.Discard() // a no-op after success
	old, err := closing.Prepare(dir)
	if err != nil {
		return nil, err
	}
	if old != nil {
		if err := x.manifest.Follows(old.Manifest); err != nil {
			return nil, fmt.Errorf("-o %s: %w", dir, err)
		}
		x.before = old.Manifest
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
	x.draft.SignWith(key)
	if authority != nil {
		x.draft.StampWith(func(manifest []byte) ([]byte, error) { return authority.Ask(ctx, manifest) })
	}
	made, changed, err := x.draft.Install(dir, x.manifest, old)
	if err != nil {
		return nil, errors.Join(ctx.Err(), err) // a key's agent may take long
	}
	c := &Closed{Package: made, Changed: changed, Token: console.Token(x.network.Token())}
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

// Paths of the inputs within a package.
const (
	inputAccounts = "inputs/accounts.csv"
	inputLabels   = "inputs/labels.csv" // the address book
	inputNames    = "inputs/names.csv"
	inputBooks    = "inputs/books"  // plus an extension
	inputPrices   = "inputs/prices" // plus a number and an extension
	inputClasses  = "inputs/classes.csv"
	inputChart    = "inputs/chart.csv"
	inputTags     = "inputs/tags.csv"
	networksFile  = "networks.json"
)

// maker makes a package.
type maker struct {
	*Ledger
	options *PackageOptions
	period  PeriodInput
	asked   Period
	inputs  PackageInputs
	// kept is the package whose files stand in for those that need balances; nil if they are made.
	kept *closing.Manifest
	// trail is the package's own head of the audit trail, when it is made again.
	trail chain.Optional[ledger.TrailHead]
	// before is the manifest of the version before; nil for none.
	before *closing.Manifest
	// cover is the package's own cover of the period, when it is made again.
	cover chain.Optional[ledger.Cover]
	// evidence is the package's own level of evidence, when it is made again.
	evidence evidence.Evidence
	// examined is what the ledger contains of the blocks, if already read.
	examined closing.Blocks
	// heldBefore is the period before, if the package has a variance. lacksBefore means that the package is made again with a
	// ledger that lacks it, or has less evidence for it: its own files, varianceKept, stand in.
	heldBefore   Held
	lacksBefore  bool
	varianceKept []closing.File

	told     source.Source // the source of balances, once it has answered
	deposits deposits.Book // once a file needed it
	held     Held
	network  *network.Network
	accounts []chain.Address
	labels   *addressbook.Book // of the accounts, and of the address book
	names    *journal.Names    // nil where none are given
	prices   *money.List       // nil where none are given
	classes  *rollforward.OwnRules
	charted  ChartInput
	tool     string                 // that about.txt names, when the package is made again
	again    bool                   // the package is made again
	had      []reconcile.Acceptance // of the package before
	drop     string                 // what the package may lack of it
	unfit    []string               // its acceptances that fit no difference
	accepted []acceptedSum
	// worth is the value of what was charged. reconciled and posted are the verdicts on the company's record and on the journals
	// for accounting systems, for the cover.
	worth      chain.Optional[money.Amount]
	reconciled string
	posted     []string
	acts       func(context.Context) ([]byte, error) // the text of inputs/acts.csv
	round      []ledger.Act                          // those acts
	draft      *closing.Draft
	manifest   closing.Manifest // what is known so far
}

// maker checks the options and returns a maker.
func (d *Ledger) maker(in PeriodInput, o closing.Options, p *PackageOptions) (*maker, error) {
	if err := checkJournals(&o); err != nil {
		return nil, err
	}
	switch {
	case o.With != WithFees && o.With != WithMovements:
		return nil, notUnderstood("%v %q: want %s or %s", FieldWith, o.With, WithFees, WithMovements)
	case o.With == WithMovements && !o.Balances:
		return nil, notUnderstood("%v %s needs opening balances, but balances are turned off", FieldWith, WithMovements)
	case in.Month == "" && in.Year == "":
		return nil, notUnderstood("state a %v or a %v", FieldMonth, FieldYear)
	}
	in.Partial = o.Partial
	asked, err := in.Parse()
	if err != nil {
		return nil, err
	}
	return &maker{Ledger: d, options: p, period: in, asked: asked, manifest: closing.Manifest{Tool: p.Program, Options: o}}, nil
}

// find finds the period, the network and the accounts.
func (x *maker) find(ctx context.Context) (err error) {
	if cover, again := x.cover.Get(); again {
		x.held = Held{x.asked, cover, x.evidence}
	} else if x.held, err = x.Held(ctx, x.asked); err != nil {
		return err
	}
	span, err := x.Ledger.span(&x.held)
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
		return x.wrapErr(err)
	}
	if hash, ok := id.Genesis.Get(); ok {
		m.Genesis = hash.String()
	}
	m.Period = closing.Period{
		Month: x.period.Month, Year: x.period.Year, Timezone: x.asked.Zone.String(), From: x.asked.Asked.From.String(), Before: x.asked.Asked.To.String(),
		Complete: len(x.held.Lacks) == 0, Missing: append([]string{}, x.held.Lacks...),
	}
	m.Blocks.First, m.Blocks.Last = span.First, span.Last
	if err := x.readAccounts(ctx); err != nil {
		return err
	}
	return x.findBefore(ctx)
}

// ask opens the source of balances and reads one, so that an unreachable source fails before minutes of work.
func (x *maker) ask(ctx context.Context) (err error) {
	if !x.manifest.Options.Balances || x.kept != nil {
		return nil
	}
	if x.told, err = x.options.Balances(); err != nil {
		return err
	}
	_, err = x.balances(ctx, x.told, x.span().Last)
	return err
}

// examine reads what the ledger contains of the blocks.
func (x *maker) examine(ctx context.Context) error {
	span, m := x.span(), &x.manifest
	if e := &x.examined; e.Count > 0 && e.First == span.First && e.Last == span.Last {
		m.Blocks = *e
	} else {
		var err error
		if m.Blocks, err = closing.Examine(ctx, x.Book, x.asked.Asked, span); err != nil {
			return x.wrapErr(err)
		}
	}
	if last, ended := x.lastBlock(ctx).Get(); ended && last == span.Last {
		m.Period.ChainEnd = &closing.ChainEnd{Block: last, Hash: m.Blocks.LastHash}
	}
	return nil
}

// readAccounts reads the accounts with their labels, in printable form as a package stores them, and the
// address book.
func (x *maker) readAccounts(ctx context.Context) error {
	_, chosen, err := ReadAccounts(x.inputs.Accounts, x.inputs.Labels)
	if err != nil {
		return err
	}
	if x.accounts, err = x.natives(ctx, chosen.Addresses()); err != nil {
		return err
	}
	token, own := console.Token(x.network.Token()), &addressbook.Book{}
	for _, account := range x.accounts {
		e := chosen.Entry(account)
		label := strings.TrimSpace(plain.Line(cmp.Or(x.inputs.Labels.entries().Entry(e.Address).Label, e.Label)))
		if err := own.Add(addressbook.Entry{Address: e.Address, Label: label}); err != nil {
			return err
		}
		x.manifest.Accounts = append(x.manifest.Accounts, closing.Account{Address: token.Account(e.Address), Label: label})
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
