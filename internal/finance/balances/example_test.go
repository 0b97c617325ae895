package balances_test

import (
	"context"
	"fmt"
	"iter"
	"log"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// told contains the reported balance of an account after each block, in wei.
type told []uint64

func (t told) Balance(_ context.Context, _ chain.Address, height uint64) (chain.Balance, error) {
	return chain.Balance{Free: chain.NewWei(t[height])}, nil
}

// Prove a balance by an account's movements: it received 500 wei in block 2. No movement explains
// 7 wei went in block 3.
func ExampleProver() {
	ctx := context.Background()
	received := &ledger.Movement{Height: 2, Movement: movement.Movement{
		Event: "balances.Transfer", Kind: movement.KindTransferIn, Amount: chain.NewWei(500),
		Free: chain.Some(chain.NewWei(500).Signed()), Reserved: chain.Some(chain.SignedWei{}),
	}}
	prover := balances.Prover{
		Comparison: &balances.Comparison{},
		Reader:     told{1000, 1000, 1500, 1493, 1493},
		Span:       chain.Heights{First: 1, Last: 4},
		Movements: func(_ context.Context, span chain.Heights) iter.Seq2[*ledger.Movement, error] {
			return func(yield func(*ledger.Movement, error) bool) {
				if span.First <= received.Height && received.Height <= span.Last {
					yield(received, nil)
				}
			}
		},
	}
	if err := prover.Ends(ctx); err != nil {
		log.Fatal(err)
	}
	running := balances.From(prover.Opening)
	for m, err := range prover.Movements(ctx, prover.Span) {
		if err == nil {
			_, _, err = running.Add(&m.Movement)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	if err := prover.Close(running); err != nil {
		log.Fatal(err)
	}
	if err := prover.Prove(ctx, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println("it holds:", prover.Holds())
	for _, d := range prover.Differences {
		fmt.Println("block", d.Height, "has", d.Free, "wei that no movement explains")
	}
	// Output:
	// it holds: false
	// block 3 has -7 wei that no movement explains
}
