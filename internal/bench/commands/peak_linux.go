package main

import (
	"os"
	"syscall"
)

// peak is the most memory that a process had, in bytes.
func peak(p *os.ProcessState) int64 {
	usage, _ := p.SysUsage().(*syscall.Rusage)
	return int64(usage.Maxrss) << 10
}
