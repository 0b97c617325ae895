// Package demo is the archive that is built into the program: 28 blocks of a
// development chain with the real runtime 2100 of Moonbeam, as the real gateway
// served them.
package demo

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"sync"

	"github.com/feeledger/fees/archive"
)

//go:generate go run ./internal/pack ../../testdata/recordings/moonbeam-2100 recordings.zip

//go:embed recordings.zip
var recordings []byte

// Name is what stands for the demo where a gateway's address is asked for.
const Name = "demo"

// Open returns the archive.
var Open = sync.OnceValue(func() *archive.Archive {
	files, err := zip.NewReader(bytes.NewReader(recordings), int64(len(recordings)))
	if err != nil {
		panic(err) // the program was built from a broken file
	}
	return archive.New(Name, files)
})
