package endpoints

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

const joinManual = `Join archives recorded with --proofs into one, for example when several
machines recorded parts of a range. The parts must be of one chain; they can be
in any order and may overlap. The result equals, byte for byte, a recording of
the whole range. Each part is proved as it is read, and by the part above it:
one checkpoint (--trust) proves everything. Evidence of finality is taken from
the highest part that has some.`

const joinExamples = `  fees archive record 0..499 -o low --proofs --gateway wss://HOST
  fees archive record 500..999 -o high --proofs --gateway wss://OTHER
  fees archive join low high -o all --trust 999:0xHASH`

// joinFlags are the flags of fees archive join.
type joinFlags struct {
	cli.GatewayFlags
	cli.Output
	cli.QuietFlag
	directory string
}

func newJoin() *cobra.Command {
	var f joinFlags
	c := cli.New(&cobra.Command{
		Use: "join <DIR> <DIR>... -o DIR", Short: "Join archives with proofs into one", Long: joinManual, Example: joinExamples, RunE: f.join,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("fees archive join needs two or more archives with proofs")
			}
			return nil
		},
	}, f.AddTrust, f.StdoutForms("table", "json"), f.AddQuiet)
	c.Flags().StringVarP(&f.directory, "output", "o", "", "the directory to write to, created if necessary")
	cli.NamesPath("output")(c)
	return c
}

func (f *joinFlags) join(c *cobra.Command, args []string) error {
	if f.directory == "" {
		return errors.New("-o is missing; name the directory to write to with -o DIR")
	}
	if set, err := f.TrustSet(); err != nil || set.Known() {
		return cmp.Or(err, errors.New("--trust-set checks one archive; join them, then run \"fees archive verify\""))
	}
	trusted, err := f.Trusted()
	if err != nil {
		return err
	}
	r, err := app.JoinArchives(c.Context(), args, f.directory, trusted, f.Progress(c, "blocks").Show)
	if err != nil {
		return err
	}
	return f.WriteRecord(r)
}
