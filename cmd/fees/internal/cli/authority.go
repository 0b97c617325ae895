package cli

import (
	"fmt"

	"github.com/feeledger/fees/internal/finance/closing/timestamp"
)

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
