package timestamp_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/feeledger/fees/internal/finance/closing/timestamp"
)

// Check a timestamp against a list of authorities, and against a text that has changed.
func ExampleCheck() {
	ctx := context.Background()
	certificates, err := os.ReadFile("testdata/authority.pem")
	if err != nil {
		log.Fatal(err)
	}
	authorities, err := timestamp.ReadAuthorities(certificates)
	if err != nil {
		log.Fatal(err)
	}
	response, err := os.ReadFile("testdata/closed.tsr") // what Authority.Ask answered
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"what was closed\n", "what was changed\n"} {
		checked := timestamp.Check(ctx, response, []byte(text), authorities)
		if checked.Wrong != "" {
			fmt.Println(checked.Wrong)
			continue
		}
		fmt.Println("it was there at", checked.Time.Format(time.RFC3339), "says", checked.Authority)
	}
	// Output:
	// it was there at 2026-11-24T09:06:57Z says CN=an example's clock
	// the timestamp is for other bytes or was altered
}
