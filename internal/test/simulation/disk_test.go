package simulation

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
)

// A program that dies leaves what its file and the file's log have at that moment. SQLite
// writes neither before a change is committed, so that all moments are those before a commit:
// what the files have there is kept, and the next program goes on from it. The one that died
// commits nothing more.

// disks are the files that programs write at the moment, by their path.
var disks sync.Map

func init() {
	sqlite.RegisterConnectionHook(func(c sqlite.ExecQuerierContext, dsn string) error {
		place, err := url.Parse(dsn)
		if err != nil {
			return err
		}
		d, known := disks.Load(filepath.FromSlash(place.Path))
		if !known {
			return nil
		}
		hooks, ok := c.(sqlite.HookRegisterer)
		if !ok {
			return errors.New("the driver has no hooks")
		}
		hooks.RegisterCommitHook(d.(*disk).committing)
		return nil
	})
}

// disk is a ledger's file while one program writes it.
type disk struct {
	path    string
	commits atomic.Int64 // that were begun
	dies    int64        // before this commit, counted from 1; never where it is 0
	fails   int64        // this commit fails, and those after it do not
	left    string       // where to keep what a program that dies leaves
	died    func()       // is told, once
	failed  func()
	dead    atomic.Bool
	err     error // of keeping it
}

// mount has a file's commits go by its disk until it is let go.
func (d *disk) mount() (letGo func()) {
	disks.Store(d.path, d)
	return func() { disks.Delete(d.path) }
}

// committing is asked before each commit, and refuses it by a number other than 0.
func (d *disk) committing() int32 {
	n := d.commits.Add(1)
	switch {
	case d.dead.Load():
		return 1
	case n == d.dies:
		d.err = copyBook(d.path, d.left)
		d.dead.Store(true)
		d.died()
		return 1
	case n == d.fails:
		d.failed()
		return 1
	}
	return 0
}

// copyBook copies a ledger's file and its log.
func copyBook(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	for _, name := range []string{"", "-wal"} {
		text, err := os.ReadFile(from + name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(to+name, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// shortest is an error's text in one line.
func shortest(err error) string {
	if err == nil {
		return "ended well"
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}
