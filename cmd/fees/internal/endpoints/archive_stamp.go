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

// manifestFile lists all other files with their checksums, so its timestamp covers the archive.
const manifestFile = "manifest.json"

// stampArchive gets a timestamp for an archive that has none.
func stampArchive(ctx context.Context, directory string, authority *timestamp.Authority) error {
	manifest, stamp, err := readStamp(ctx, directory, nil)
	switch {
	case err != nil:
		return err
	case stamp != nil && stamp.Wrong != "":
		return fmt.Errorf("%s: %s; remove the file to get a new timestamp", filepath.Join(directory, manifestFile+timestamp.Suffix), stamp.Wrong)
	case stamp != nil:
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

// readStamp reads the manifest of an archive and checks its timestamp, nil if there is none.
func readStamp(ctx context.Context, directory string, authorities *x509.CertPool) (manifest []byte, stamp *timestamp.Checked, err error) {
	path := filepath.Join(directory, manifestFile)
	if manifest, err = os.ReadFile(path); err != nil { // it was read before
		return nil, nil, err
	}
	text, err := app.ReadSmallFile(path+timestamp.Suffix, timestamp.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return manifest, timestamp.Check(ctx, text, manifest, authorities), nil
}

// stamped returns the fields of a timestamp, and whether it is valid or, if not required, absent.
func stamped(stamp *timestamp.Checked, required bool) (lines cli.Record, holds bool) {
	const file = manifestFile + timestamp.Suffix
	var at, by, wrong chain.Optional[string]
	switch {
	case stamp == nil && required:
		wrong = chain.Some("the archive contains no " + file)
	case stamp == nil:
	case stamp.Wrong != "":
		wrong = chain.Some(file + ": " + stamp.Wrong)
	default:
		at = chain.Some(stamp.Time.Format(time.RFC3339))
		by = chain.Some(cmp.Or(stamp.Authority, "authority not checked; check it with --tsa-ca FILE"))
	}
	return cli.Record{{"timestamp", at}, {"timestamp_by", by}, {"timestamp_wrong", wrong}}, !wrong.Known()
}
