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

// A program that dies leaves the current contents of its file and the file's log. SQLite writes neither before a commit,
// so it suffices to copy the files just before a commit; the next program continues from the copy. The program that died
// commits nothing more.

// disks are the files being written, by path.
var disks sync.Map

func init() {
	sqlite.RegisterConnectionHook(func(c sqlite.ExecQuerierContext, dsn string) error {
		if dsn == ":memory:" { // the tables that a verification compares with
			return nil
		}
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
	commits atomic.Int64 // started commits
	dies    int64        // dies before this commit, from 1; 0 means never
	fails   int64        // only this commit fails
	left    string       // where to copy the files of a dying program
	died    func()       // called once
	failed  func()
	dead    atomic.Bool
	acting  atomic.Bool // a user acts: the commit is not the program's
	err     error       // of copying
}

// mount routes a file's commits through its disk until it is released.
func (d *disk) mount() (letGo func()) {
	disks.Store(d.path, d)
	return func() { disks.Delete(d.path) }
}

// committing is called before each commit; a result other than 0 refuses it.
func (d *disk) committing() int32 {
	if d.acting.Load() {
		if d.dead.Load() {
			return 1
		}
		return 0
	}
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

// shortest returns an error's text in one line.
func shortest(err error) string {
	if err == nil {
		return "ended well"
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}
