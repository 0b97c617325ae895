// Package tier selects the cases of a short run. Full runs take every case, except those of [Sparse].
package tier

import (
	"hash/crc32"
	"os"
	"strconv"
	"testing"
)

// Nightly reports whether the run takes hours, and every case: the environment has FEES_NIGHTLY.
func Nightly() bool { return os.Getenv("FEES_NIGHTLY") != "" }

// Sparse returns the step through very many similar cases: 1 in a nightly run.
func Sparse(short, full int) int {
	switch {
	case testing.Short():
		return short
	case Nightly():
		return 1
	}
	return full
}

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

// Count returns how often a test repeats something: the number in the environment variable if there is one, otherwise
// short in a short run and full in others.
func Count[N int | uint64](t testing.TB, variable string, short, full N) N {
	t.Helper()
	if text := os.Getenv(variable); text != "" {
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
		return N(n)
	}
	if testing.Short() {
		return short
	}
	return full
}
