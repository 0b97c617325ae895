package crashtest

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"
)

// StatesAsked is the environment variable with the number of states per sync.
const StatesAsked = "FEES_TORN"

// State is a state of the files after a crash.
type State struct {
	Point, Points int // the number of the sync, and of all syncs
	Seed          uint64
	Whole         bool // the program had ended successfully
}

func (s State) String() string {
	return fmt.Sprintf("sync %d of %d, seed %d", s.Point, s.Points, s.Seed)
}

// Counted returns the number of states.
type Counted struct {
	Points, States, Distinct int
}

func (c Counted) String() string {
	return fmt.Sprintf("%d states at %d syncs, %d of them different", c.States, c.Points, c.Distinct)
}

// Crashes calls check for states after a crash at each sync of a history, and after its end: each in its own directory,
// several concurrently. Each distinct state is checked once. Check returns what is wrong with a state.
func (h *History) Crashes(t testing.TB, check func(directory string, s State) error) Counted {
	t.Helper()
	states := tier.Count(t, StatesAsked, 1, 1) // with different seeds at each sync
	home := t.TempDir()
	if memory, err := os.MkdirTemp("/dev/shm", "fees-crash-"); err == nil { // in memory, to avoid waiting for a disk
		t.Cleanup(func() { os.RemoveAll(memory) })
		home = memory
	}
	points := append(slices.Clone(h.points), len(h.events))
	all := Counted{Points: len(points), States: len(points) * states}
	type job struct {
		files tree
		State
	}
	jobs := make(chan job)
	var failed atomic.Int64
	var working sync.WaitGroup
	for worker := range 2 {
		working.Go(func() {
			for j := range jobs {
				directory := filepath.Join(home, strconv.Itoa(worker), "state")
				err := j.files.put(directory)
				if err == nil {
					err = check(directory, j.State)
				}
				if err != nil && failed.Add(1) <= 5 {
					t.Errorf("%v: %v\n%s", j.State, err, j.files.list())
				}
				if err := os.RemoveAll(filepath.Dir(directory)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	type kind struct {
		files [sha256.Size]byte
		whole bool // the same files may be acceptable before the program ended, but not after
	}
	seen := map[kind]bool{}
	before, afterwards := 0, h.failed()
	for i, point := range points {
		if point <= afterwards { // earlier states are the same as without a failed sync
			before = point
			continue
		}
		for state := range states {
			seed := uint64(state)
			if states < 8 {
				seed += uint64(i)
			}
			random := rand.New(rand.NewPCG(uint64(i), seed))
			end := point
			if seed%2 == 1 && point > before {
				end = before + 1 + random.IntN(point-before)
			}
			files := h.after(end, random, seed)
			whole := end == len(h.events)
			if k := (kind{files.sum(), whole}); !seen[k] {
				seen[k] = true
				jobs <- job{files, State{Point: i + 1, Points: len(points), Seed: seed, Whole: whole}}
			}
		}
		before = point
	}
	close(jobs)
	working.Wait()
	all.Distinct = len(seen)
	if n := failed.Load(); n > 0 {
		t.Errorf("%d of %d states are wrong", n, all.Distinct)
	}
	return all
}

// after returns the state after a crash following the first events. Some seeds lose everything that was not synced, and
// some lose nothing.
func (h *History) after(end int, random *rand.Rand, seed uint64) tree {
	kept := random.Float64()
	switch seed % 8 {
	case 0:
		kept = 0
	case 1:
		kept = 1
	}
	torn := random.Float64() * 0.5
	synced, lasting, givenUp := h.synced(end)
	switch kept {
	case 0:
	case 1:
		lasting = end
	default:
		lasting += random.IntN(end - lasting + 1)
	}
	names := map[*node]map[string]*node{}
	for _, n := range h.base {
		if n.directory {
			names[n] = maps.Clone(n.held)
		}
	}
	contents := make([][]byte, len(h.nodes))
	for _, n := range h.base {
		contents[n.number] = slices.Clone(n.begun)
	}
	for i := range end {
		e := &h.events[i]
		switch {
		case e.sync:
		case e.names != nil && i < lasting:
			for _, n := range e.names {
				if names[n.in] == nil {
					names[n.in] = map[string]*node{}
				}
				if n.means == nil {
					delete(names[n.in], n.name)
				} else {
					names[n.in][n.name] = n.means
				}
			}
		case e.names != nil:
		case i < synced[e.of.number] && !givenUp[i] || random.Float64() < kept:
			tear := (i >= synced[e.of.number] || givenUp[i]) && kept < 1 && random.Float64() < torn
			contents[e.of.number] = e.applied(contents[e.of.number], tear, random)
		case !e.resize && kept > 0 && random.IntN(4) == 0: // the file grew, but its new content is lost
			if size := e.at + int64(len(e.data)); size > int64(len(contents[e.of.number])) {
				contents[e.of.number] = resized(contents[e.of.number], size)
			}
		}
	}
	files := tree{}
	files.gather(h.nodes[0], "", names, contents)
	return files
}

// synced returns which of the first events last: each file's content before one event, and the name changes before
// another, except what the system gave up (see the package documentation).
func (h *History) synced(end int) (files []int, names int, givenUp map[int]bool) {
	files, givenUp = make([]int, len(h.nodes)), map[int]bool{}
	for i := range end {
		e := &h.events[i]
		if !e.sync {
			continue
		}
		if e.failed {
			for j := files[e.of.number]; j < e.since; j++ {
				if x := &h.events[j]; x.of == e.of && !x.sync && !x.resize {
					givenUp[j] = true
				}
			}
			continue
		}
		files[e.of.number] = e.since
		for j := e.since - 1; j >= names; j-- {
			if slices.ContainsFunc(h.events[j].names, func(n name) bool { return n.in == e.of }) {
				names = j + 1
				break
			}
		}
	}
	return files, names, givenUp
}

// applied returns a file's content after the event; of a torn write only some sectors are there.
func (e *event) applied(content []byte, tear bool, random *rand.Rand) []byte {
	if e.resize {
		return resized(content, e.at)
	}
	if !tear {
		return written(content, e.at, e.data)
	}
	sector := int64(512)
	if random.IntN(2) == 0 {
		sector = 4096
	}
	for at := e.at; at < e.at+int64(len(e.data)); {
		end := min(at-at%sector+sector, e.at+int64(len(e.data)))
		if random.IntN(2) == 0 {
			content = written(content, at, e.data[at-e.at:end-e.at])
		}
		at = end
	}
	return content
}

// tree returns the contents of a directory: files by path, nil for a directory.
type tree map[string][]byte

func (files tree) gather(n *node, path string, names map[*node]map[string]*node, contents [][]byte) {
	for name, x := range names[n] {
		at := filepath.Join(path, name)
		if x.directory {
			files[at] = nil
			files.gather(x, at, names, contents)
			continue
		}
		files[at] = append([]byte{}, contents[x.number]...) // every name of a file gets a copy
	}
}

func (files tree) paths() []string {
	list := make([]string, 0, len(files))
	for path := range files {
		list = append(list, path)
	}
	slices.Sort(list)
	return list
}

func (files tree) sum() (sum [sha256.Size]byte) {
	digest := sha256.New()
	for _, path := range files.paths() {
		fmt.Fprintf(digest, "%q %v %d ", path, files[path] == nil, len(files[path]))
		digest.Write(files[path])
	}
	return [sha256.Size]byte(digest.Sum(nil))
}

func (files tree) list() (text string) {
	for _, path := range files.paths() {
		text += fmt.Sprintf("%10d %s\n", len(files[path]), path)
	}
	return text
}

// put writes the files into a directory.
func (files tree) put(directory string) error {
	if err := os.MkdirAll(directory, 0o777); err != nil {
		return err
	}
	for _, path := range files.paths() {
		var err error
		if at := filepath.Join(directory, path); files[path] == nil {
			err = os.MkdirAll(at, 0o777)
		} else {
			err = os.WriteFile(at, files[path], 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
