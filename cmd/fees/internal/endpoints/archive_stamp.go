package endpoints

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing/timestamp"
	"github.com/feeledger/fees/internal/sys/disk"
)

// An archive's manifest names all other files by their sums, so that its timestamp is that of
// the archive.
const manifestFile = "manifest.json"

// stampArchive has an authority say when an archive was there, unless one did.
func stampArchive(ctx context.Context, directory string, authority *timestamp.Authority) error {
	manifest, there, err := readStamp(ctx, directory, nil)
	switch {
	case err != nil:
		return err
	case there != nil && there.Wrong != "":
		return fmt.Errorf("%s: %s: take it away to stamp anew", filepath.Join(directory, manifestFile+timestamp.Suffix), there.Wrong)
	case there != nil:
		return nil
	}
	answer, err := authority.Ask(ctx, manifest)
	if err != nil {
		return err
	}
	if err := disk.New(directory).Write(manifestFile+timestamp.Suffix, string(answer)); err != nil {
		return err
	}
	return disk.Sync(directory)
}

// readStamp reads the manifest of an archive, and checks its timestamp, nil where there is none.
func readStamp(ctx context.Context, directory string, authorities *x509.CertPool) (manifest []byte, stamp *timestamp.Checked, err error) {
	path := filepath.Join(directory, manifestFile)
	if manifest, err = os.ReadFile(path); err != nil { // it was read before
		return nil, nil, err
	}
	text, err := app.ReadSmallFile(path+timestamp.Suffix, timestamp.MostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return manifest, timestamp.Check(ctx, text, manifest, authorities), nil
}

// stamped are the lines of a timestamp, and whether it holds, or there is none and none is
// wanted.
func stamped(stamp *timestamp.Checked, wanted bool) (lines cli.Record, holds bool) {
	const file = manifestFile + timestamp.Suffix
	var at, by, wrong chain.Optional[string]
	switch {
	case stamp == nil && wanted:
		wrong = chain.Some("there is no " + file)
	case stamp == nil:
	case stamp.Wrong != "":
		wrong = chain.Some(file + ": " + stamp.Wrong)
	default:
		at = chain.Some(stamp.Time.Format(time.RFC3339))
		by = chain.Some(cmp.Or(stamp.Authority, "checked against nobody: --tsa-ca says by whose word"))
	}
	return cli.Record{{"timestamp", at}, {"timestamp_by", by}, {"timestamp_wrong", wrong}}, !wrong.Known()
}
