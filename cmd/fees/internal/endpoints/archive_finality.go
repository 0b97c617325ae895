package endpoints

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/archive/relay"
	"github.com/feeledger/fees/internal/node/rpc"
)

func (f *recordFlags) addFinality(c *cobra.Command) {
	c.Flags().BoolVar(&f.finality, "finality", false, "with --proofs, also record what proves the last block final")
	c.Flags().StringVar(&f.relay, "relay", "", "with --finality, the `URL` of a node of the relay chain, which keeps old states (default: FEES_RELAY)")
	c.Flags().StringVar(&f.relayBlock, "relay-block", "", "with --relay, the `HEIGHT` of the relay block with the parachain's head (default: the newest)")
}

// checkFinality checks the flags before anything is recorded, and reads the trusted set.
func (f *recordFlags) checkFinality() error {
	var err error
	f.root, err = f.TrustSet()
	switch {
	case err != nil:
		return err
	case f.finality && !f.proofs:
		return errors.New("--finality needs --proofs; add --proofs")
	case !f.finality && (f.relay != "" || f.root.Known()):
		return errors.New("--relay and --trust-set need --finality; add --finality")
	}
	if f.relay, err = cli.RelayAddress(f.relay); err != nil || f.relayBlock == "" {
		return err
	}
	if f.relay == "" {
		return errors.New("--relay-block needs --relay; name a node of the relay chain")
	}
	height, err := strconv.ParseUint(f.relayBlock, 10, 32)
	if err != nil {
		return fmt.Errorf("--relay-block %q must be a height from 0 to 4294967295", f.relayBlock)
	}
	f.relayHeight = chain.Some(height)
	return nil
}

// recordFinality records evidence that the last block of an archive is final, unless the archive has some.
func (f *recordFlags) recordFinality(ctx context.Context, last chain.Anchor) error {
	o := relay.Options{Block: last, Root: f.root, RelayBlock: f.relayHeight}
	if root, given := o.Root.Get(); given && proofs.HasFinality(f.directory) {
		if final, err := proofs.TrustFinal(ctx, f.directory, root); err == nil && final.Anchor == last {
			return nil
		}
	}
	var err error
	if o.Chain, err = f.node(f.Place(), f.WithoutKey); err != nil {
		return err
	}
	if f.relay != "" { // the key is the gateway's
		if o.Relay, err = f.node(f.relay, true); err != nil {
			return err
		}
	}
	evidence, err := relay.Collect(ctx, o)
	if err != nil {
		return fmt.Errorf("--finality: %w", err)
	}
	return proofs.PutFinality(f.directory, evidence)
}

// node connects to a node.
func (f *recordFlags) node(place string, withoutKey bool) (*rpc.Client, error) {
	options, err := f.Options()
	if err != nil {
		return nil, err
	}
	if withoutKey {
		options.APIKey = ""
	}
	if proofs.Is(place) {
		return nil, fmt.Errorf("--finality needs a node; %s is an archive", place)
	}
	client, err := rpc.New(place, options)
	if err != nil {
		return nil, err
	}
	f.Closes(client)
	return client, nil
}

// finalFields are the fields about an archive's finality: the block proved final, the sets that signed, from the trusted
// one on, and the links.
func finalFields(directory string, proved chain.Optional[proofs.Final]) cli.Record {
	final, known := proved.Get()
	switch {
	case known:
		var sets, links []string
		for _, id := range final.By.Sets {
			sets = append(sets, strconv.FormatUint(id, 10))
		}
		for _, l := range final.By.Links {
			links = append(links, l.Reason)
		}
		return cli.Record{{"final", final.Anchor.String()}, {"final_sets", sets}, {"final_chain", links}}
	case proofs.HasFinality(directory):
		return cli.Record{{"finality", fmt.Sprintf("recorded, not checked; check it with \"fees archive verify %s --trust-set FILE\"", directory)}}
	}
	return nil
}
