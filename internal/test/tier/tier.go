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
