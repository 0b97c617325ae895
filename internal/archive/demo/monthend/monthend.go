// Package monthend is a directory in which a month can be closed without anything else: the
// recorded answers of a made-up chain, an address book, a company's own record of fees with
// differences that were planted, and prices.
//
// The chain is made up: no account in it is anybody's, and no fee was ever paid. It begins at
// its block 0, has a block an hour, and spans 31 January and 1 February 2026. Its blocks are
// priced by the rules of a real network, so that all that is shown is as it would be there.
//
// The files are in the directory files, as they are laid out. The archive gateway, the address
// book and the company's record are written by package makemonthend beside the demo's internals;
// README.txt and prices.csv are written by hand.
package monthend

import (
	"embed"
	"io/fs"
	"os"
)

//go:generate go run ../internal/makemonthend files

//go:embed files
var files embed.FS

// Files are all that is laid out.
func Files() fs.FS {
	list, err := fs.Sub(files, "files")
	if err != nil {
		panic(err) // the name is not a path
	}
	return list
}

// Write lays out the files in a directory, which is made if it is not there. It writes over
// nothing: a file that is there is an error.
func Write(directory string) error { return os.CopyFS(directory, Files()) }
