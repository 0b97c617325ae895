// Command makemonthend generates the files of package monthend that follow from its chain: the archive of the
// gateway's responses, the address book, and the company's record of fees.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/chaingen"
)

// last is the newest block: two days with a block an hour.
const last = 48

// made returns the chain.
func made() *chaingen.Chain {
	return chaingen.New(chaingen.Options{
		Seed:   2026,
		Signed: true,
		Rooted: true,
		Begin:  time.Date(2026, time.January, 31, 0, 30, 0, 0, time.UTC),
		Every:  time.Hour,
		Head:   last,

		UnsignedNatives: true,
	})
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: makemonthend DIRECTORY")
	}
	if err := write(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// write generates the files in a directory. It replaces the archive there.
func write(ctx context.Context, directory string) error {
	c := made()
	gateway := filepath.Join(directory, "gateway")
	if err := os.RemoveAll(gateway); err != nil {
		return err
	}
	_, err := answers.Record(ctx, gatewayAnswers{c}, gateway, answers.RecordOptions{Last: last, Accounts: c.Accounts(), Segments: true})
	if err != nil {
		return err
	}
	record, err := companyRecord(c)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"accounts.csv": addressBook(c), "company.csv": record} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// gatewayAnswers are the responses of the chain's gateway.
type gatewayAnswers struct{ *chaingen.Chain }

// Answer returns the gateway's response at a path.
func (a gatewayAnswers) Get(ctx context.Context, path string) (string, error) {
	said := httptest.NewRecorder()
	a.Handler().ServeHTTP(said, httptest.NewRequestWithContext(ctx, "GET", path, nil))
	if said.Code != 200 {
		return "", fmt.Errorf("%s: %d: %s", path, said.Code, said.Body)
	}
	return said.Body.String(), nil
}
