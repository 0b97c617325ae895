package simulation

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// room is a directory for the ledgers of all worlds, in memory if possible.
var room = sync.OnceValue(func() string {
	place := ""
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		place = "/dev/shm"
	}
	d, err := os.MkdirTemp(place, "fees-simulation-")
	if err != nil {
		panic(err)
	}
	return d
})

// laidOut is an empty ledger's file.
var laidOut = sync.OnceValue(func() string {
	path := filepath.Join(room(), "laid-out", "fees.db")
	if err := template(path); err != nil {
		panic(err)
	}
	return path
})

// quietBook is the ledger of a run without faults. It must be correct by what the chain itself states, not only by this
// program's judgement.
func (s *story) quietBook() (*book, error) {
	w := &world{story: s, directory: filepath.Join(room(), s.name), address: s.name + ".test", began: time.Now(), start: s.last + finalBelow, well: true}
	w.path = filepath.Join(w.directory, "fees.db")
	if err := copyBook(laidOut(), w.path); err != nil {
		return nil, err
	}
	defer serve(w.address, w)()
	e, err := w.runs(&run{command: fmt.Sprintf("%d..%d", s.first, s.last), concurrency: 4})
	if err = errors.Join(err, e.err); err != nil {
		return nil, err
	}
	if err := verified(w.path); err != nil {
		return nil, err
	}
	for what, query := range map[string]string{
		"findings":                        "SELECT count(*) FROM blocks WHERE flags & 2 <> 0",
		"questions without an answer":     "SELECT count(*) FROM blocks WHERE flags & 8 <> 0",
		"transactions without a fee":      "SELECT count(*) FROM transactions WHERE fee IS NULL OR charged IS NULL",
		"fees that are not what was paid": "SELECT count(*) FROM transactions WHERE fee <> charged",
	} {
		if n, err := count(w.path, query); err != nil || n > 0 {
			return nil, errors.Join(err, fmt.Errorf("a quiet run of %s has %d %s", s.name, n, what))
		}
	}
	b, err := readBook(w.path)
	if err != nil {
		return nil, err
	}
	for i, line := range b.rows["blocks"] {
		height := s.first + uint64(i)
		hash := s.chain.Hash(height)
		if !strings.HasPrefix(line, fmt.Sprintf("height=%d hash=%s ", height, hex.EncodeToString(hash[:]))) {
			return nil, fmt.Errorf("block %d of the quiet book is another: %s", height, line)
		}
	}
	if n := len(b.rows["blocks"]); uint64(n) != s.last-s.first+1 {
		return nil, fmt.Errorf("the quiet book has %d blocks", n)
	}
	return b, nil
}
