package crashtest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// History is the sequence of changes that a program made to the files of a directory.
type History struct {
	root   string  // the directory's path as the program uses it
	base   []*node // initial nodes, the directory first
	nodes  []*node // all nodes that ever existed
	events []event
	points []int // the syncs among the events

	descriptors map[int64]*opened
}

// node is a file or a directory.
type node struct {
	number    int
	directory bool
	data      []byte           // of a file, as the program sees it
	names     map[string]*node // in a directory, as the program sees it
	begun     []byte           // its initial content
	held      map[string]*node
}

// event is a change of a file, a change of names, or a sync.
type event struct {
	of     *node // the file written or synced; nil for names
	at     int64
	data   []byte
	resize bool   // to the size at
	names  []name // changed at once
	sync   bool
	since  int  // a sync covers the events before that one
	failed bool // the sync failed
}

// name is the new meaning of a name in a directory, nil for nothing.
type name struct {
	in    *node
	name  string
	means *node
}

// opened is an open file, or a path outside the directory.
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

// place resolves a path: it returns the directory that contains the last name, nil outside ours, and that name, "" for
// our directory itself.
func (h *History) place(at string, path string) (in *node, last, absolute string, err error) {
	if !filepath.IsAbs(path) {
		from := h.descriptors[number(at)]
		switch {
		case from == nil: // a relative path: the program gets absolute paths of our directory
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
			return nil, fmt.Errorf("the creation of %s was not recorded", strings.Join(parts, "/"))
		}
		from = next
	}
	return from, nil
}

func number(text string) int64 { return call{arguments: []string{text}}.number(0) }

// at returns the node of a name.
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

// written returns a file's content after a write.
func written(content []byte, at int64, data []byte) []byte {
	content = resized(content, max(int64(len(content)), at+int64(len(data))))
	copy(content[at:], data)
	return content
}

// resized returns a file's content after a change of size.
func resized(content []byte, size int64) []byte {
	if more := size - int64(len(content)); more > 0 {
		return append(content, make([]byte, more)...)
	}
	return content[:size:size]
}

// happened records a system call.
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
		return fmt.Errorf("%s is not supported by this test", c.name)
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
			return fmt.Errorf("this kind of copy is not supported by this test")
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
		return fmt.Errorf("%s of %s is not supported by this test", c.name, f.path)
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
			return fmt.Errorf("the creation of %s was not recorded", path)
		}
		n = h.make(false)
		h.rename(name{in, last, n})
	} else if c.has(2, "O_TRUNC") {
		h.resize(n, 0)
	}
	h.descriptors[c.result] = &opened{node: n, path: path, appends: c.has(2, "O_APPEND")}
	return nil
}

// named records a system call that changes names.
func (h *History) named(c call) error {
	from := [2]int{0, -1} // the arguments with a path, and with its directory
	to := [2]int{-1, -1}
	switch c.name {
	case "rename", "link":
		to = [2]int{1, -1}
	case "mkdirat", "unlinkat":
		from = [2]int{1, 0}
	case "renameat", "renameat2", "linkat":
		from, to = [2]int{1, 0}, [2]int{3, 2}
	case "symlink", "symlinkat":
		return fmt.Errorf("%s is not supported by this test", c.name)
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
		return fmt.Errorf("%s into our directory or out of it is not supported by this test", c.name)
	}
	changes := []name{{into, other, in.names[last]}}
	if strings.HasPrefix(c.name, "rename") {
		changes = append(changes, name{in, last, nil})
	}
	h.rename(changes...)
	return nil
}
