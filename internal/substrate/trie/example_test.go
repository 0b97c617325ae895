package trie_test

import (
	"encoding/hex"
	"fmt"

	"github.com/feeledger/fees/internal/substrate/trie"
)

// A trie with the keys 1314 and 4819 has one node, which contains both leaves.
func ExampleProof_Value() {
	proof, err := trie.ParseProof(`{"at":"0xef08","proof":["0x8012001443031404ff1443081904fe"]}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	root, _ := hex.DecodeString("5a97575091d0944570d42cd246c87f097972b725deda4eb13f535087c63d7422")
	for _, key := range [][]byte{{0x48, 0x19}, {0x48}} {
		value, has, err := proof.Value(trie.Hash(root), key)
		fmt.Printf("%x: %x, %v, %v\n", key, value, has, err)
	}
	_, _, err = proof.Value(trie.Hash{1}, []byte{0x48})
	fmt.Println(err)
	// Output:
	// 4819: fe, true, <nil>
	// 48: , false, <nil>
	// the node with the hash 0x0100000000000000000000000000000000000000000000000000000000000000 is not in the proof
}
