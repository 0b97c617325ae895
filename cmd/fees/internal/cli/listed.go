package cli

import (
	"fmt"

	"github.com/feeledger/fees/internal/finance/closing/timestamp"
	"github.com/feeledger/fees/internal/sys/disk"
)

// ReadListed reads the file of a flag, of at most maxBytes, and parses it. It returns the zero value if
// path is empty.
func ReadListed[L any](flag, path string, maxBytes int64, parse func([]byte) (L, error)) (list L, err error) {
	if path == "" {
		return list, nil
	}
	text, err := disk.ReadSmall(path, maxBytes)
	if err != nil {
		return list, fmt.Errorf("%s: %w", flag, err)
	}
	if list, err = parse(text); err != nil {
		return list, fmt.Errorf("%s: %s: %w", flag, path, err)
	}
	return list, nil
}

// Authority returns the time-stamping authority of --timestamp, nil if url is empty.
func Authority(url string) (*timestamp.Authority, error) {
	if url == "" {
		return nil, nil
	}
	authority, err := timestamp.NewAuthority(url)
	if err != nil {
		return nil, fmt.Errorf("--timestamp: %w", err)
	}
	return authority, nil
}
