package app

import (
	"context"
	"fmt"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/archive/relay"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/finality"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// ValidatorSet is a trusted set of validators, whose signatures prove blocks final.
type ValidatorSet = finality.Root

// FinalBlock is a block of an archive that a [ValidatorSet] proves final.
type FinalBlock = proofs.Final

// MaxFinality limits a file with a [ValidatorSet], or with evidence of finality, in bytes.
const MaxFinality = finality.MaxBytes

// ParseValidatorSet parses a set of validators.
func ParseValidatorSet(text []byte) (ValidatorSet, error) { return finality.ParseRoot(string(text)) }

// FinalIn returns the block of an archive that a set of validators proves final. shown is the archive in messages.
func FinalIn(ctx context.Context, place, shown string, set ValidatorSet, tables network.Tables) (final FinalBlock, err error) {
	if !proofs.Is(place) {
		return final, fmt.Errorf("--trust-set: %s: %w (fees archive record --proofs --finality)", shown, source.ErrNoProofs)
	}
	if final, err = proofs.TrustFinal(ctx, place, set); err == nil {
		err = tables.CheckParachain(final.SpecName, FinalityOf(final).Para)
	}
	return final, err
}

// FinalityOf returns how a block is proved final: the set that signed, the trusted one, and the parachain.
func FinalityOf(final FinalBlock) evidence.Finality {
	root, by := final.Root.Set, final.By.Sets
	f := evidence.Finality{Set: strconv.FormatUint(by[len(by)-1], 10), Root: strconv.FormatUint(root.ID, 10), RootHash: root.Hash}
	if head, has := final.By.Head.Get(); has {
		f.Para = strconv.FormatUint(uint64(head.Para), 10)
	}
	return f
}

// FinalityRecording asks for evidence that the last block of an archive is final.
type FinalityRecording struct {
	Set        chain.Optional[ValidatorSet] // the trusted one; unknown for the one that signs
	RelayBlock chain.Optional[uint64]       // with the parachain's head; unknown for the newest
	// Nodes connect to the chain's node and to the relay chain's, which is nil for a chain without one.
	Nodes func() (node, relay *rpc.Client, err error)
}

// record records the evidence, unless the archive has some from the trusted set.
func (q *FinalityRecording) record(ctx context.Context, directory string, last chain.Anchor) (err error) {
	o := relay.Options{Block: last, Root: q.Set, RelayBlock: q.RelayBlock}
	if root, given := o.Root.Get(); given && proofs.HasFinality(directory) {
		if final, err := proofs.TrustFinal(ctx, directory, root); err == nil && final.Anchor == last {
			return nil
		}
	}
	if o.Chain, o.Relay, err = q.Nodes(); err != nil {
		return err
	}
	evidence, err := relay.Collect(ctx, o)
	if err != nil {
		return fmt.Errorf("--finality: %w", err)
	}
	return proofs.PutFinality(directory, evidence)
}

// FinalityNode returns a client of a node for [FinalityRecording.Nodes].
func FinalityNode(place string, options gatewayclient.Options) (*rpc.Client, error) {
	if proofs.Is(place) {
		return nil, fmt.Errorf("--finality needs a node; %s is an archive", place)
	}
	return rpc.New(place, httpclient.Options(options))
}

// finalFields are the fields about an archive's finality: the block proved final, the sets that signed, from the trusted
// one on, and the links.
func finalFields(directory string, proved chain.Optional[FinalBlock]) jsontext.Record {
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
		return jsontext.Record{{"final", final.Anchor.String()}, {"final_sets", sets}, {"final_chain", links}}
	case proofs.HasFinality(directory):
		return jsontext.Record{{"finality", fmt.Sprintf("recorded, not checked; check it with \"fees archive verify %s --trust-set FILE\"", directory)}}
	}
	return nil
}
