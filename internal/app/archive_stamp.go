package app

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
	"github.com/feeledger/fees/internal/finance/closing/timestamp"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// An archive's manifest lists all other files with their checksums, so its timestamp covers the archive.
const (
	archiveManifest = "manifest.json"
	archiveStamp    = archiveManifest + timestamp.Suffix
)

// StampArchive gets a timestamp for an archive that has none.
func StampArchive(ctx context.Context, directory string, authority *timestamp.Authority) error {
	manifest, stamp, err := readStamp(ctx, directory, nil)
	switch {
	case err != nil:
		return err
	case stamp != nil && stamp.Wrong != "":
		return fmt.Errorf("%s: %s; remove the file to get a new timestamp", filepath.Join(directory, archiveStamp), stamp.Wrong)
	case stamp != nil:
		return nil
	}
	answer, err := authority.Ask(ctx, manifest)
	if err != nil {
		return err
	}
	if err := disk.New(directory).Write(archiveStamp, string(answer)); err != nil {
		return err
	}
	return disk.Sync(directory)
}

// readStamp reads the manifest of an archive and checks its timestamp, nil if there is none.
func readStamp(ctx context.Context, directory string, authorities *x509.CertPool) (manifest []byte, stamp *timestamp.Checked, err error) {
	path := filepath.Join(directory, archiveManifest)
	if manifest, err = os.ReadFile(path); err != nil { // it was read before
		return nil, nil, err
	}
	text, err := disk.ReadSmall(path+timestamp.Suffix, timestamp.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return manifest, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return manifest, timestamp.Check(ctx, text, manifest, authorities), nil
}

// CheckArchiveStamp returns the fields of an archive's timestamp, and whether it is valid or, without authorities, absent.
func CheckArchiveStamp(ctx context.Context, directory string, authorities *x509.CertPool) (lines jsontext.Record, holds bool, err error) {
	_, stamp, err := readStamp(ctx, directory, authorities)
	if err != nil {
		return nil, false, err
	}
	var at, by, wrong chain.Optional[string]
	switch {
	case stamp == nil && authorities != nil:
		wrong = chain.Some("the archive contains no " + archiveStamp)
	case stamp == nil:
	case stamp.Wrong != "":
		wrong = chain.Some(archiveStamp + ": " + stamp.Wrong)
	default:
		at = chain.Some(stamp.Time.Format(time.RFC3339))
		by = chain.Some(cmp.Or(stamp.Authority, "authority not checked; check it with --tsa-ca FILE"))
	}
	return jsontext.Record{{"timestamp", at}, {"timestamp_by", by}, {"timestamp_wrong", wrong}}, !wrong.Known(), nil
}
