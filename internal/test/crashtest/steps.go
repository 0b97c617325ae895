package crashtest

import (
	"path/filepath"
	"strings"

	"github.com/feeledger/fees/internal/sys/disk"
)

// Steps is a directory whose files call a function before each step that changes the disk, such as "rename
// blocks/7.json"; an error ends the writer there. For a write, the call happens when half of it is done.
func Steps(directory string, before func(step string) error) disk.Disk {
	return disk.Disk{Directory: directory, Files: files{disk.New(directory).Files, directory, before}}
}

type files struct {
	disk.Files
	directory string
	before    func(step string) error
}

func (f files) step(what, path string) error {
	path, err := filepath.Rel(f.directory, path)
	if err != nil {
		return err
	}
	return f.before(what + " " + filepath.ToSlash(path))
}

func (f files) MakeDirectory(path string) error {
	if err := f.step("mkdir", path); err != nil {
		return err
	}
	return f.Files.MakeDirectory(path)
}

func (f files) CreateTemp(directory, pattern string) (disk.File, error) {
	path := filepath.Join(directory, strings.TrimSuffix(pattern, ".*.tmp"))
	if err := f.step("create", path); err != nil {
		return nil, err
	}
	made, err := f.Files.CreateTemp(directory, pattern)
	return file{made, f, path}, err
}

func (f files) Rename(from, to string) error {
	if err := f.step("rename", to); err != nil {
		return err
	}
	return f.Files.Rename(from, to)
}

type file struct {
	disk.File
	files files
	path  string
}

func (f file) Write(part []byte) (int, error) {
	n, err := f.File.Write(part[:len(part)/2])
	if err == nil {
		err = f.files.step("write", f.path)
	}
	if err != nil {
		return n, err
	}
	more, err := f.File.Write(part[n:])
	return n + more, err
}
