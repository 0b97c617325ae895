package chaingen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/native"
	"github.com/feeledger/fees/network"
)

// The checks that a gateway's responses do not suffice for, that were not requested, or that concern removed
// accounts: none are made here.
var notMade = []string{
	"block.weighed", "block.dust", "block.treasury", "extrinsic.hash", "native.formula", "native.signature", "gateway.same", "account.balance",
}

var withSignatures = []string{"evm.hash", "evm.sender", "evm.recipient"}

// requireMade requires every check except some to have been made and to have passed.
func requireMade(t *testing.T, tallies evidence.Tallies, but ...string) {
	t.Helper()
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	for i, check := range evidence.Checks() {
		require.Zero(t, tallies[i].Broken, check.ID)
		without := !check.ListedFor(moonbeam)
		for _, id := range but {
			without = without || id == check.ID
		}
		require.Equal(t, without, tallies[i].Held == 0, "%s: %+v", check.ID, tallies[i])
	}
}

func TestEveryBlockIsProved(t *testing.T) {
	c := chaingen.New(chaingen.Options{Seed: 1, Upgrade: 9_000})
	for name, blocks := range map[string][2]uint64{
		"the first":          {0, 300},
		"around the upgrade": {8_850, 9_150},
		"the ten thousandth": {9_950, 10_050},
		"later":              {15_000, 15_050},
	} {
		if testing.Short() && name != "the first" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			tallies := proveBlocks(t, c, blocks[0], blocks[1], evidence.Options{})
			if name == "the first" {
				requireMade(t, tallies, append(withSignatures, notMade...)...)
			}
		})
	}
}

// The block that upgrades the runtime is executed by the old one, which burns all of
// a tip; the next one by the new, which does not.
func TestUpgradeHoldsForTheNextBlock(t *testing.T) {
	none := chaingen.New(chaingen.Options{Seed: 1})
	height := uint64(1000)
	for !hasTip(decoded(t, none, height)) || !hasTip(decoded(t, none, height+1)) {
		height++
	}
	c := chaingen.New(chaingen.Options{Seed: 1, Upgrade: height})
	proveBlocks(t, c, height-1, height+2, evidence.Options{})
	require.NotEqual(t, rulesOf(t, c, height).Name, rulesOf(t, c, height+1).Name)
}

// hasTip reports whether a native transaction of the block pays a tip.
func hasTip(b *chain.Block) bool {
	for i := range b.Extrinsics {
		if tip, err := native.ReadTip(&b.Extrinsics[i]); err == nil && !tip.IsZero() {
			return true
		}
	}
	return false
}

// Signed transactions are verified by their signatures, too.
func TestSignedBlocksAreProved(t *testing.T) {
	c := chaingen.New(chaingen.Options{Seed: 2, Signed: true, Upgrade: 30})
	tallies := proveBlocks(t, c, 0, 60, evidence.Options{Signatures: true})
	requireMade(t, tallies, notMade...)
}
