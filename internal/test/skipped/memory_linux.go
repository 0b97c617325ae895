package main

import (
	"os"
	"syscall"
)

const (
	memory      = "/dev/shm" // where Linux keeps files in memory
	leastMemory = 4 << 30    // free bytes; containers often have 64 MB in all
	noPrograms  = 8          // ST_NOEXEC: programs there cannot be started
)

// inMemory returns the environment with temporary files in memory, and a function that removes them: syncing a ledger
// costs nothing there, and linking the tests less than on a disk. It changes nothing if TMPDIR is set, or if the machine
// has too little memory.
func inMemory(environment []string) (changed []string, remove func() error) {
	nothing := func() error { return nil }
	var found syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &found) != nil ||
		found.Bavail*uint64(found.Bsize) < leastMemory || found.Flags&noPrograms != 0 {
		return environment, nothing
	}
	directory, err := os.MkdirTemp(memory, "fees-tests-")
	if err != nil {
		return environment, nothing
	}
	return append(environment, "TMPDIR="+directory), func() error { return os.RemoveAll(directory) }
}
