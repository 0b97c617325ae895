// Command ledger measures a ledger as it grows: how fast it is filled and in how
// much memory and disk, and how fast it answers. The blocks are made up by
// internal/chaingen while they are read, which is part of the time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// What cmd/fees sets.
const (
	gcPercent   = 400
	memoryLimit = 300 << 20
)

func main() {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
	n := flag.Uint64("n", 100_000, "how many blocks")
	place := flag.String("ledger", "", "a new PostgreSQL schema, instead of a file in TMPDIR")
	verify := flag.Bool("verify", false, "verify the ledger too")
	number := flag.Int("workers", 0, "fill the PostgreSQL schema by so many workers, and ask nothing")
	latency := flag.Duration("latency", 0, "what a question and its answer take together between the workers and the server")
	keptBack := flag.Bool("seal-after", false, "have the workers' blocks sealed when all are stored")
	flag.Parse()
	run := func(ctx context.Context) error { return run(ctx, *n, *place, *verify) }
	if *number > 0 {
		run = func(ctx context.Context) error {
			place, err := slowed(*place, *latency)
			if err != nil {
				return err
			}
			w := workers{place, generated(*n), *number, *keptBack}
			return w.fill(ctx, *n)
		}
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, n uint64, place string, verify bool) (err error) {
	directory, err := os.MkdirTemp("", "bench-ledger")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	if place == "" {
		place = filepath.Join(directory, "fees.db")
	}
	reader := generated(n + rolledBack)
	book, err := ledger.OpenWriter(ctx, place)
	if err != nil {
		return err
	}
	defer book.Close()
	if err := fill(ctx, book, reader, n); err != nil {
		return err
	}
	if info, err := os.Stat(place); err == nil {
		show("disk", "%d bytes a block", info.Size()/int64(n))
	}
	if err := ask(ctx, book); err != nil {
		return err
	}
	if err := rollBack(ctx, book, reader, n); err != nil {
		return err
	}
	if verify {
		start := time.Now()
		damages := 0
		if err := book.Verify(ctx, func(ledger.Damage) { damages++ }, func(_, _ uint64) {}); err != nil {
			return err
		}
		show("ledger verify", "%.0f blocks/s, %d damages", float64(n)/time.Since(start).Seconds(), damages)
	}
	return comparisons(ctx, directory)
}

// generated are n blocks that are made up.
func generated(n uint64) *source.Reader {
	return &source.Reader{Source: chaingen.New(chaingen.Options{Seed: 1, Head: n}).Source(), Tables: network.BuiltIn()}
}

func show(what, format string, arguments ...any) {
	fmt.Printf("%-34s %s\n", what, fmt.Sprintf(format, arguments...))
}

// fill imports n blocks as fees sync does, and tells the rate of each tenth.
func fill(ctx context.Context, book *ledger.Book, reader *source.Reader, n uint64) error {
	genesis, err := reader.Source.Block(ctx, 0)
	if err != nil {
		return err
	}
	if err := book.Begin(ctx, ledger.Identity{Network: "moonbeam", Genesis: chain.Some(genesis.Hash)}, 0); err != nil {
		return err
	}
	var rates []float64
	var early uint64
	start, last := time.Now(), time.Now()
	err = store(ctx, book, reader, false, chain.Heights{First: 0, Last: n - 1}, func(done uint64) {
		if done%(n/10) == 0 {
			rates = append(rates, float64(n/10)/time.Since(last).Seconds())
			last = time.Now()
			show(fmt.Sprintf("import, up to %d", done), "%.0f blocks/s, peak memory %d MB", rates[len(rates)-1], peak()>>20)
			if len(rates) == 1 {
				early = peak()
			}
		}
	})
	if err != nil {
		return err
	}
	show("import", "%.0f blocks/s, %v", float64(n)/time.Since(start).Seconds(), time.Since(start).Round(time.Second))
	show("last tenth to first", "%.2f", rates[len(rates)-1]/rates[0])
	show("peak memory, all to first tenth", "%.2f", float64(peak())/float64(early))
	return nil
}

const batch = 250

// store writes batches while others are judged.
func store(ctx context.Context, book *ledger.Book, reader *source.Reader, signatures bool, blocks chain.Heights, progress func(done uint64)) error {
	prover := prove.Prover{Reader: reader, Concurrency: 8, Options: evidence.Options{Signatures: signatures}}
	batches, written := make(chan []*ledger.Entry, 1), make(chan error, 1)
	go func() {
		var err error
		for b := range batches {
			if err == nil {
				err = book.Write(ctx, b)
			}
		}
		written <- err
	}()
	var next []*ledger.Entry
	var failed error
	for p, err := range prover.Range(ctx, blocks, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			failed = err
			break
		}
		e, err := ledger.NewEntry(p.Block, p.Report)
		if err != nil {
			failed = err
			break
		}
		if next = append(next, e); len(next) == batch {
			batches <- next
			next = nil
		}
		progress(p.Block.Number - blocks.First + 1)
	}
	batches <- next
	close(batches)
	if err := errors.Join(failed, <-written); err != nil {
		return err
	}
	_, err := book.Seal(ctx)
	return err
}

// rolledBack is how many blocks are replaced at once.
const rolledBack = 10

// rollBack times it, with blocks on top of n sealed ones.
func rollBack(ctx context.Context, book *ledger.Book, reader *source.Reader, n uint64) error {
	before, err := prove.Before(ctx, reader, n)
	if err != nil {
		return err
	}
	var list []*ledger.Entry
	prover := prove.Prover{Reader: reader}
	for p, err := range prover.Range(ctx, chain.Heights{First: n, Last: n + rolledBack - 1}, before) {
		if err != nil {
			return err
		}
		p.Report.Finalized = chain.Some(false)
		e, err := ledger.NewEntry(p.Block, p.Report)
		if err != nil {
			return err
		}
		list = append(list, e)
	}
	if err := book.Write(ctx, list); err != nil {
		return err
	}
	start := time.Now()
	removed, err := book.Rollback(ctx)
	show("rollback", "%v, %d blocks", time.Since(start).Round(time.Millisecond/10), removed)
	return err
}

// month is how many blocks there are in one of thirty days.
const month = 30 * 24 * 60 * 5

// ask times the questions of a year's end.
func ask(ctx context.Context, book *ledger.Book) error {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return err
	}
	sealed, err := book.Sealed(ctx)
	if err != nil {
		return err
	}
	all, _ := sealed.Heights.Get()
	lastMonth := chain.Heights{First: max(all.Last, month) - month, Last: all.Last}
	reported := func(q report.Question, span chain.Heights) func() (int, error) {
		return func() (int, error) {
			q.Period.Heights, q.Cover.Span = chain.Some(span), chain.Some(span)
			r, err := report.Make(ctx, book, q, func(_, _ uint64) {})
			if err != nil {
				return 0, err
			}
			return len(r.Groups), nil
		}
	}
	var busiest chain.Address
	for _, question := range []struct {
		what string
		ask  func() (int, error)
	}{
		{"status", func() (int, error) {
			_, err := book.Status(ctx)
			return 1, err
		}},
		{"fees by month", reported(report.Question{Choice: report.Choice{By: report.Month}}, all)},
		{"fees by day in Berlin", reported(report.Question{Choice: report.Choice{By: report.Day}, Zone: berlin}, all)},
		{"fees by contract", reported(report.Question{Choice: report.Choice{By: report.Contract}}, all)},
		{"fees by account", reported(report.Question{Choice: report.Choice{By: report.Account}}, all)},
		{"a month's fees by account", reported(report.Question{Choice: report.Choice{By: report.Account}}, lastMonth)},
		{"the same with percentiles", reported(report.Question{Choice: report.Choice{By: report.Account, Percentiles: true}}, lastMonth)},
		{"find the busiest payer", func() (int, error) {
			count := map[chain.Address]int{}
			for c, err := range book.Costs(ctx, ledger.Query{Span: lastMonth}) {
				if err != nil {
					return 0, err
				}
				payer, _ := c.Payer.Get()
				if count[payer]++; count[payer] > count[busiest] {
					busiest = payer
				}
			}
			return len(count), nil
		}},
		{"an account's payments: the busiest", func() (n int, err error) {
			for _, err = range book.Transactions(ctx, ledger.Query{Accounts: []chain.Address{busiest}, Span: all}) {
				n++
			}
			return n, err
		}},
	} {
		start := time.Now()
		n, err := question.ask()
		took := time.Since(start).Round(time.Millisecond / 10)
		var many *report.TooManyGroupsError
		if errors.As(err, &many) {
			show(question.what, "%v, refused: %v", took, err)
			continue
		}
		if err != nil {
			return err
		}
		show(question.what, "%v, %d rows", took, n)
	}
	return nil
}

// peak is the most memory that this process has had, in bytes; 0 where the system
// does not tell.
func peak() uint64 {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseUint(strings.Fields(rest)[0], 10, 64)
			return kb << 10
		}
	}
	return 0
}
