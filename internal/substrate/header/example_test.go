package header_test

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
)

// made returns a chain of headers, block 0 first.
func made(blocks int) (list []*header.Header) {
	var parent chain.Hash
	for n := range blocks {
		h := &header.Header{Header: chain.Header{Number: uint64(n), ParentHash: parent, StateRoot: chain.Hash{1}, ExtrinsicsRoot: chain.Hash{2}}}
		h.Logs = [][]byte{{6, 'n', 'm', 'b', 's', 4, byte(n)}, {8}, {0, 4, 9}}
		parent = h.Hash()
		list = append(list, h)
	}
	return list
}

// One known block proves all blocks below it: each header is proved by the one above.
func ExampleProve() {
	headers := made(4)
	next := chain.Anchor{Height: 3, Hash: headers[3].Hash()} // noted elsewhere
	for more := true; more; {
		parent, err := header.Prove(next, headers[next.Height])
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("block", next.Height, "is proved")
		next, more = parent.Get()
	}
	// Output:
	// block 3 is proved
	// block 2 is proved
	// block 1 is proved
	// block 0 is proved
}
