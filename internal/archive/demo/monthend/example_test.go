package monthend_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/demo/monthend"
	"github.com/feeledger/fees/internal/finance/addressbook"
)

// Lay out the files, and look at what there is.
func ExampleWrite() {
	directory, err := os.MkdirTemp("", "fees-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	directory = filepath.Join(directory, "month-end") // which Write makes
	if err := monthend.Write(directory); err != nil {
		log.Fatal(err)
	}

	recorded, err := answers.OpenDirectory(filepath.Join(directory, "gateway"))
	if err != nil {
		log.Fatal(err)
	}
	first, last, err := recorded.Range()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("blocks", first, "to", last)

	file, err := os.Open(filepath.Join(directory, "accounts.csv"))
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	book, err := addressbook.Read(file)
	if err != nil {
		log.Fatal(err)
	}
	for _, account := range book.InGroup("company") {
		label, _ := book.Label(account)
		fmt.Println(account, label)
	}
	// Output:
	// blocks 0 to 48
	// 0x065aDec114AdA927d1a42840405Ca6668D0C0930 Operations
	// 0x2f5bcC3A78cB7fF9Aa2faBF6c94B4C98A7438c23 Customer refunds
	// 0x806E20C236a303Be7695d1442757096B205a9ae1 Savings
}
