package addressbook_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/feeledger/fees/internal/finance/addressbook"
)

// Read an address book, and look up labels and groups.
func Example() {
	book, err := addressbook.Read(strings.NewReader(`address,label,group,account
0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac,Payroll,company,Assets:Payroll
0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0,Trading,company,
`))
	if err != nil {
		log.Fatal(err)
	}
	for _, address := range book.InGroup("company") {
		label, _ := book.Label(address)
		fmt.Println(address, label)
	}
	// Output:
	// 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac Payroll
	// 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 Trading
}
