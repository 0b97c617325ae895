package keys_test

import (
	"fmt"
	"log"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx/recovery"
	"github.com/feeledger/fees/internal/tx/keys"
)

// Sign a digest with the second key of a phrase. This phrase belongs to Moonbeam's development chains: it is
// public, so its keys protect nothing.
func ExampleFromMnemonic() {
	key, err := keys.FromMnemonic([]byte("bottom drive obey lake curtain smoke basket hold race lonely fit walk"), "", 1)
	if err != nil {
		log.Fatal(err)
	}
	defer key.Wipe()
	fmt.Println(key) // never the key itself

	digest, err := chain.ParseHash("0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53")
	if err != nil {
		log.Fatal(err)
	}
	signature, err := key.Sign(digest)
	if err != nil {
		log.Fatal(err)
	}
	signer, err := recovery.Signer(digest, signature)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(signer, "signed")
	// Output:
	// the key of 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0
	// 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 signed
}
