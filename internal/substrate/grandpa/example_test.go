package grandpa_test

import (
	"crypto/ed25519"
	"encoding/binary"
	"fmt"

	"github.com/feeledger/fees/internal/substrate/grandpa"
)

// Three of four validators sign block 7: it is final.
func ExampleSet_Verify() {
	const round, setID = 1, 42
	target := append(make([]byte, 32), 7, 0, 0, 0) // hash and number
	message := binary.LittleEndian.AppendUint64(append([]byte{1}, target...), round)
	message = binary.LittleEndian.AppendUint64(message, setID)

	authorities := []byte{4 << 2}
	justification := append(binary.LittleEndian.AppendUint64(nil, round), target...)
	justification = append(justification, 3<<2)
	for i := range byte(4) {
		key := ed25519.NewKeyFromSeed(append(make([]byte, 31), i))
		public := key.Public().(ed25519.PublicKey)
		authorities = binary.LittleEndian.AppendUint64(append(authorities, public...), 1)
		if i < 3 {
			justification = append(append(justification, target...), ed25519.Sign(key, message)...)
			justification = append(justification, public...)
		}
	}
	justification = append(justification, 0) // no headers

	set, err := grandpa.NewSet(setID, authorities)
	if err != nil {
		fmt.Println(err)
		return
	}
	j, err := grandpa.ReadJustification(justification)
	if err != nil {
		fmt.Println(err)
		return
	}
	tally, err := set.Verify(j)
	fmt.Printf("%d of %d signed, %d must: %v\n", tally.Signers, set.Members(), set.Threshold(), err)
	j.Target.Height++
	_, err = set.Verify(j)
	fmt.Println("with another height:", err != nil)
	// Output:
	// 3 of 4 signed, 3 must: <nil>
	// with another height: true
}
