// Package tier selects the cases of a short run. Full runs take every case.
package tier

import (
	"hash/crc32"
	"testing"
)

// Takes reports whether a case runs: in a short run about one in four, always the same ones.
func Takes(name string) bool {
	return !testing.Short() || crc32.ChecksumIEEE([]byte(name))%4 == 0
}

// Step returns the step through many similar cases: n in a short run, otherwise 1.
func Step(n int) int {
	if testing.Short() {
		return n
	}
	return 1
}

// Some returns the first n of many similar cases in a short run, otherwise all.
func Some[T any](n int, all []T) []T {
	if testing.Short() {
		return all[:n]
	}
	return all
}
