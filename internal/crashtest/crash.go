package crashtest

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// StatesAsked is the environment variable that says how many states are made at each sync.
const StatesAsked = "FEES_TORN"

// fewStates is how many there are otherwise.
const fewStates = 4

// State is what a crash left.
type State struct {
	Point, Points int // at which sync, of how many
	Seed          uint64
	// Whole tells that the program had ended, and Synced that nothing was left unsynced then.
	Whole bool
}

func (s State) String() string {
	return fmt.Sprintf("sync %d of %d, seed %d", s.Point, s.Points, s.Seed)
}

// Counted is how many states there were.
type Counted struct {
	Points, States, Distinct int
}

// Crashes has check look at states that a crash left at each sync of a history, and after its
// end: each in a directory of its own, several at the same time. A state that was seen already
// is not looked at again. Check tells what is wrong with a state.
func (h *History) Crashes(t testing.TB, check func(directory string, s State) error) Counted {
	t.Helper()
	states := fewStates
	if text := os.Getenv(StatesAsked); text != "" {
		var err error
		states, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	home := t.TempDir()
	if memory, err := os.MkdirTemp("/dev/shm", "fees-crash-"); err == nil { // nothing there waits for a disk
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
	seen := map[[sha256.Size]byte]bool{}
	before := 0
	for i, point := range points {
		for seed := range uint64(states) {
			random := rand.New(rand.NewPCG(uint64(i), seed))
			end := point
			if seed%2 == 1 && point > before {
				end = before + 1 + random.IntN(point-before)
			}
			files := h.after(end, random, seed)
			if sum := files.sum(); !seen[sum] {
				seen[sum] = true
				jobs <- job{files, State{Point: i + 1, Points: len(points), Seed: seed, Whole: end == len(h.events)}}
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

// after is what a crash leaves of the first events. The first two seeds lose all that was not
// synced, and nothing.
func (h *History) after(end int, random *rand.Rand, seed uint64) tree {
	kept := random.Float64()
	switch seed {
	case 0:
		kept = 0
	case 1, 2:
		kept = 1
	}
	torn := random.Float64() * 0.5
	synced := make([]int, len(h.nodes)) // of each file, what came before is there
	lasting := 0                        // so are the names before
	for i := range end {
		e := &h.events[i]
		if !e.sync {
			continue
		}
		synced[e.of.number] = e.since
		if e.of.directory {
			for j := e.since - 1; j >= lasting; j-- {
				if slices.ContainsFunc(h.events[j].names, func(n name) bool { return n.in == e.of }) {
					lasting = j + 1
					break
				}
			}
		}
	}
	for lasting < end && random.Float64() < max(kept, 0.3*min(kept*1000, 1)) {
		lasting++
	}
	names := map[*node]map[string]*node{}
	for _, n := range h.base {
		if n.directory {
			names[n] = clone(n.held)
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
		case i < synced[e.of.number] || random.Float64() < kept:
			tear := i >= synced[e.of.number] && kept < 1 && random.Float64() < torn
			contents[e.of.number] = e.applied(contents[e.of.number], tear, random)
		case !e.resize && kept > 0 && random.IntN(4) == 0: // the file grew, and what it grew by is lost
			if size := e.at + int64(len(e.data)); size > int64(len(contents[e.of.number])) {
				contents[e.of.number] = resized(contents[e.of.number], size)
			}
		}
	}
	files := tree{}
	files.gather(h.nodes[0], "", names, contents)
	return files
}

func clone(names map[string]*node) map[string]*node {
	other := map[string]*node{}
	for name, n := range names {
		other[name] = n
	}
	return other
}

// applied is a file's content after the event, of which a torn write left some sectors only.
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

// tree is what is in a directory: files by their paths, nil for a directory.
type tree map[string][]byte

func (files tree) gather(n *node, path string, names map[*node]map[string]*node, contents [][]byte) {
	for name, x := range names[n] {
		at := filepath.Join(path, name)
		if x.directory {
			files[at] = nil
			files.gather(x, at, names, contents)
			continue
		}
		files[at] = append([]byte{}, contents[x.number]...) // a file of several names has them all
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
