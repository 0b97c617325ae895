package finance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/source"
)

// makeGroup creates a package for each of several chains, and then the files about all.
func (f *closeFlags) makeGroup(c *cobra.Command) error {
	ledgers, end, err := f.OpenAll(c.Context(), f.Tables)
	if err != nil {
		return err
	}
	defer end()
	parts, list, notes, err := app.DivideGroup(c.Context(), ledgers, f.request)
	if err != nil {
		return err
	}
	if err := f.divideRecords(parts, list); err != nil {
		return err
	}
	for i := range list { // before the first package
		f.At(i)
		if _, err := parts[i].Held(c.Context(), parts[i].Request.Period); err != nil {
			return err
		}
		if !f.noBalances {
			src, err := f.OpenOf(parts[i].Network)
			if err != nil {
				return err
			}
			list[i].Balances = func() (source.Source, error) { return src, nil }
		}
	}
	if err := app.PrepareGroup(f.request.Dir, parts); err != nil {
		return err
	}
	defer os.Remove(f.request.Dir) // if the first package failed: otherwise it is not empty
	for _, note := range notes {
		fmt.Fprintln(c.ErrOrStderr(), "fees: "+plain.Line(note))
	}
	wrong := false
	var networks []string
	for i := range list {
		f.At(i)
		networks = append(networks, parts[i].Network)
		found, err := f.makeOne(c, parts[i].Ledger, &list[i])
		if err != nil {
			return err
		}
		wrong = wrong || found
		say(c.OutOrStdout(), "")
	}
	group, err := app.MakeGroup(f.request.Dir, networks)
	if err != nil {
		return err
	}
	return cli.Found(f.writeGroup(c, group, map[bool]string{true: "written", false: "unchanged"}[group.Changed]), wrong)
}

// divideRecords gives each package the records of its chain, which --reconcile NETWORK=FILE names.
func (f *closeFlags) divideRecords(parts []app.Part, list []app.PackageRequest) error {
	paths := make([][]string, len(parts))
	for _, text := range f.records {
		network, path, _ := strings.Cut(text, "=")
		i := slices.IndexFunc(parts, func(p app.Part) bool { return p.Network == network })
		if i < 0 || path == "" {
			return fmt.Errorf("--reconcile %s names no chain of the ledgers. Name the chain of each record, such as --reconcile %s=FILE", text, parts[0].Network)
		}
		paths[i] = append(paths[i], path)
	}
	for i := range list {
		if len(paths[i]) > 0 {
			list[i].Books.SetPaths(paths[i])
		}
	}
	return nil
}

// writeGroup writes what the packages of several chains state together.
func (f *closeFlags) writeGroup(c *cobra.Command, g *app.Group, result string) error {
	out := c.OutOrStdout()
	if err := g.Write(out, cli.WidthOf(out)); err != nil {
		return err
	}
	return say(out, fmt.Sprintf("%s: %s, %s (SHA-256; keep a copy elsewhere)", closing.GroupFile, result, g.Sum))
}

// checkGroup checks the package of each chain, and what the files about all state. The verdict is the lowest.
func (f *closeFlags) checkGroup(c *cobra.Command, named *closing.Group, v app.Vouchers) error {
	if f.since != "" {
		return errors.New("--since is of one chain; leave it out, or check the package of one")
	}
	group, wrong, err := app.CheckGroup(f.check, named)
	if err != nil {
		return err
	}
	var found []error
	for _, link := range named.Chains {
		dir := filepath.Join(f.check, link.Path)
		if _, err := os.Lstat(filepath.Join(dir, closing.ManifestFile)); errors.Is(err, fs.ErrNotExist) { // which is wrong already
			continue
		}
		err := f.checkPart(c, dir, link.Network, v)
		if err != nil && rank(err) == 0 {
			return err
		}
		found = append(found, err)
		say(c.OutOrStdout(), "")
	}
	if len(wrong) > 0 {
		sayAll(c.OutOrStdout(), wrong)
		found = append(found, fmt.Errorf("%w: %s: %s with the files about all chains", closing.ErrDamaged, f.check, console.Counted(len(wrong), "problem")))
	} else if err := f.writeGroup(c, group, "follows from the packages"); err != nil {
		return err
	}
	slices.SortStableFunc(found, func(a, b error) int { return rank(b) - rank(a) })
	for _, err := range found[1:] {
		if err != nil && !errors.Is(err, cli.ErrFinding) {
			fmt.Fprintln(c.ErrOrStderr(), "fees: "+plain.Line(err.Error()))
		}
	}
	return found[0]
}

// rank orders the verdicts of a check, the lowest verdict highest. It is 0 for none, and for errors that are not verdicts.
func rank(err error) int {
	switch {
	case app.KindOf(err) == failure.Damaged:
		return 3
	case errors.Is(err, cli.ErrFinding):
		return 2
	case errors.Is(err, app.ErrPartly):
		return 1
	}
	return 0
}

// checkPart checks the package of one of several chains.
func (f *closeFlags) checkPart(c *cobra.Command, dir, network string, v app.Vouchers) error {
	o := f.options(c)
	o.Kept = o.Kept && f.NamesOf(network)
	o.Balances = func() (source.Source, error) {
		if !f.NamesOf(network) {
			return nil, fmt.Errorf("%w of %s: add --gateway %s=PLACE", errNoGateway, network, network)
		}
		return f.OpenOf(network)
	}
	err := f.checkOne(c, dir, func(ctx context.Context) (*app.Ledger, error) { return f.openPart(ctx, network, v) }, v, o)
	if err != nil && !errors.Is(err, cli.ErrFinding) {
		err = fmt.Errorf("%s: %w", network, err)
	}
	return err
}

var errNoGateway = failure.New(failure.NotFound, "no --gateway names the source")

// openPart opens the ledger of a network, of those that are named, or else the default. It returns nil if there is none, and an
// archive, signers or authorities are given instead.
func (f *closeFlags) openPart(ctx context.Context, network string, v app.Vouchers) (*app.Ledger, error) {
	for i := range max(len(f.Ledgers), 1) {
		if len(f.Ledgers) > 0 {
			f.At(i)
		}
		d, err := f.LedgerFlags.Open(ctx, "")
		if app.KindOf(err) == failure.NotFound && !f.LedgerFlags.Named() {
			break
		}
		if err != nil {
			return nil, err
		}
		id, err := d.Book.Identity(ctx)
		if err == nil && id.Network == network {
			return d, nil
		}
		if err := errors.Join(err, d.Close()); err != nil {
			return nil, err
		}
	}
	if v.None() && (!f.NamesOf(network) || f.offline) {
		return nil, fmt.Errorf("no ledger of %s is named. Name it with --ledger, or an archive of its blocks with --gateway %s=PLACE", network, network)
	}
	return nil, nil
}
