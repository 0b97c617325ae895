package bookkeeping

import (
	"cmp"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
)

const trailManual = `Show the audit trail: who prepared, returned, approved, closed or withdrew the
package of which period in the browser, when, and with which comment; who
accepted differences of its record of fees; and who edited which label of the
address book. Each line has a digest of itself and all lines before it. An
altered trail is an error that names the first wrong line; fees close --check
finds lines that were removed from its end.`

func newLedgerTrail() *cobra.Command {
	var f statusFlags
	return cli.New(&cobra.Command{
		Use: "trail", Short: "Show who closed packages and edited labels", Long: trailManual, RunE: f.trail,
		Example: "  fees ledger trail\n  fees ledger trail --format csv -o trail.csv",
		Args:    cli.NoneOf("fees ledger trail takes no argument, got %q; name the ledger with --ledger"),
	}, f.LedgerFlags.Add, f.Forms("table", "csv", "json"))
}

func (f *statusFlags) trail(c *cobra.Command, _ []string) error {
	return f.Ask(c, func(d *app.Ledger) error {
		acts, err := d.Book.Trail(c.Context())
		if err != nil {
			return err
		}
		return f.Show(cli.Answer{
			JSON: cli.Record{{"acts", append([]ledger.Act{}, acts...)}},
			CSV:  func(w io.Writer) error { return app.WriteTrail(w, acts) },
			Text: func(page *console.Page) { writeTrail(page, acts) },
		})
	})
}

func writeTrail(page *console.Page, acts []ledger.Act) {
	if len(acts) == 0 {
		page.Line("Nothing was done in the browser: see fees serve --help, --close and --edit-labels.", 0)
		return
	}
	rows := console.NewTable(
		console.Column{Name: "line", Right: true}, console.Column{Name: "time"}, console.Column{Name: "user"}, console.Column{Name: "act"},
		console.Column{Name: "period"}, console.Column{Name: "timezone", Drop: 2}, console.Column{Name: "manifest", Drop: 4, Cut: true}, console.Column{Name: "account", Drop: 3, Cut: true}, console.Column{Name: "comment", Drop: 1, Cut: true},
	)
	for _, a := range acts {
		said := a.Comment
		if a.Kind == ledger.Labelled {
			said = cmp.Or(a.EntryBefore, "none") + " → " + cmp.Or(a.EntryAfter, "none")
		}
		rows.Row(a.Number, a.Time, plain.Line(a.User), a.Kind, a.Period, a.Zone, a.Manifest, plain.Line(a.Account), plain.Line(said))
	}
	page.Table(rows)
}
