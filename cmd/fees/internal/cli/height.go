package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
)

// At is the height that --at names, not known where the flag is not given.
func At(c *cobra.Command, at int64) (none chain.Optional[uint64], err error) {
	if !c.Flags().Changed("at") {
		return none, nil
	}
	if at < 0 {
		return none, fmt.Errorf("--at %d: want a height of 0 or more", at)
	}
	return chain.Some(uint64(at)), nil
}

// ParseFrom reads the height of --from, not known where the flag is not given.
func ParseFrom(text string) (none chain.Optional[uint64], err error) {
	if text == "" {
		return none, nil
	}
	height, err := ParseHeight(text)
	if err != nil {
		return none, fmt.Errorf("--from: %w", err)
	}
	return chain.Some(height), nil
}
