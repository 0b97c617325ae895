package ethtx_test

import (
	"encoding/hex"
	"fmt"
	"log"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/tx/keys"
)

// Build a transaction, sign it, and encode it. This one is the example of EIP-155.
func ExampleTransaction_Sign() {
	to, err := chain.ParseAddress("0x3535353535353535353535353535353535353535")
	if err != nil {
		log.Fatal(err)
	}
	transfer := &ethtx.Transaction{
		Type:     chain.Legacy,
		ChainID:  1,
		Nonce:    chain.NewNonce(9),
		GasPrice: chain.NewGasPrice(20_000_000_000), // wei per gas
		GasLimit: chain.NewGas(21_000),
		To:       chain.Some(to),
		Value:    chain.NewWei(1_000_000_000_000_000_000),
	}
	digest, err := transfer.Digest()
	if err != nil {
		log.Fatal(err)
	}
	key, err := keys.ParseHex([]byte("4646464646464646464646464646464646464646464646464646464646464646"))
	if err != nil {
		log.Fatal(err)
	}
	defer key.Wipe()
	signature, err := key.Sign(digest)
	if err != nil {
		log.Fatal(err)
	}
	transfer.Sign(signature)
	sent, err := transfer.Encode()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("signed:", digest)
	fmt.Println("sent:  ", hex.EncodeToString(sent))
	// Output:
	// signed: 0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53
	// sent:   f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83
}

// Parse a transaction that was sent to a chain, and recover its signer.
func ExampleParse() {
	sent, err := hex.DecodeString("02f870820504078085e8d4a51000825208943cd0a705a2dc65e5b1e1205896baa2be8a07c6e087038d7ea4c6800080" +
		"c001a0707d17a5a74ba921e174ecffe55f971e58cbd3718ea81ca0881159b570095ba0a04b103811b95f143ca947aa70220755c38bd9102e966096b61e49d74177513558")
	if err != nil {
		log.Fatal(err)
	}
	transaction, err := ethtx.Parse(sent)
	if err != nil {
		log.Fatal(err)
	}
	hash, err := transaction.Hash()
	if err != nil {
		log.Fatal(err)
	}
	sender, err := transaction.Sender()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(transaction.Type, hash)
	fmt.Println("from", sender, "with the nonce", transaction.Nonce)
	fmt.Println("at most", transaction.MaxFeePerGas, "wei per gas")
	// Output:
	// eip1559 0xc54fbc435666e3062a39095f50fb26036d8e2680ba828bbac7a7c245d77c3332
	// from 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac with the nonce 7
	// at most 1000000000000 wei per gas
}
