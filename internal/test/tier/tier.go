// Package tier says which cases of many a short run takes. All others take every case.
package tier

import (
	"hash/crc32"
	"testing"
)

// Takes tells whether a case is among those that are run: in a short run it is one of about four, always the same.
func Takes(name string) bool {
	return !testing.Short() || crc32.ChecksumIEEE([]byte(name))%4 == 0
}

// Step is from one case to the next of many that are alike: n in a short run, else 1.
func Step(n int) int {
	if testing.Short() {
		return n
	}
	return 1
}

// Some are the first n of many cases that are alike in a short run, else all.
func Some[T any](n int, all []T) []T {
	if testing.Short() {
		return all[:n]
	}
	return all
}
