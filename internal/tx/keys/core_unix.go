//go:build unix

package keys

import "syscall"

// noCoreFile prevents core files of this program, which could contain a key.
func noCoreFile() error {
	return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
