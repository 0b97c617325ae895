package evidence_test

import (
	"fmt"
	"log"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Find out who signed an EVM transaction, and its hash: the example in the text of EIP-155.
func ExampleIdentify() {
	args, err := jsonscan.Parse(`{"transaction": {"legacy": {
		"nonce": "9", "gasPrice": "20000000000", "gasLimit": "21000", "value": "1000000000000000000", "input": "0x",
		"action": {"call": "0x3535353535353535353535353535353535353535"},
		"signature": {"v": "37",
			"r": "0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276",
			"s": "0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"}}}}`)
	if err != nil {
		log.Fatal(err)
	}
	id, err := evidence.Identify(&chain.Extrinsic{Pallet: "ethereum", Call: "transact", Args: args})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id.Sender, id.Hash)
	// Output: 0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F 0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788
}
