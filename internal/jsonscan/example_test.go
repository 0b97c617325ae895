package jsonscan_test

import (
	"fmt"

	"github.com/feeledger/fees/internal/jsonscan"
)

// A value is looked into when it is needed; a chain of look-ups needs one check.
func ExampleParse() {
	v, err := jsonscan.Parse(`{"transaction": {"eip1559": {"nonce": "7", "gasLimit": "0x5208"}}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	payload := v.Member("transaction").Member("eip1559")
	nonce, ok := payload.Member("nonce").Text()
	fmt.Println(nonce, ok)
	fmt.Println(payload.Member("gasPrice").Kind())
	fmt.Println(v.Member("no").Member("such").Index(3).Kind())
	// Output:
	// 7 true
	// absent
	// absent
}

func ExampleParse_duplicateKey() {
	_, err := jsonscan.Parse(`{"tip": "1", "\u0074ip": "1000"}`)
	fmt.Println(err)
	// Output:
	// invalid JSON at byte 13: key "tip" twice in one object
}

// What is not asked for is skipped, which proves it as well.
func ExampleScan() {
	const text = `{"number": "42", "logs": [{"index": 1}], "hash": "0xab"}`
	var number, hash string
	err := jsonscan.Scan(text, func(s *jsonscan.Scanner) {
		s.Object()
		for s.Member() {
			switch s.Key() {
			case "number":
				number = s.Text()
			case "hash":
				hash = s.Text()
			default:
				s.Skip()
			}
		}
	})
	fmt.Println(number, hash, err)
	// Output:
	// 42 0xab <nil>
}

// One error at the end covers the whole walk.
func ExampleScan_error() {
	var number string
	err := jsonscan.Scan(`{"number": 42}`, func(s *jsonscan.Scanner) {
		s.Object()
		for s.Member() {
			number = s.Text()
		}
	})
	fmt.Printf("%q %v\n", number, err)
	// Output:
	// "" invalid JSON at byte 11: want a string
}

func ExampleValue_Only() {
	v, err := jsonscan.Parse(`{"legacy": {"nonce": 1}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	name, fields, ok := v.Only()
	fmt.Println(name, fields.Raw(), ok)
	// Output:
	// legacy {"nonce": 1} true
}
