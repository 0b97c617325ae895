package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
)

// Inherents may be identical; transactions may not.
func TestOnceAndInOrder(t *testing.T) {
	heartbeat := inherent(t)
	heartbeat.Events[0] = ended(t, "1") // of class Normal, unsigned, without a fee
	for what, c := range map[string]struct {
		list        []chain.Extrinsic
		once, order evidence.Tally
	}{
		"as it should be":           {[]chain.Extrinsic{inherent(t), inherent(t), by(t, payer, 0), by(t, payer, 1)}, evidence.Tally{Held: 2}, evidence.Tally{Held: 1}},
		"inherents only":            {[]chain.Extrinsic{inherent(t), inherent(t)}, evidence.Tally{}, evidence.Tally{}},
		"a heartbeat at the end":    {[]chain.Extrinsic{inherent(t), by(t, payer, 0), heartbeat}, evidence.Tally{Held: 1}, evidence.Tally{Held: 1}},
		"an inherent in the middle": {[]chain.Extrinsic{by(t, payer, 0), inherent(t), by(t, payer, 1)}, evidence.Tally{Held: 2}, evidence.Tally{Broken: 1}},
		"an inherent at the end":    {[]chain.Extrinsic{by(t, payer, 0), inherent(t)}, evidence.Tally{Held: 1}, evidence.Tally{Broken: 1}},
		"an inherent without a class": {[]chain.Extrinsic{by(t, payer, 0), {Pallet: "timestamp", Call: "set", Events: []chain.Event{event(t, "system.ExtrinsicSuccess", object{"weight": "1"})}}},
			evidence.Tally{Held: 1}, evidence.Tally{NotApplicable: 1, Why: "the gateway does not return the class of each extrinsic"}},
	} {
		for i := range c.list {
			if c.list[i].Signed != nil {
				c.list[i].Hash = chain.Hash{byte(i + 1)}
			}
		}
		b := block()
		b.Extrinsics = c.list
		for i := range b.Extrinsics {
			b.Extrinsics[i].Index = i
		}
		r := proved(b, rulesOf(t, "moonbeam", 2100), evidence.Options{})
		require.Equal(t, c.once, tally(t, r, "extrinsic.once"), what)
		require.Equal(t, c.order, tally(t, r, "extrinsic.order"), what)
	}

	twice := block(by(t, payer, 0), by(t, stranger, 0), by(t, stranger, 1))
	twice.Extrinsics[2].Hash = twice.Extrinsics[0].Hash
	r := proved(twice, rulesOf(t, "moonbeam", 2100), evidence.Options{})
	require.Equal(t, evidence.Tally{Held: 2, Broken: 1}, tally(t, r, "extrinsic.once"))
	require.Equal(t, "block 5000000, extrinsic 2: extrinsic.once: extrinsic 0 has the same hash, "+twice.Extrinsics[0].Hash.String(), r.Findings[0].String())
}
