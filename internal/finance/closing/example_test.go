package closing_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/closing"
)

// Write a report into a month's package, and detect a later change. Package app provides the rest of the
// manifest: the seal, the totals, the options.
func Example() {
	directory, err := os.MkdirTemp("", "fees-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "2026-01")
	draft, err := closing.Begin(path)
	if err != nil {
		log.Fatal(err)
	}
	defer draft.Discard()
	before, err := closing.Prepare(path) // nil: nothing is there
	if err != nil {
		log.Fatal(err)
	}
	err = draft.Add("report.csv", func(w io.Writer) error {
		_, err := io.WriteString(w, "day,fee\n2026-01-01,5215236000000000\n")
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	january := closing.Manifest{
		Network: "moonbeam",
		Period: closing.Period{
			Month: "2026-01", Timezone: "UTC", From: "2026-01-01T00:00:00Z", Before: "2026-02-01T00:00:00Z", Complete: true,
		},
		Blocks:   closing.Blocks{First: 1, Last: 27, Count: 27},
		Evidence: evidence.Recorded(27),
	}
	made, _, err := draft.Install(path, january, before)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("version", made.Manifest.Version)

	if err := os.WriteFile(filepath.Join(path, "report.csv"), []byte("day,fee\n2026-01-01,1\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	later, err := closing.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	problems, err := later.Problems()
	if err != nil {
		log.Fatal(err)
	}
	for _, problem := range problems {
		fmt.Println(problem)
	}
	// Output:
	// version 1
	// report.csv has changed
}
