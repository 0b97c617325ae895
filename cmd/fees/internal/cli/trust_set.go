package cli

import (
	"cmp"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/disk"
)

// addTrustSet adds the flag for a trusted set of validators.
func (f *GatewayFlags) addTrustSet(c *cobra.Command) {
	c.Flags().StringVar(&f.trustSet, "trust-set", "", "trust the set of validators in this `FILE`, whose signatures in the archive prove the checkpoint")
	c.MarkFlagsMutuallyExclusive("trust", "trust-set")
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		f.context = c.Context()
		return run(c, args)
	}
}

// TrustSet reads the set of validators of the flag, if it is set.
func (f *GatewayFlags) TrustSet() (chain.Optional[app.ValidatorSet], error) {
	return ReadTrustSet(f.trustSet)
}

// ReadTrustSet reads the set of validators of --trust-set, unknown if path is empty.
func ReadTrustSet(path string) (none chain.Optional[app.ValidatorSet], err error) {
	if path == "" {
		return none, nil
	}
	text, err := disk.ReadSmall(path, app.MaxFinality)
	if err != nil {
		return none, fmt.Errorf("--trust-set: %w", err)
	}
	set, err := app.ParseValidatorSet(text)
	if err != nil {
		return none, fmt.Errorf("--trust-set %s: %w", path, err)
	}
	return chain.Some(set), nil
}

// Final returns the block of an archive that --trust-set proves final, if the flag is set.
func (f *GatewayFlags) Final(place string) (none chain.Optional[app.FinalBlock], err error) {
	set, err := f.TrustSet()
	trusted, given := set.Get()
	if err != nil || !given {
		return none, err
	}
	final, err := app.FinalIn(f.context, place, ShownPlace(place), trusted, f.networks())
	if err != nil {
		return none, err
	}
	return chain.Some(final), nil
}

// TrustedBy returns the checkpoint: the block that is proved final, if any, or else that of --trust.
func (f *GatewayFlags) TrustedBy(final chain.Optional[app.FinalBlock]) (chain.Optional[chain.Anchor], error) {
	if block, proved := final.Get(); proved {
		return chain.Some(block.Anchor), nil
	}
	return f.Trusted()
}

// RelayAddress returns the node of the relay chain named by the flag or the environment, "" if none is.
func RelayAddress(flag string) (string, error) {
	const variable = "FEES_RELAY"
	return cmp.Or(flag, os.Getenv(variable)), checkSecrets("--relay", flag, variable)
}
