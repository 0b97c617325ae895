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
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/internal/chaingen"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/proof"
	"github.com/feeledger/fees/report"
	"github.com/feeledger/fees/source"
)

func main() {
	n := flag.Uint64("n", 100_000, "how many blocks")
	place := flag.String("ledger", "", "a new PostgreSQL schema, instead of a file in TMPDIR")
	verify := flag.Bool("verify", false, "verify the ledger too")
	flag.Parse()
	if err := run(context.Background(), *n, *place, *verify); err != nil {
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
	made := chaingen.New(chaingen.Options{Seed: 1, Head: n})
	reader := &source.Reader{Source: made.Source(), Tables: network.BuiltIn()}
	book, err := ledger.OpenWriter(ctx, place)
	if err != nil {
		return err
	}
	defer book.Close()
	if err := fill(ctx, book, reader, n); err != nil {
		return err
	}
	if info, err := os.Stat(place); err == nil {
		show("disk with look-ups", "%d bytes a block", info.Size()/int64(n))
	}
	if err := ask(ctx, book); err != nil {
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
	if err := book.DropLookups(ctx); err != nil {
		return err
	}
	var rates []float64
	var early uint64
	start, last := time.Now(), time.Now()
	err = store(ctx, book, reader, false, source.Range{First: 0, Last: n - 1}, func(done uint64) {
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
	start = time.Now()
	err = book.BuildLookups(ctx, func(string) {})
	show("look-ups", "%v", time.Since(start).Round(time.Millisecond))
	return err
}

const batch = 250

// store writes batches while others are judged.
func store(ctx context.Context, book *ledger.Book, reader *source.Reader, signatures bool, blocks source.Range, progress func(done uint64)) error {
	prover := proof.Prover{Reader: reader, Concurrency: 8, Options: evidence.Options{Signatures: signatures}}
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

// month is how many blocks there are in one of thirty days.
const month = 30 * 24 * 60 * 5

// ask times the questions of a year's end.
func ask(ctx context.Context, book *ledger.Book) error {
	const from, to = ledger.Day(0), ledger.Day(1 << 20)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		return err
	}
	var busiest chain.Address
	for _, question := range []struct {
		what string
		ask  func() (int, error)
	}{
		{"fees by contract", func() (int, error) {
			list, err := book.FeesByContract(ctx, from, to)
			return len(list), err
		}},
		{"fees by day in Berlin", func() (int, error) {
			list, err := book.FeesByDay(ctx, berlin, from, to)
			return len(list), err
		}},
		{"find the busiest payer", func() (int, error) {
			sealed, err := book.Sealed(ctx)
			if err != nil {
				return 0, err
			}
			all, _ := sealed.Heights.Get()
			count := map[chain.Address]int{}
			for c, err := range book.Costs(ctx, ledger.Query{Span: all}) {
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
		{"a month's report by account", func() (int, error) {
			sealed, err := book.Sealed(ctx)
			if err != nil {
				return 0, err
			}
			all, _ := sealed.Heights.Get()
			month := ledger.Span{First: max(all.Last, month) - month, Last: all.Last}
			q := report.Question{By: report.Account, Period: ledger.Period{Heights: chain.Some(month)}, Cover: ledger.Cover{Span: chain.Some(month)}}
			r, err := report.Make(ctx, book, q, func(_, _ uint64) {})
			if err != nil {
				return 0, err
			}
			return len(r.Groups), nil
		}},
		{"an account by day: the busiest", func() (int, error) {
			list, err := book.AccountDays(ctx, busiest, from, to)
			return len(list), err
		}},
		{"an account's payments: the busiest", func() (n int, err error) {
			for _, err = range book.Transactions(ctx, ledger.Query{Accounts: []chain.Address{busiest}, Span: ledger.Span{Last: 1 << 62}}) {
				n++
			}
			return n, err
		}},
	} {
		start := time.Now()
		n, err := question.ask()
		if err != nil {
			return err
		}
		show(question.what, "%v, %d rows", time.Since(start).Round(time.Millisecond/10), n)
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
