package ledger_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/tier"
)

// damagesWanted returns the number of damaged files.
func damagesWanted(t *testing.T) int { return tier.Count(t, "FEES_DAMAGES", 10, 40) }

// smallFile is an intact ledger of a few months in a file, and its answers.
type smallFile struct {
	bytes []byte
	asked []question
	whole map[string]string
}

var smallLedger = sync.OnceValue(func() *smallFile {
	const last = 119
	directory, err := os.MkdirTemp("", "")
	must(err)
	defer os.RemoveAll(directory)
	place := filepath.Join(directory, "fees.db")
	book, err := ledger.OpenWriter(ctx, place)
	must(err)
	entries := monthsOfBlocks(last+1, 8*time.Hour)
	must(book.Begin(ctx, madeUpChain, 0))
	must(book.Write(ctx, entries))
	_, err = book.Seal(ctx)
	must(err)
	must(book.Close())
	f := &smallFile{asked: questions(last), whole: map[string]string{}}
	f.bytes, err = os.ReadFile(place)
	must(err)
	book, err = ledger.Open(ctx, place)
	must(err)
	defer book.Close()
	for _, q := range f.asked {
		f.whole[q.name], err = q.ask(book)
		must(err)
	}
	return f
})

const pageSize = 4096

// damaged is the file with one damage, and its description.
func (f *smallFile) damaged(random *rand.Rand) (file []byte, what string) {
	file = bytes.Clone(f.bytes)
	pages := len(file) / pageSize
	page := func() []byte {
		n := random.IntN(pages)
		what += fmt.Sprint(" page ", n+1)
		return file[n*pageSize:][:pageSize]
	}
	switch kind := random.IntN(20); {
	case kind < 8:
		for range 1 << random.IntN(4) {
			at, bit := random.IntN(len(file)), random.IntN(8)
			file[at] ^= 1 << bit
			what += fmt.Sprintf(" bit %d of byte %d of page %d", bit, at%pageSize, at/pageSize+1)
		}
	case kind < 11: // where pages describe their contents
		at, bit := random.IntN(pages)*pageSize+random.IntN(100), random.IntN(8)
		file[at] ^= 1 << bit
		what = fmt.Sprintf(" bit %d of byte %d of page %d", bit, at%pageSize, at/pageSize+1)
	case kind < 13:
		what = "zeros:"
		clear(page())
	case kind < 15:
		what = "garbage:"
		p := page()
		for i := 0; i < len(p); i += 8 {
			binary.LittleEndian.PutUint64(p[i:], random.Uint64())
		}
	case kind < 17:
		what = "swapped:"
		a, b := page(), page()
		kept := bytes.Clone(a)
		copy(a, b)
		copy(b, kept)
	case kind < 18:
		what = "copied:"
		a, b := page(), page()
		copy(a, b)
	default:
		file = file[:random.IntN(len(file))]
		what = fmt.Sprint("cut at byte ", len(file))
	}
	return file, what
}

// ask runs all queries on a damaged file: each answer must be that of the intact file, or an error, and then the
// verification must find damage.
func (f *smallFile) ask(directory string, file []byte) error {
	place := filepath.Join(directory, "fees.db")
	if err := os.WriteFile(place, file, 0o600); err != nil {
		return err
	}
	book, err := ledger.Open(ctx, place)
	if err != nil {
		return nil // rejected as a whole
	}
	defer book.Close()
	var found []string
	if err := book.Verify(ctx, func(d ledger.Damage) { found = append(found, d.String()) }, func(_, _ uint64) {}); err != nil {
		return fmt.Errorf("Verify: %w", err)
	}
	for _, q := range f.asked {
		answer, err := q.ask(book)
		switch {
		case err != nil && !strings.Contains(err.Error(), ledger.ErrDamaged.Error()):
			return fmt.Errorf("%s: not told as damage: %w", q.name, err)
		case err == nil && answer != f.whole[q.name]:
			return fmt.Errorf("%s: another answer:\n%s", q.name, answer)
		case (err != nil || answer != f.whole[q.name]) && len(found) == 0:
			return fmt.Errorf("%s: %w, and Verify finds nothing", q.name, err)
		}
	}
	return nil
}

// A damaged file never returns a wrong figure without an error.
func TestDamagedFiles(t *testing.T) {
	f := smallLedger()
	for name, answer := range f.whole {
		require.NotEmpty(t, answer, name)
	}
	require.NoError(t, f.ask(t.TempDir(), f.bytes))
	numbers := make(chan uint64)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		directory := t.TempDir()
		wait.Go(func() {
			for n := range numbers {
				file, what := f.damaged(rand.New(rand.NewPCG(n, 1)))
				if err := f.ask(directory, file); err != nil {
					t.Errorf("file %d, %s: %v", n, what, err)
				}
			}
		})
	}
	for n := range damagesWanted(t) {
		numbers <- uint64(n)
	}
	close(numbers)
	wait.Wait()
}

// FuzzDamage overwrites bytes of an intact file.
func FuzzDamage(f *testing.F) {
	for _, at := range []uint32{0, 16, 100, pageSize, 7 * pageSize, 8*pageSize + 5} {
		f.Add(at, []byte{0xff, 0, 1})
	}
	f.Fuzz(func(t *testing.T, at uint32, patch []byte) {
		small := smallLedger()
		file := bytes.Clone(small.bytes)
		copy(file[int(at)%len(file):], patch)
		require.NoError(t, small.ask(t.TempDir(), file))
	})
}
