package queue_test

import (
	"context"
	"fmt"
	"iter"
	"log"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// Share blocks among workers, and be one of them until no job is left. Any number of programs on any machines may do this
// at once. It requires PostgreSQL.
func Example() {
	ctx := context.Background()
	book, err := ledger.OpenShared(ctx, "postgres://fees@localhost/fees")
	if err != nil {
		log.Fatal(err)
	}
	defer book.Close()
	if err := book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 1); err != nil {
		log.Fatal(err)
	}
	src, err := source.Open("demo", source.Options{}) // or a gateway's URL
	if err != nil {
		log.Fatal(err)
	}
	prover := prove.Prover{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}, Concurrency: 8}

	if _, err := queue.Enqueue(ctx, book, []chain.Heights{{First: 1, Last: 27}}, 5); err != nil {
		log.Fatal(err)
	}
	judge := func(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Entry, error] {
		return func(yield func(*ledger.Entry, error) bool) {
			before, err := prove.Before(ctx, prover.Reader, span.First)
			if err != nil {
				yield(nil, err)
				return
			}
			for p, err := range prover.Range(ctx, span, before) {
				var entry *ledger.Entry
				if err == nil {
					entry, err = ledger.NewEntry(p.Block, p.Report)
				}
				if !yield(entry, err) || err != nil {
					return
				}
			}
		}
	}
	if err := queue.Work(ctx, book, judge, queue.Options{UntilDone: true}); err != nil {
		log.Fatal(err)
	}
	jobs, err := queue.Jobs(ctx, book)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(jobs.Done, "jobs done,", jobs.Left(), "left")
}
