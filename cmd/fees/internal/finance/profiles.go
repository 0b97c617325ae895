package finance

import (
	"fmt"
	"io"
	"strings"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/reconcile"
)

// maxProfileFile limits the size of a file of profiles.
const maxProfileFile = 1 << 20

// writeProfiles writes the exports that are recognized: first those with fees, then those without.
func writeProfiles(out io.Writer, width int) error {
	page := console.NewPage(out, width)
	for _, fees := range []bool{true, false} {
		if fees {
			page.WriteString("Exports that are read as they are (the name is for --profile). A book deducts the\nfee of each row; a view lists what the chain shows, whichever account paid:\n\n")
		} else {
			page.WriteString("\nExports without fees, for which another export is proposed:\n\n")
		}
		for _, p := range reconcile.Profiles() {
			if fees == (p.NoFees == "") {
				fmt.Fprintf(page, "  %-20s  %-4s  ", p.Name, p.Kind)
				console.WriteWrapped(page, p.Title+" (source: "+p.Source+")", 30, width)
			}
		}
	}
	page.WriteString("\nAny other file is read by the names of its columns; --map names them. A JSON file\nwith a profile of your own is read with --profile FILE.\n")
	return page.Flush()
}

// readOwnProfiles reads the file that --profile names, if it names one.
func readOwnProfiles(in *app.BooksInput) error {
	if !strings.ContainsAny(in.Profile, "./\\") {
		return nil
	}
	own, err := cli.ReadListed("--profile", in.Profile, maxProfileFile, func(text []byte) (string, error) {
		_, err := reconcile.ParseProfiles(text)
		return string(text), err
	})
	if err == nil {
		in.Profile, in.OwnProfiles = "", own
	}
	return err
}
