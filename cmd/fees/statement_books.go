package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/statement"
)

// mostLabelBytes is what a file of labels may have.
const mostLabelBytes = 64 << 20

// named are the accounts that are asked about, and what of the arguments is no account.
func (f *statementFlags) named(args []string) (accounts []chain.Address, rest []string, err error) {
	var l accountList
	for _, arg := range args {
		if isAddress(arg) {
			l.add("", arg)
		} else {
			rest = append(rest, arg)
		}
	}
	l.addFlag(f.accounts)
	if accounts, err = l.all(); err == nil && len(accounts) == 0 {
		err = errors.New("name an account, an address of 0x and 40 hex digits, or --accounts with a file of them")
	}
	return accounts, rest, err
}

func (f *statementFlags) readLabels() (statement.Labels, error) {
	if f.labels == "" {
		return nil, nil
	}
	content, err := readSmallFile(f.labels, mostLabelBytes)
	if err != nil {
		return nil, fmt.Errorf("--labels: %w", err)
	}
	labels, err := statement.ReadLabels(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("--labels %s: %w", f.labels, err)
	}
	return labels, nil
}

// open opens the ledger, or makes one for the moment, and the gateway, and finds the
// period.
func (b *statementBooks) open(ctx context.Context, f *statementFlags, asked period, stderr io.Writer) error {
	reader, err := f.reader()
	if err != nil {
		return err
	}
	if err := f.openStatementBook(ctx, b, reader, asked, stderr); err != nil {
		return err
	}
	covered, err := asked.of(ctx, b.book, b.place)
	if err != nil {
		return err
	}
	if err := b.over(ctx, &covered); err != nil {
		return err
	}
	if err := b.describe(ctx, reader); err != nil || f.noBalances {
		return err
	}
	return b.prove(ctx, reader.Source)
}

// over takes the blocks of a period.
func (b *statementBooks) over(ctx context.Context, c *covered) error {
	span, ok := c.Span.Get()
	if !ok {
		return ofLedger(b.place, fmt.Errorf("it has no block of %s", c.name))
	}
	b.span, b.style.Notes = span, c.notes()
	outside, err := b.book.Outside(ctx, c.asked, span)
	if err != nil {
		return ofLedger(b.place, err)
	}
	if len(outside) > 0 {
		b.style.Notes = append(b.style.Notes, fmt.Sprintf("these are the blocks %v: by its own time, block %d is not of %s", span, outside[0], c.name))
	}
	return nil
}

// prove takes the balances of a source.
func (b *statementBooks) prove(ctx context.Context, src source.Source) (err error) {
	b.balances, err = balancesFor(ctx, b.book, b.place, src, b.span.Last)
	return err
}

// openStatementBook opens the ledger. Where none is named and none is there, or none is
// wanted, it makes one of a range's blocks.
func (f *statementFlags) openStatementBook(ctx context.Context, b *statementBooks, reader *source.Reader, asked period, stderr io.Writer) (err error) {
	span, ranged := asked.asked.Heights.Get()
	_, missing := os.Stat(defaultLedger)
	unnamed := cmp.Or(f.ledger, os.Getenv("FEES_LEDGER")) == "" && errors.Is(missing, os.ErrNotExist)
	if f.direct && !ranged {
		return errors.New("--direct wants a range of heights, such as 100..199")
	}
	if !f.direct && !(unnamed && ranged) {
		if b.book, b.place, err = f.openBook(ctx, ledger.Open); err == nil {
			b.close = func() { b.book.Close() }
		}
		return err
	}
	p := newProgress(stderr, "blocks", f.quiet)
	defer p.end()
	b.place = "for the moment"
	b.book, b.close, err = temporaryLedger(ctx, reader, span, f.concurrency, p)
	return err
}

// describe finds the network and its token.
func (b *statementBooks) describe(ctx context.Context, reader *source.Reader) error {
	n, err := networkOf(ctx, b.book, b.place, reader.Tables)
	if err != nil {
		return err
	}
	b.network, b.style.Symbol = n.Name, n.Symbol
	return nil
}
