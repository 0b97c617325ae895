// Command limits measures the program beside what bounds it, in one run: reading from a node beside the node's bare
// answers, storing beside bare inserts of as many bytes, reports and pages beside reading as many bytes. It prints one
// table, with the CPU of each row by stage. README.md describes the columns.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options configure a run.
type options struct {
	blocks   uint64
	sizes    string
	ledgers  string
	postgres string
	month    string
	rounds   int
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	var o options
	serve := flag.Bool("serve", false, "run the node (internal)")
	made := flag.String("make", "", "make this ledger or archive (internal)")
	flag.Uint64Var(&o.blocks, "n", 20_000, "blocks from a node and from an archive")
	flag.StringVar(&o.sizes, "sizes", "300000,1000000", "blocks of the ledgers to fill for reports and pages")
	flag.StringVar(&o.ledgers, "ledgers", "", "ledgers to use instead, comma-separated; they are only read")
	flag.StringVar(&o.postgres, "postgres", "", "an empty PostgreSQL database, postgres://...; none without it")
	flag.StringVar(&o.month, "month", "2025-01", "month of the reports")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds; each measures all rows once")
	flag.Parse()
	run := o.run
	switch {
	case *serve:
		run = func(context.Context) error { return beNode(o.blocks) }
	case *made != "":
		run = func(ctx context.Context) error { return generate(ctx, *made, o.blocks) }
	}
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// row is a measurement of the program, and of what bounds it.
type row struct {
	what, bound string
	blocks      uint64 // that the program reads or stores; 0 if only the time counts
	now         func(p *program) (measured, error)
	// limit is measured after now, with the bytes that now read.
	limit func(now measured) (time.Duration, error)

	times, limits, cpu []time.Duration
	memory             int64
	stages             string
}

func (o *options) run(ctx context.Context) (err error) {
	directory, err := os.MkdirTemp("", "bench-limits")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	fees, profiled, err := build(directory)
	if err != nil {
		return err
	}
	rows, end, err := o.rows(ctx, directory, fees)
	defer end()
	if err != nil {
		return err
	}
	for round := range o.rounds {
		for _, r := range rows {
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, o.rounds, r.what)
			if err := r.measure(fees); err != nil {
				return fmt.Errorf("%s: %w", r.what, err)
			}
		}
	}
	for _, r := range rows {
		profiled.profile = filepath.Join(directory, "cpu.profile")
		if _, err := r.now(profiled); err != nil {
			return fmt.Errorf("%s, with a profile: %w", r.what, err)
		}
		if r.stages, err = stagesOf(profiled.profile); err != nil {
			return err
		}
	}
	show(rows)
	return nil
}

// measure measures a row once.
func (r *row) measure(fees *program) error {
	now, err := r.now(fees)
	if err != nil {
		return err
	}
	r.times, r.cpu, r.memory = append(r.times, now.took), append(r.cpu, now.cpu), max(r.memory, now.memory)
	if r.limit == nil {
		return nil
	}
	limit, err := r.limit(now)
	r.limits = append(r.limits, limit)
	return err
}

// show prints the table, without the ratio to a limit below a millisecond.
func show(rows []*row) {
	fmt.Printf("%-50s %9s %10s %9s %6s  %9s %6s  %s\n", "what", "now, s", "blocks/s", "limit, s", "ratio", "CPU, s", "MB", "limit: what")
	for _, r := range rows {
		now, rate, limit, ratio, memory := median(r.times), "", "", "", ""
		if r.blocks > 0 {
			rate = strconv.FormatFloat(float64(r.blocks)/now.Seconds(), 'f', 0, 64)
		}
		if len(r.limits) > 0 {
			least := median(r.limits)
			if limit = fmt.Sprintf("%.3f", least.Seconds()); least >= time.Millisecond {
				ratio = fmt.Sprintf("%.1f", now.Seconds()/least.Seconds())
			}
		}
		if r.memory > 0 {
			memory = strconv.FormatInt(r.memory>>20, 10)
		}
		fmt.Printf("%-50s %9.3f %10s %9s %6s  %9.3f %6s  %s\n", r.what, now.Seconds(), rate, limit, ratio, median(r.cpu).Seconds(), memory, r.bound)
	}
	fmt.Println("\nCPU by stage, %:")
	for _, r := range rows {
		fmt.Printf("%-50s %s\n", r.what, r.stages)
	}
}

func median(list []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(list))[len(list)/2]
}

// ledgersOf returns the ledgers for reports and pages: given ones, or new ones.
func (o *options) ledgersOf(directory string) (list []string, err error) {
	if o.ledgers != "" {
		return strings.Split(o.ledgers, ","), nil
	}
	for text := range strings.SplitSeq(o.sizes, ",") {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("-sizes %s must be numbers of blocks", o.sizes)
		}
		place := filepath.Join(directory, text+ledgerEnd)
		fmt.Fprintf(os.Stderr, "fill a ledger of %d blocks\n", n)
		if err := another("-make", place, "-n", text).Run(); err != nil {
			return nil, fmt.Errorf("fill a ledger: %w", err)
		}
		list = append(list, place)
	}
	return list, nil
}
