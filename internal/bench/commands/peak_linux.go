package main

import (
	"os"
	"syscall"
)

// peak returns the peak memory of a process, in bytes.
func peak(p *os.ProcessState) int64 {
	usage, _ := p.SysUsage().(*syscall.Rusage)
	return int64(usage.Maxrss) << 10
}
