package crashtest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// History is what a program did to the files of a directory, in order.
type History struct {
	root   string  // the directory, as the program names it
	base   []*node // what was there before, the directory first
	nodes  []*node // all that ever were there
	events []event
	points []int // the syncs among them

	descriptors map[int64]*opened
}

// node is a file or a directory.
type node struct {
	number    int
	directory bool
	data      []byte           // of a file, as the program sees it
	names     map[string]*node // in a directory, as the program sees it
	begun     []byte           // what it held before the program ran
	held      map[string]*node
}

// event is a change of a file, a change of names, or a sync.
type event struct {
	of     *node // the file that is written, or synced; nil for names
	at     int64
	data   []byte
	resize bool   // to the size that at says
	names  []name // that change at once
	sync   bool
	since  int  // a sync has what came before that event
	failed bool // the sync was an error
}

// name is what a name in a directory means from then on, nil for nothing.
type name struct {
	in    *node
	name  string
	means *node
}

// opened is an open file, or what a path was that is outside of the directory.
type opened struct {
	node    *node
	path    string
	at      int64
	appends bool
}

func newHistory(directory string) (*History, error) {
	h := &History{root: directory, descriptors: map[int64]*opened{}}
	root := h.make(true)
	if err := h.load(root, directory); err != nil {
		return nil, err
	}
	for _, n := range h.nodes {
		n.begun = slices.Clone(n.data)
		n.held = maps.Clone(n.names)
	}
	h.base = h.nodes[:len(h.nodes):len(h.nodes)]
	return h, nil
}

func (h *History) load(in *node, path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		n := h.make(e.IsDir())
		in.names[e.Name()] = n
		if e.IsDir() {
			err = h.load(n, filepath.Join(path, e.Name()))
		} else {
			n.data, err = os.ReadFile(filepath.Join(path, e.Name()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (h *History) make(directory bool) *node {
	n := &node{number: len(h.nodes), directory: directory, names: map[string]*node{}}
	h.nodes = append(h.nodes, n)
	return n
}

// place is where a path leads: the directory that has the last name, nil outside of ours, and
// that name, "" for our directory itself.
func (h *History) place(at string, path string) (in *node, last, absolute string, err error) {
	if !filepath.IsAbs(path) {
		from := h.descriptors[number(at)]
		switch {
		case from == nil: // a path from where the program works: it is given absolute ones of our directory
			return nil, "", path, nil
		case from.node == nil:
			path = filepath.Join(from.path, path)
		default:
			n := from.node
			parts := strings.Split(filepath.Clean(path), "/")
			in, err := h.walk(n, parts[:len(parts)-1])
			return in, parts[len(parts)-1], "", err
		}
	}
	path = filepath.Clean(path)
	if path == h.root {
		return h.nodes[0], "", path, nil
	}
	below, ok := strings.CutPrefix(path, h.root+"/")
	if !ok {
		return nil, "", path, nil
	}
	parts := strings.Split(below, "/")
	in, err = h.walk(h.nodes[0], parts[:len(parts)-1])
	return in, parts[len(parts)-1], path, err
}

func (h *History) walk(from *node, parts []string) (*node, error) {
	for _, p := range parts {
		next := from.names[p]
		if next == nil {
			return nil, fmt.Errorf("nobody has seen how %s came into being", strings.Join(parts, "/"))
		}
		from = next
	}
	return from, nil
}

func number(text string) int64 { return call{arguments: []string{text}}.number(0) }

// at is what a name means.
func at(in *node, last string) *node {
	if last == "" || last == "." {
		return in
	}
	return in.names[last]
}

func (h *History) add(e event) { h.events = append(h.events, e) }

// rename changes names at once.
func (h *History) rename(changes ...name) {
	for _, c := range changes {
		if c.means == nil {
			delete(c.in.names, c.name)
		} else {
			c.in.names[c.name] = c.means
		}
	}
	h.add(event{names: changes})
}

func (h *History) write(n *node, at int64, data []byte) {
	if n.directory {
		panic("a directory is written")
	}
	n.data = written(n.data, at, data)
	h.add(event{of: n, at: at, data: data})
}

func (h *History) resize(n *node, size int64) {
	if int64(len(n.data)) != size {
		n.data = resized(n.data, size)
		h.add(event{of: n, at: size, resize: true})
	}
}

// written is a file's content after a write, which takes the place of what it was.
func written(content []byte, at int64, data []byte) []byte {
	content = resized(content, max(int64(len(content)), at+int64(len(data))))
	copy(content[at:], data)
	return content
}

// resized is a file's content after its size was changed.
func resized(content []byte, size int64) []byte {
	if more := size - int64(len(content)); more > 0 {
		return append(content, make([]byte, more)...)
	}
	return content[:size:size]
}

// happened takes a system call.
func (h *History) happened(c call) error {
	switch c.name {
	case "open":
		c.arguments = append([]string{"AT_FDCWD"}, c.arguments...)
		return h.open(c)
	case "openat":
		return h.open(c)
	case "close":
		delete(h.descriptors, c.number(0))
		return nil
	case "dup", "dup2", "dup3":
		h.descriptors[c.result] = h.descriptors[c.number(0)]
		return nil
	case "mkdirat", "mkdir", "unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat":
		return h.named(c)
	case "creat", "sync", "syncfs":
		return fmt.Errorf("%s is not known to this test", c.name)
	case "truncate":
		path, err := c.text(0)
		if err != nil {
			return err
		}
		in, last, _, err := h.place("AT_FDCWD", path)
		if err == nil && in != nil {
			h.resize(at(in, last), c.number(1))
		}
		return err
	}
	of := c.number(0)
	if c.name == "mmap" {
		of = c.number(4)
	}
	if c.name == "copy_file_range" || c.name == "splice" {
		of = c.number(2)
	}
	f := h.descriptors[of]
	if f == nil || f.node == nil {
		return nil
	}
	switch c.name {
	case "write":
		if f.appends {
			f.at = int64(len(f.node.data))
		}
		fallthrough
	case "pwrite64":
		text, err := c.text(1)
		if err != nil {
			return err
		}
		where := f.at
		if c.name == "pwrite64" {
			where = c.number(3)
		} else {
			f.at += c.result
		}
		h.write(f.node, where, []byte(text[:c.result]))
	case "copy_file_range":
		from := h.descriptors[c.number(0)]
		if from == nil || from.node == nil || c.arguments[1] != "NULL" || c.arguments[3] != "NULL" {
			return fmt.Errorf("a copy is not known to this test")
		}
		if c.result > 0 {
			h.write(f.node, f.at, slices.Clone(from.node.data[from.at:from.at+c.result]))
		}
		from.at += c.result
		f.at += c.result
	case "lseek":
		f.at = c.result
	case "ftruncate":
		h.resize(f.node, c.number(1))
	case "fsync", "fdatasync":
		h.points = append(h.points, len(h.events))
		h.add(event{of: f.node, sync: true, since: c.begun, failed: c.result < 0})
	case "mmap":
		if c.has(2, "PROT_WRITE") && c.has(3, "MAP_SHARED") && !strings.HasSuffix(f.path, "-shm") {
			return fmt.Errorf("%s is written by mmap", f.path)
		}
	default:
		return fmt.Errorf("%s of %s is not known to this test", c.name, f.path)
	}
	return nil
}

func (h *History) open(c call) error {
	path, err := c.text(1)
	if err != nil {
		return err
	}
	in, last, absolute, err := h.place(c.arguments[0], path)
	if err != nil {
		return err
	}
	if in == nil {
		h.descriptors[c.result] = &opened{path: absolute}
		return nil
	}
	n := at(in, last)
	if n == nil {
		if !c.has(2, "O_CREAT") {
			return fmt.Errorf("nobody has seen how %s came into being", path)
		}
		n = h.make(false)
		h.rename(name{in, last, n})
	} else if c.has(2, "O_TRUNC") {
		h.resize(n, 0)
	}
	h.descriptors[c.result] = &opened{node: n, path: path, appends: c.has(2, "O_APPEND")}
	return nil
}

// named takes a system call that changes names.
func (h *History) named(c call) error {
	from := [2]int{0, -1} // the arguments with a path, and with the directory that it is in
	to := [2]int{-1, -1}
	switch c.name {
	case "rename", "link":
		to = [2]int{1, -1}
	case "mkdirat", "unlinkat":
		from = [2]int{1, 0}
	case "renameat", "renameat2", "linkat":
		from, to = [2]int{1, 0}, [2]int{3, 2}
	case "symlink", "symlinkat":
		return fmt.Errorf("%s is not known to this test", c.name)
	}
	find := func(place [2]int) (*node, string, error) {
		path, err := c.text(place[0])
		if err != nil {
			return nil, "", err
		}
		directory := "AT_FDCWD"
		if place[1] >= 0 {
			directory = c.arguments[place[1]]
		}
		in, last, _, err := h.place(directory, path)
		return in, last, err
	}
	in, last, err := find(from)
	if err != nil {
		return err
	}
	if to[0] < 0 {
		if in == nil {
			return nil
		}
		if strings.HasPrefix(c.name, "mkdir") {
			h.rename(name{in, last, h.make(true)})
		} else {
			h.rename(name{in, last, nil})
		}
		return nil
	}
	into, other, err := find(to)
	switch {
	case err != nil:
		return err
	case in == nil && into == nil:
		return nil
	case in == nil || into == nil:
		return fmt.Errorf("%s into our directory or out of it is not known to this test", c.name)
	}
	changes := []name{{into, other, in.names[last]}}
	if strings.HasPrefix(c.name, "rename") {
		changes = append(changes, name{in, last, nil})
	}
	h.rename(changes...)
	return nil
}
