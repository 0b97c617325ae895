package finance

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// aboutManual describes the statement of how a result was made.
const aboutManual = `--about states how the result was made: source, period, first and last block
with hashes and times, completeness, seal, accounts, input files with SHA-256,
row count, control totals, version, and the command line that makes it again,
without passwords. In xlsx it is the sheet "About". For other formats it is
FILE.about.txt, beside the FILE of -o, with the SHA-256 of FILE. It contains no
clock time; that is printed on standard error.`

// aboutFlag asks for the statement of how a result was made.
type aboutFlag struct{ about bool }

func (f *aboutFlag) addAbout(c *cobra.Command) {
	c.Flags().BoolVar(&f.about, "about", false, "also state how the result was made: FILE.about.txt, or a sheet of xlsx")
}

// checkAbout requires a file to write the statement beside, except for workbooks.
func (f *aboutFlag) checkAbout(form, file string) error {
	if f.about && form != "xlsx" && file == "" {
		return errors.New("--about writes a file beside the result; name the result with -o FILE")
	}
	return nil
}

// aboutRequest returns the request for the statement. book is the path of the address book, or "". The command does
// not take the unread flags from the environment.
func (f *aboutFlag) aboutRequest(c *cobra.Command, args []string, book string, unread ...string) (q app.AboutRequest, err error) {
	if !f.about {
		return q, nil
	}
	q = app.AboutRequest{Program: cli.Version(), Command: cli.PerformAgain(c, args, unread...)}
	q.Inputs, err = inputsOf(c, book)
	return q, err
}

// inputFlags are the flags that name input files.
var inputFlags = []string{"accounts", "labels", "names", "prices", "chart", "tags", "classes", "profile", "network-file", "font"}

// inputsOf returns the input files of a command with their SHA-256.
func inputsOf(c *cobra.Command, book string) (list []closing.Input, err error) {
	add := func(name, path string) error {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() { // an address, a label, a group
			return nil
		}
		sum, err := disk.Sum(path)
		if err == nil {
			list = append(list, closing.Input{Name: name, Path: path, SHA256: sum})
		}
		return err
	}
	for _, name := range inputFlags {
		f := c.Flags().Lookup(name)
		if name == "labels" {
			if book != "" {
				err = errors.Join(err, add(name, book))
			}
			continue
		}
		if f == nil || !f.Changed {
			continue
		}
		paths := []string{f.Value.String()}
		if many, isList := f.Value.(pflag.SliceValue); isList {
			paths = many.GetSlice()
		}
		for _, path := range paths {
			if name == "prices" {
				path, _ = app.SplitPair(path)
			}
			err = errors.Join(err, add(name, path))
		}
	}
	return list, err
}

// bookPath returns the path of the address book, or "".
func bookPath(chosen *app.Chosen) string {
	if chosen == nil || chosen.Book == nil {
		return ""
	}
	return chosen.Book.Path
}

// writeBeside writes the statement beside a result that is written.
func writeBeside(c *cobra.Command, a *closing.About, file string, inputs []closing.Input, book string) (err error) {
	if again, err := inputsOf(c, book); err != nil || !slices.Equal(again, inputs) {
		return errors.Join(err, errors.New("an input file changed while it was read; run the command again"))
	}
	if file == "" {
		return nil
	}
	a.File = file                                                // printable when it is written
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) { // a journal of several files
		a.File = app.ManifestName(file)
	}
	if info, err := os.Stat(a.File); err == nil && info.Mode().IsRegular() {
		if a.SHA256, err = disk.Sum(a.File); err != nil {
			return err
		}
	}
	beside := file + ".about.txt"
	if err := cli.ReplaceNamedFile(c.Context(), "--about", beside, a.Write); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.ErrOrStderr(), "fees: %s states how it was made, at %s\n", plain.Line(beside), time.Now().UTC().Format(time.RFC3339))
	return err
}

// showAbout writes a report with the statement of how it was made.
func (f *reportFlags) showAbout(c *cobra.Command, args []string, d *app.Ledger, q app.Request, book string) error {
	request, err := f.aboutRequest(c, args, book, blocksOf(f.Gateway)...)
	if err != nil {
		return err
	}
	made, err := d.Fees(c.Context(), q, f.choice, f.beside)
	if err != nil {
		return err
	}
	a, err := d.About(c.Context(), made, &q, request)
	if err != nil {
		return err
	}
	err = f.write(c, &f.Output, made.Document(), a, request.Inputs, book)
	return cli.Found(err, !made.Holds())
}

// stream writes a result, with the statement of how it was made if that was asked for.
func (f *paperFlag) stream(c *cobra.Command, out *cli.Output, made app.Proved, request app.AboutRequest, book string) (err error) {
	ctx := c.Context()
	doc := made.Document(ctx)
	var a *closing.About
	if f.about || isPaper(out) {
		if a, err = made.About(ctx, request); err != nil {
			return made.Explain(err)
		}
		doc.PDF = func(w io.Writer) error { return made.WritePDF(ctx, w, f.paper, a) }
	}
	return made.Explain(cli.Found(f.write(c, out, doc, a, request.Inputs, book), !made.Holds()))
}

// blocksOf returns the flags that a command does not take from the environment because its blocks come from a gateway
// that is named, or else from the ledger.
func blocksOf(gateway string) []string {
	if gateway == "" {
		return []string{"gateway"}
	}
	return []string{"ledger"}
}

// sourceOfBalances returns the source of balances for the statement, without credentials.
func sourceOfBalances(f *cli.GatewayFlags) []string {
	return []string{"balances of " + cli.ShownPlace(f.Place())}
}

// write writes a document, with the statement of how it was made if that was asked for: as a sheet of a workbook, or
// beside the document.
func (f *aboutFlag) write(c *cobra.Command, out *cli.Output, doc *table.Document, a *closing.About, inputs []closing.Input, book string) error {
	file := out.File
	if f.about && out.Format == "xlsx" {
		file, doc.Book = "", append(doc.Sheets(), a.Sheet())
	}
	if err := out.Stream(func(w io.Writer) error { return doc.Write(w, out.Format, out.Width()) }); err != nil || !f.about {
		return err
	}
	return writeBeside(c, a, file, inputs, book)
}

// writer returns what writes an export, as a workbook with the statement if that was asked for.
func (f *exportFlags) writer(c *cobra.Command, x *app.Export, request app.AboutRequest) (func(io.Writer) error, error) {
	if !f.about || f.form != "xlsx" {
		return x.Writer(c.Context(), f.form)
	}
	list, err := x.List(c.Context())
	if err != nil {
		return nil, err
	}
	a, err := x.About(c.Context(), f.form, request)
	return func(w io.Writer) error { return table.WriteXLSX(w, list, a.Sheet()) }, err
}

// withAbout writes the statement beside an export that ended with err, if that was asked for.
func (f *exportFlags) withAbout(c *cobra.Command, x *app.Export, request app.AboutRequest, err error) error {
	if !f.about || err != nil && !errors.Is(err, cli.ErrFinding) {
		return err
	}
	if f.form == "xlsx" {
		return writeBeside(c, nil, "", request.Inputs, f.labelsPath)
	}
	a, failed := x.About(c.Context(), f.form, request)
	if failed == nil {
		failed = writeBeside(c, a, f.File, request.Inputs, f.labelsPath)
	}
	if failed != nil {
		return failed
	}
	return err
}
