package cli

import (
	"fmt"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing/timestamp"
)

// ReadListed reads the file of a flag, of at most so many bytes; none where it is not named.
func ReadListed[L any](flag, path string, most int64, read func([]byte) (L, error)) (list L, err error) {
	if path == "" {
		return list, nil
	}
	text, err := app.ReadSmallFile(path, most)
	if err != nil {
		return list, fmt.Errorf("%s: %w", flag, err)
	}
	if list, err = read(text); err != nil {
		return list, fmt.Errorf("%s: %s: %w", flag, path, err)
	}
	return list, nil
}

// Authority is the time-stamping authority that --timestamp names, nil for none.
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
