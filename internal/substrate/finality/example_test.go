package finality_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/feeledger/fees/internal/substrate/finality"
	"github.com/feeledger/fees/internal/test/finalitytest"
)

// A relay chain's validators prove a parachain's block final.
func ExampleEvidence_Prove() {
	file, err := json.Marshal(finalitytest.Make())
	if err != nil {
		fmt.Println(err)
		return
	}
	evidence, err := finality.Parse(string(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := evidence.Prove(context.Background(), finality.Options{})
	head, _ := result.Head.Get()
	fmt.Println(result.Final, result.Sets, err)
	fmt.Println("parachain", head.Para, "block", head.Height)
	// Output:
	// true [5 6 7] <nil>
	// parachain 2004 block 1010
}
