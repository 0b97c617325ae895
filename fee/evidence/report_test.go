package evidence_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// Every check has a unique ID, and describes itself.
func TestChecks(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range evidence.Checks() {
		require.Regexp(t, `^(block|extrinsic|evm|native|gateway|account)\.[a-z_]+$`, c.ID)
		require.False(t, seen[c.ID], c.ID)
		seen[c.ID] = true
		require.NotEmpty(t, c.Holds)
		require.NotEmpty(t, c.Source)
	}
	evidence.Checks()[0].ID = "changed"
	require.Equal(t, "block.parent", evidence.Checks()[0].ID)
	require.Len(t, evidence.Classes(), 6)
}

// The runtimes for which a check is made follow from its requirements on their rules. The runtimes are those
// of the networks' documentation and source: Moonbase's events came one runtime earlier, its base fee is
// dynamic from 2100 on, and Moonbeam's from 2300 on. The charges of Moonbeam's runtime 4304 are unknown.
func TestRuntimesOfChecks(t *testing.T) {
	later := map[string][2]string{ // Moonbase, Moonbeam; all others are made for all
		"block.base_fee":        {"2100 and later", "2300 and later"},
		"block.base_fee_update": {"none", "none"},
		"block.weight":          {"157 and later", "all"},
		"block.weighed":         {"40 to 1700, 1703 to 1999, 2600 and later", "900 to 1700, 1703 to 1999, 2600 and later"},
		"block.digest":          {"1200 and later", "1201 and later"},
		"evm.hold":              {"2000 and later", "2000 and later"},
		"evm.cash":              {"1200 and later", "1201 and later"},
		"evm.split":             {"1200 and later", "1201 and later"},
		"evm.outcome":           {"2000 and later", "2000 and later"},
		"evm.payer":             {"none", "none"}, // of pallet revive
		"evm.paid":              {"none", "none"},
		"evm.deposit":           {"none", "none"},
		"evm.formula":           {"none", "none"},
		"evm.receipt":           {"none", "none"},
		"native.asset":          {"none", "none"},
		"native.cash":           {"1800 and later", "1801 and later"},
		"native.tip":            {"1800 and later", "1801 and later"},
		"native.waived":         {"1800 and later", "1801 and later"},
		"native.formula":        {"47 and later", "900 to 4303, 4305 and later"},
		"native.split":          {"1200 and later", "1201 and later"},
		"account.balance":       {"1200 and later", "1201 and later"},
	}
	for i, name := range []string{"moonbase", "moonbeam"} {
		for _, c := range evidence.Checks() {
			want, some := later[c.ID]
			if !some {
				want = [2]string{"all", "all"}
			}
			require.Equal(t, want[i], c.Runtimes(networkOf(t, name)), "%s: %s", name, c.ID)
		}
	}
	tables, err := network.BuiltIn().With("mine.json", []byte(`{"networks": [{"name": "mine", "symbol": "MINE", "last_runtime": 9,
		"rows": [{"from_runtime": 1, "static_base_fee": "1", "source": "mine"}]}]}`))
	require.NoError(t, err)
	n, _ := tables.Named("mine")
	for _, c := range evidence.Checks() {
		want := "all"
		switch c.ID {
		case "block.base_fee", "block.base_fee_update", "block.multiplier", "block.weight", "block.weighed", "block.treasury", "native.formula", "block.dust",
			"evm.payer", "evm.paid", "evm.deposit", "evm.formula", "evm.receipt", "native.asset":
			want = "none" // not in the table
		}
		require.Equal(t, want, c.Runtimes(n), c.ID)
	}
}

// The keys of a plain report are unchanged, with more added.
func TestReportJSON(t *testing.T) {
	h := load(t, 2100)
	b := decoded(t, h.blocks[25])
	m, err := stored(h.multipliers[24])
	require.NoError(t, err)
	plain := fee.Price(b, &h.rules, m)
	r := evidence.Prove(b, plain, h.rules, thorough)
	before := tree(t, encoded(t, plain)).(object)
	after := tree(t, encoded(t, r)).(object)
	require.Equal(t, []any{}, after["findings"])
	require.Contains(t, after, "diagnosis")
	for key, v := range before {
		if key != "transactions" && key != "totals" {
			require.Equal(t, v, after[key], key)
		}
	}
	first := after["transactions"].([]any)[0].(object)
	for key, v := range before["transactions"].([]any)[0].(object) {
		require.Equal(t, v, first[key], key)
	}
	require.Equal(t, "match", first["verdict"])
	require.Equal(t, "2100000000000000", first["charged"])
	require.Equal(t, "420000000000000", first["treasury"])
	require.Nil(t, first["drift"])
	totals := after["totals"].(object)
	for key, v := range before["totals"].(object) {
		require.Equal(t, v, totals[key], key)
	}
	require.Equal(t, json.Number("5"), totals["match"])
}

func TestFindingsInTheOrderOfTheChecks(t *testing.T) {
	b := block(
		native(t, "1", withdraw(t, payer, "7"), feePaid(t, "8", "0"), paidNative(t, "Yes")),
		legacy(t, "1", "2"),
		native(t, "0", withdraw(t, payer, "7"), feePaid(t, "9", "0"), paidNative(t, "Yes")),
	)
	b.Finalized = chain.Some(false)
	r := proved(b, rulesOf(t, "moonbeam", 2100), thorough)
	var have []string
	for _, f := range r.Findings {
		have = append(have, f.String())
	}
	require.Equal(t, []string{
		"block 5000000, extrinsic 1: evm.price: the gas price of 1 wei is below the base fee of 100000000000",
		"block 5000000, extrinsic 1: evm.cash: the chain charged 42000 wei, but the fee is 21000 (difference 21000 wei)",
		"block 5000000, extrinsic 1: evm.hash: args.transaction: signature.v: missing",
		"block 5000000, extrinsic 0: native.cash: the chain charged 7 wei, but the fee is 8 (difference -1 wei)",
		"block 5000000, extrinsic 2: native.cash: the chain charged 7 wei, but the fee is 9 (difference -2 wei)",
		"block 5000000, extrinsic 0: native.tip: 0 wei were paid, but 1 signed",
	}, have)
	require.Equal(t, evidence.Tally{NotApplicable: 1, Why: "the block is not final yet"}, tally(t, r, "block.final"))
	b.Finalized = chain.Optional[bool]{}
	r = proved(b, rulesOf(t, "moonbeam", 2100), evidence.Options{})
	require.Equal(t, "the gateway does not report whether the block is final", tally(t, r, "block.final").Why)
}

// Later checks take their place among the findings: first the parent and the time, last the other gateway.
func TestLaterFindingsInTheOrderOfTheChecks(t *testing.T) {
	b := block(native(t, "0", withdraw(t, payer, "7"), feePaid(t, "8", "0"), paidNative(t, "Yes")))
	r := proved(b, rulesOf(t, "moonbeam", 2100), evidence.Options{})
	r.CompareWith(b, "the number of extrinsics: 2, and 1", one)
	r.CheckStoredMultiplier(at(height, 1))
	r.CheckPredecessor(chain.Some(evidence.Predecessor{Number: height - 1, Hash: chain.Hash{1}}))
	require.Equal(t, []string{"block.parent", "block.time", "block.multiplier", "native.cash", "gateway.same"}, broken(r))
}

// A report with wrong totals, or made with other rules, does not hold.
func TestProveChecksTheReport(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 2100)
	b := block(legacy(t, "200000000000", "200000000000"))
	for want, change := range map[string]func(*fee.Report){
		"the fees add up to 4200000000000000 wei, but the total is 1":                   func(r *fee.Report) { r.Totals.Fee = chain.NewWei(1) },
		"1 EVM and 0 native transactions and 3 inherents do not add up to 2 extrinsics": func(r *fee.Report) { r.Totals.Inherents = 3 },
	} {
		report := fee.Price(b, &rules, one)
		change(report)
		r := evidence.Prove(b, report, rules, evidence.Options{})
		require.Contains(t, broken(r), "block.totals")
		require.Contains(t, r.Findings[0].Message, want)
	}

	uncapped, capped := rulesOf(t, "moonbeam", 1201), rulesOf(t, "moonbeam", 1401)
	b = block(dynamic(t, "105000000000", "10000000000", "110000000000"))
	r := evidence.Prove(b, fee.Price(b, &uncapped, one), capped, evidence.Options{})
	require.Equal(t, "the gas price of 110000000000 wei is above maxFeePerGas, 105000000000", r.Findings[0].Message)
	r = evidence.Prove(b, fee.Price(b, &uncapped, one), uncapped, evidence.Options{})
	require.Equal(t, 1, tally(t, r, "evm.price").Held)
}

// A payment by something other than a known transaction is found. A withdrawal by an inherent is not.
func TestUnknownPayer(t *testing.T) {
	info := func(class string) chain.Event {
		return event(t, "system.ExtrinsicSuccess", object{"weight": "1", "class": class, "paysFee": "Yes"})
	}
	for what, c := range map[string]struct {
		events []chain.Event
		broken bool
	}{
		"paid":               {[]chain.Event{withdraw(t, payer, "5"), info("Normal")}, true},
		"paid, operational":  {[]chain.Event{withdraw(t, payer, "5"), info("Operational")}, true},
		"paid, unreadable":   {[]chain.Event{event(t, "balances.Withdraw"), info("Normal")}, true},
		"XCM in an inherent": {[]chain.Event{withdraw(t, payer, "5"), info("Mandatory")}, false},
		"unsigned and free":  {[]chain.Event{info("Normal")}, false},
		"no class":           {[]chain.Event{withdraw(t, payer, "5"), event(t, "system.ExtrinsicSuccess", object{"weight": "1"})}, false},
		"no outcome":         {[]chain.Event{withdraw(t, payer, "5")}, false},
	} {
		b := block(chain.Extrinsic{Pallet: "new", Call: "call", Events: c.events})
		r := proved(b, rulesOf(t, "moonbeam", 3702), evidence.Options{})
		if c.broken {
			require.Equal(t, []string{"block.totals"}, broken(r), what)
			require.Equal(t, "block 5000000, extrinsic 0: block.totals: it paid a fee but is neither a native nor an EVM transaction", r.Findings[0].String())
		} else {
			require.NotContains(t, broken(r), "block.totals", what)
		}
	}
}

func TestBaseFeeBounds(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 3702)
	b := block(legacy(t, "200000000000", "200000000000"))
	half := at(height-1, 500_000_000_000_000_000)
	r := evidence.Prove(b, fee.Price(b, &rules, half), rules, evidence.Options{})
	require.Equal(t, "15625000000 wei per gas is below the minimum of 31250000000", r.Findings[0].Message)
	require.Equal(t, []string{"block.base_fee"}, broken(r))

	// 100,000 × 31.25 Gwei is the most.
	var highest chain.Multiplier
	require.NoError(t, highest.UnmarshalText([]byte("100000000000000000000000")))
	for more, broken := range map[uint64]int{0: 0, 32_000_000: 1} { // 32,000,000 × 31.25 Gwei / 10^18 = 1 wei
		m, err := highest.Add(chain.NewMultiplier(more))
		require.NoError(t, err)
		r = evidence.Prove(b, fee.Price(b, &rules, chain.Some(chain.StoredMultiplier{At: height - 1, Value: m})), rules, evidence.Options{})
		require.Equal(t, broken, tally(t, r, "block.base_fee").Broken, more)
	}

	r = evidence.Prove(b, fee.Price(b, &rules, chain.Optional[chain.StoredMultiplier]{}), rules, evidence.Options{})
	require.Empty(t, r.Findings)
	require.Equal(t, "the base fee is unknown", tally(t, r, "block.base_fee").Why)
	require.Equal(t, "the base fee is unknown", tally(t, r, "evm.price").Why)
	require.Equal(t, 1, r.Totals.Match, "the sender named the price")
	require.Equal(t, 1, tally(t, r, "evm.split").NotApplicable)

	static := proved(b, rulesOf(t, "moonbeam", 2100), evidence.Options{})
	require.Equal(t, evidence.Tally{NotApplicable: 1, Why: "the runtime's base fee is static"}, tally(t, static, "block.base_fee"))
}

// Under the specification's rules nothing is known about a runtime's records.
func TestProveBySpecification(t *testing.T) {
	h := load(t, 2100)
	n := networkOf(t, "moonbeam")
	rules, err := n.SpecificationRules()
	require.NoError(t, err)
	b := decoded(t, h.blocks[25])
	m, err := stored(h.multipliers[25])
	require.NoError(t, err)
	r := evidence.Prove(b, fee.Price(b, &rules, m), rules, thorough)
	for _, id := range []string{"evm.split", "native.split"} {
		require.Equal(t, "the table does not contain the destinations of this runtime's fees", tally(t, r, id).Why)
	}
	require.Equal(t, "older runtimes, or an unknown runtime", tally(t, r, "evm.outcome").Why)
	r.CheckStoredMultiplier(m)
	require.Equal(t, "the multiplier is read at the block itself, as in the specification", tally(t, r, "block.multiplier").Why)

	noCash := block(native(t, "0", feePaid(t, "5", "0"), paidNative(t, "Yes")))
	r = evidence.Prove(noCash, fee.Price(noCash, &rules, one), rules, thorough)
	require.Equal(t, "no_evidence", word(r.Transactions[0].Verdict))
	require.Empty(t, r.Findings)
}

// Rules that may not be the chain's are proved if every fee matches.
func TestUncertainRules(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 9999)
	matches, drifts := evidence.NewSummary(), evidence.NewSummary()
	r := proved(block(legacy(t, "200000000000", "200000000000")), rules, evidence.Options{})
	require.True(t, r.Holds())
	matches.Add(r)
	require.Zero(t, matches.Uncertain)
	require.True(t, matches.Holds())

	r = proved(block(legacy(t, "200000000000", "200000000001")), rules, evidence.Options{})
	require.False(t, r.Holds())
	drifts.Add(r)
	require.Equal(t, 1, drifts.Uncertain)
	require.False(t, drifts.Holds())
}

func TestSummary(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 2100)
	s := evidence.NewSummary()
	require.True(t, s.Holds())
	good := proved(block(legacy(t, "200000000000", "200000000000")), rules, evidence.Options{})
	s.Add(good)
	// 20 % of 100 and of 100 Gwei × 21,000 were not credited: evm.split is broken.
	require.False(t, s.Holds())

	b := block(
		legacy(t, "200000000000", "100000000000"),
		native(t, "0", withdraw(t, payer, "9"), event(t, "system.KilledAccount", payer), feePaid(t, "8", "0"), paidNative(t, "Yes")),
		native(t, "0", withdraw(t, payer, "11"), event(t, "system.KilledAccount", payer), feePaid(t, "8", "0"), paidNative(t, "Yes")),
	)
	b.Number++
	r := proved(b, rules, evidence.Options{})
	r.Diagnosis = &evidence.Diagnosis{Message: "of the block"}
	s.Add(r)
	require.Equal(t, 2, s.Blocks)
	require.Equal(t, 2, s.EVM)
	require.Equal(t, 2, s.Native)
	require.Equal(t, map[evidence.Verdict]int{evidence.Match: 1, evidence.Drift: 3}, s.Verdicts)
	require.Len(t, s.Classes, 2)
	require.Equal(t, 1, s.Classes[evidence.Unknown].Count)
	require.Equal(t, "evm.cash", s.Classes[evidence.Unknown].First.Check)
	require.Equal(t, r.Diagnosis, s.Classes[evidence.Unknown].Diagnosis)
	require.Equal(t, 2, s.Classes[evidence.ZeroedPayer].Count)
	require.Equal(t, "block 5000001, extrinsic 1: native.cash: the chain charged 9 wei, but the fee is 8 (difference 1 wei)", s.Classes[evidence.ZeroedPayer].First.String())
	cash := s.Checks[index(t, "native.cash")]
	require.Equal(t, 2, cash.Broken)
	require.Equal(t, s.Classes[evidence.ZeroedPayer].First, *cash.First, "the first stays")
	// 200 and 100 Gwei × 21,000, and 9 and 11 wei.
	require.Equal(t, "6300000000000020", shown(s.Charged))
	require.Equal(t, "6300000000000020", shown(s.Burned))
	require.Equal(t, "8400000000000016", shown(s.Fee))

	r.Findings = nil
	s = evidence.NewSummary()
	s.Add(r)
	require.Equal(t, evidence.Finding{Check: "evm.cash", Block: height + 1, Extrinsic: chain.Some(0)}, s.Classes[evidence.Unknown].First)

	r.Findings = []evidence.Finding{{Check: "no.such"}}
	require.PanicsWithValue(t, "evidence: no check no.such", func() { s.Add(r) })
}

func TestFollows(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 2100)
	made := func(number uint64, ms string) *evidence.Report {
		set := blocktest.Extrinsic(t, "timestamp.set", `{"now":"`+ms+`"}`)
		set.Events = []chain.Event{ended(t, "1")}
		b := block(set)
		b.Number = number
		b.Hash[0], b.ParentHash[0] = byte(number), byte(number-1)
		return proved(b, rules, evidence.Options{})
	}
	untimed := func(number uint64) *evidence.Report {
		b := block()
		b.Number = number
		b.Hash[0], b.ParentHash[0] = byte(number), byte(number-1)
		return proved(b, rules, evidence.Options{})
	}
	for what, c := range map[string]struct {
		before, after *evidence.Report
		broken        []string
		time          evidence.Tally
	}{
		"follows":         {made(1, "1000"), made(2, "1001"), []string{}, evidence.Tally{Held: 1}},
		"same time":       {made(1, "1000"), made(2, "1000"), []string{"block.time"}, evidence.Tally{Broken: 1}},
		"earlier":         {made(1, "1000"), made(2, "999"), []string{"block.time"}, evidence.Tally{Broken: 1}},
		"a gap":           {made(1, "1000"), made(3, "1001"), []string{"block.parent"}, evidence.Tally{Held: 1}},
		"itself":          {made(1, "1000"), made(1, "1001"), []string{"block.parent"}, evidence.Tally{Held: 1}},
		"no time":         {made(1, "1000"), untimed(2), []string{"block.time"}, evidence.Tally{Broken: 1}},
		"time unreadable": {made(1, "1000"), made(2, "soon"), []string{"block.time"}, evidence.Tally{Broken: 1}},
		"no time before":  {untimed(0), made(1, "1000"), []string{}, evidence.Tally{NotApplicable: 1, Why: "the previous block has no time"}},
	} {
		if c.before.Number == 0 {
			c.after.ParentHash = c.before.Hash
		}
		c.after.CheckPredecessor(chain.Some(c.before.Predecessor()))
		require.Equal(t, c.broken, broken(c.after), what)
		require.Equal(t, c.time, tally(t, c.after, "block.time"), what)
	}

	// A chain whose MinimumPeriod is 0 may give two blocks one time, but never an earlier one.
	rules.EqualTimes = true
	for ms, want := range map[string]evidence.Tally{"1000": {Held: 1}, "1001": {Held: 1}, "999": {Broken: 1}} {
		before, after := made(1, "1000"), made(2, ms)
		after.CheckPredecessor(chain.Some(before.Predecessor()))
		require.Equal(t, want, tally(t, after, "block.time"), ms)
	}
}

func TestStored(t *testing.T) {
	const unit = 1_000_000_000_000_000_000
	for what, c := range map[string]struct {
		network string
		runtime uint32
		parent  chain.Optional[chain.StoredMultiplier]
		stored  chain.Optional[chain.StoredMultiplier]
		want    evidence.Tally
	}{
		// An empty block: diff = 0.25; 3e-5 × 0.25 = 7.5e-6, less (3e-5)²/2 × 0.25² = 2.8125e-11.
		"an empty block":      {"moonbeam", 2100, one, at(height, unit-7_500_000_000_000+28_125_000), evidence.Tally{Held: 1}},
		"by one":              {"moonbeam", 2100, one, at(height, unit-7_500_000_000_000+28_125_001), evidence.Tally{Broken: 1}},
		"parent not known":    {"moonbeam", 2100, chain.Optional[chain.StoredMultiplier]{}, one, evidence.Tally{NotApplicable: 1, Why: "the multiplier that the parent stored is unknown"}},
		"stored not known":    {"moonbeam", 2100, one, chain.Optional[chain.StoredMultiplier]{}, evidence.Tally{NotApplicable: 1, Why: "the multiplier that the block stored is unknown"}},
		"of another height":   {"moonbeam", 2100, one, at(height+1, unit), evidence.Tally{NotApplicable: 1, Why: "the multiplier is read at the block itself, as in the specification"}},
		"weight in the state": {"moonbeam", 3702, one, at(height, unit), evidence.Tally{NotApplicable: 1, Why: "system.blockWeight is unknown"}},
		"no rule yet":         {"moonriver", 49, one, at(height, 0), evidence.Tally{Held: 1}},
		"no rule, and moved":  {"moonriver", 49, one, at(height, 1), evidence.Tally{Broken: 1}},
	} {
		rules := rulesOf(t, c.network, c.runtime)
		b := block()
		r := evidence.Prove(b, fee.Price(b, &rules, c.parent), rules, evidence.Options{})
		r.CheckStoredMultiplier(c.stored)
		require.Equal(t, c.want, tally(t, r, "block.multiplier"), what)
	}
	big, err := chain.ParseMultiplier(largest)
	require.NoError(t, err)
	rules := rulesOf(t, "moonbeam", 1701)
	parent := chain.Some(chain.StoredMultiplier{At: height - 1, Value: big})
	heavy := block(native(t, "0", event(t, "system.ExtrinsicSuccess", object{"weight": "370000000000", "class": "Normal", "paysFee": "Yes"})))
	r := evidence.Prove(heavy, fee.Price(heavy, &rules, parent), rules, evidence.Options{})
	r.CheckStoredMultiplier(at(height, unit))
	require.Equal(t, 1, tally(t, r, "block.multiplier").Broken)
	require.Contains(t, messageOf(r, "block.multiplier"), "overflow")

	specification := rulesOf(t, "moonbeam", 2100)
	specification.Update = chain.Optional[rule.MultiplierUpdate]{}
	empty := block()
	r = evidence.Prove(empty, fee.Price(empty, &specification, one), specification, evidence.Options{})
	r.CheckStoredMultiplier(at(height, unit))
	require.Equal(t, "the table does not define how the multiplier changes", tally(t, r, "block.multiplier").Why)
}

func TestBlockWeight(t *testing.T) {
	weighing := func(weights ...string) *chain.Block {
		var list []chain.Extrinsic
		for _, w := range weights {
			list = append(list, native(t, "0", withdraw(t, payer, "0"), feePaid(t, "0", "0"),
				event(t, "system.ExtrinsicSuccess", object{"weight": w, "class": "Normal", "paysFee": "Yes"})))
		}
		return block(list...)
	}
	for what, c := range map[string]struct {
		runtime uint32
		block   *chain.Block
		message string
	}{
		"75 % of half a second": {2100, weighing("375000000000"), ""},
		"one too much":          {2100, weighing("374999999999", "2"), "the extrinsics weigh 375000000001, but the limit of a block is 375000000000"},
		"over 64 bits":          {2100, weighing("18446744073709551615", "1"), "overflow"},
		"a weight unreadable":   {2100, weighing("heavy"), `extrinsic 0: weight: "heavy" is not a non-negative integer`},
		"a gas limit over 64 bits": {1701, block(ethereum(t, "legacy", object{"gasPrice": "1", "gasLimit": "18446744073709551615"}, ended(t, "1"))),
			"extrinsic 0: "},
		"a payload unreadable": {1701, block(ethereum(t, "legacy", object{}, ended(t, "1"))), "extrinsic 0: args.transaction.legacy.gasPrice: missing"},
	} {
		r := proved(c.block, rulesOf(t, "moonbeam", c.runtime), evidence.Options{})
		have := ""
		for _, f := range r.Findings {
			if f.Check == "block.weight" {
				have = f.Message
			}
		}
		if c.message == "" {
			require.Equal(t, evidence.Tally{Held: 1}, tally(t, r, "block.weight"), what)
		} else {
			require.True(t, strings.HasPrefix(have, c.message), "%s: %s", what, have)
		}
	}
}

func TestTalliesAdd(t *testing.T) {
	var sum evidence.Tallies
	sum.Add(evidence.Tallies{{Held: 1, NotApplicable: 2, Why: "first"}})
	sum.Add(evidence.Tallies{{Held: 10, Broken: 5, NotApplicable: 20, Why: "second"}})
	require.Equal(t, evidence.Tally{Held: 11, Broken: 5, NotApplicable: 22, Why: "first"}, sum[0])
}

// A summary does not hold if a fee is unknown, or if uncertain rules have nothing to prove them.
func TestSummaryHolds(t *testing.T) {
	rules := rulesOf(t, "moonbeam", 1102) // without any event that reports native fees
	s := evidence.NewSummary()
	s.Add(proved(block(native(t, "0", paidNative(t, "Yes"))), rules, evidence.Options{}))
	require.Equal(t, 1, s.Undetermined)
	for i := range s.Checks {
		require.Zero(t, s.Checks[i].Broken)
	}
	require.False(t, s.Holds())

	rules = rulesOf(t, "moonbeam", 1701)
	byCash := block(native(t, "0", withdraw(t, payer, "1000"), credit(t, treasuryAccount, "200"), paidNative(t, "Yes")))
	s = evidence.NewSummary()
	s.Add(proved(byCash, rules, evidence.Options{}))
	require.True(t, s.Holds())
	rules.Certain = false
	s.Add(proved(byCash, rules, evidence.Options{}))
	require.Equal(t, 1, s.Uncertain)
	require.False(t, s.Holds())
}

// Runtime 2000 is the first whose hold and outcome are checked.
func TestSinceRuntime2000(t *testing.T) {
	b := block(legacy(t, "200000000000", "200000000000"))
	for runtime, held := range map[uint32]int{1999: 0, 2000: 1} {
		r := proved(b, rulesOf(t, "moonbeam", runtime), evidence.Options{})
		for _, id := range []string{"evm.hold", "evm.outcome"} {
			require.Equal(t, held, tally(t, r, id).Held, "%s of runtime %d", id, runtime)
			require.Equal(t, 1-held, tally(t, r, id).NotApplicable, "%s of runtime %d", id, runtime)
		}
	}
}
