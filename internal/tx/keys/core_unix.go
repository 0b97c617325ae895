//go:build unix

package keys

import "syscall"

// noCoreFile has the system write no core file of this program: what it holds may be a key.
func noCoreFile() error {
	return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
