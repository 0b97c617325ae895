package cli

import (
	"cmp"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/substrate/finality"
	"github.com/feeledger/fees/source"
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
func (f *GatewayFlags) TrustSet() (none chain.Optional[finality.Root], err error) {
	if f.trustSet == "" {
		return none, nil
	}
	root, err := ReadTrustSet(f.trustSet)
	if err != nil {
		return none, err
	}
	return chain.Some(root), nil
}

// ReadTrustSet reads a set of validators, for the flag --trust-set.
func ReadTrustSet(path string) (finality.Root, error) {
	text, err := app.ReadSmallFile(path, finality.MaxBytes)
	if err != nil {
		return finality.Root{}, fmt.Errorf("--trust-set: %w", err)
	}
	root, err := finality.ParseRoot(string(text))
	if err != nil {
		return root, fmt.Errorf("--trust-set %s: %w", path, err)
	}
	return root, nil
}

// Final returns the block of an archive that --trust-set proves final, if the flag is set.
func (f *GatewayFlags) Final(place string) (none chain.Optional[proofs.Final], err error) {
	set, err := f.TrustSet()
	root, given := set.Get()
	switch {
	case err != nil || !given:
		return none, err
	case !proofs.Is(place):
		return none, fmt.Errorf("--trust-set: %s: %w (fees archive record --proofs --finality)", ShownPlace(place), source.ErrNoProofs)
	}
	final, err := proofs.TrustFinal(f.context, place, root)
	if err == nil {
		err = f.networks().CheckParachain(final.SpecName, finalityOf(chain.Some(final)).Para)
	}
	if err != nil {
		return none, err
	}
	return chain.Some(final), nil
}

// TrustedBy returns the checkpoint: the block that is proved final, if any, or else that of --trust.
func (f *GatewayFlags) TrustedBy(final chain.Optional[proofs.Final]) (chain.Optional[chain.Anchor], error) {
	if block, proved := final.Get(); proved {
		return chain.Some(block.Anchor), nil
	}
	return f.Trusted()
}

// finalityOf returns how a block is proved final: the set that signed, the trusted one, and the parachain.
func finalityOf(proved chain.Optional[proofs.Final]) (none evidence.Finality) {
	final, known := proved.Get()
	if !known {
		return none
	}
	root, by := final.Root.Set, final.By.Sets
	f := evidence.Finality{Set: strconv.FormatUint(by[len(by)-1], 10), Root: strconv.FormatUint(root.ID, 10), RootHash: root.Hash}
	if head, has := final.By.Head.Get(); has {
		f.Para = strconv.FormatUint(uint64(head.Para), 10)
	}
	return f
}

// RelayAddress returns the node of the relay chain named by the flag or the environment, "" if none is.
func RelayAddress(flag string) (string, error) {
	const variable = "FEES_RELAY"
	return cmp.Or(flag, os.Getenv(variable)), checkSecrets("--relay", flag, variable)
}
