// Package demo is the archive built into the program: 28 blocks of a development chain with Moonbeam's real runtime
// 2100, and the balances of 18 accounts, as the real gateway served them.
package demo

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"sync"

	"github.com/feeledger/fees/internal/archive/answers"
)

//go:generate go run ./internal/pack ../../testdata/recordings/moonbeam-2100 recordings.zip.gz

//go:embed recordings.zip.gz
var recordings []byte

// Name is the name of the demo in place of a gateway's address.
const Name = "demo"

// first is the first block of the archive's range. Blocks 0 to 2 can be read, but the development node stamped block 1
// with the time of its recording, months after block 2.
const first = 3

// Open opens the archive.
var Open = sync.OnceValue(func() *answers.Archive {
	files, err := unpack()
	if err != nil {
		panic(err) // the program was built from a broken file
	}
	return answers.New(Name, files).StartAt(first)
})

func unpack() (*zip.Reader, error) {
	compressed, err := gzip.NewReader(bytes.NewReader(recordings))
	if err != nil {
		return nil, err
	}
	files, err := io.ReadAll(compressed)
	if err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(files), int64(len(files)))
}
