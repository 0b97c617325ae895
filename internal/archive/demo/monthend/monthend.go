// Package monthend contains a directory with everything needed to close a month: the recorded answers of a sample chain, an
// address book, a company's own record of fees with deliberate errors, and prices.
//
// The accounts and fees of the chain are fictitious. It begins at block 0, has one block an hour, and spans 31 January
// and 1 February 2026. Its blocks are priced by the rules of a real network.
//
// Package makemonthend, beside the demo's internals, writes the archive, the address book and the company's record.
// The other files are written by hand.
package monthend

import (
	"embed"
	"io/fs"
	"os"
)

//go:generate go run ../internal/makemonthend files

//go:embed files
var files embed.FS

// Files returns the files.
func Files() fs.FS {
	list, err := fs.Sub(files, "files")
	if err != nil {
		panic(err) // the name is not a path
	}
	return list
}

// Write writes the files to a directory, and creates it if it does not exist. It returns an error if a file exists.
func Write(directory string) error { return os.CopyFS(directory, Files()) }
