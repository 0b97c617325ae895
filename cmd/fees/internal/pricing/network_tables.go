package pricing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// listing writes network tables as text, each followed by its notes and, if requested, its sources.
type listing struct {
	*console.Page
	sources bool
}

// widest limits lines of text, in columns, where the output has no width.
const widest = 100

// text writes a note or a source.
func (l *listing) text(line string) { console.WriteWrapped(l, line, 4, min(l.Width, widest)) }

// line is a row of a table with its remarks, note and source.
type line struct {
	from         string // the runtime
	cells        []any
	particular   []string
	note, source string
}

// lines writes a table. The header omits the first and the last column. All columns are right-aligned
// except the last and those listed in left. On narrow output the last columns are dropped first.
func (l *listing) lines(header []string, lines []line, left ...int) {
	columns := []console.Column{{Name: "from", Right: !slices.Contains(left, 1)}}
	for i, name := range header {
		isLeft := slices.Contains(left, i+2)
		columns = append(columns, console.Column{Name: name, Right: !isLeft, Cut: isLeft && i == len(header)-1, Drop: i})
	}
	particular := slices.ContainsFunc(lines, func(x line) bool { return len(x.particular) > 0 })
	if particular {
		columns = append(columns, console.Column{Cut: true})
	}
	rows := console.NewTable(columns...)
	for _, x := range lines {
		cells := append([]any{x.from}, x.cells...)
		for len(cells) <= len(header) {
			cells = append(cells, "")
		}
		if particular {
			cells = append(cells, strings.Join(x.particular, ", "))
		}
		rows.Row(cells...)
	}
	l.WriteString("\n")
	l.Table(rows)
	l.texts("Notes", lines, func(x line) string { return x.note })
	if l.sources {
		l.texts("Sources", lines, func(x line) string { return x.source })
	}
}

// texts writes the notes or sources of rows, each distinct text once with the rows it applies to.
func (l *listing) texts(title string, lines []line, of func(line) string) {
	begun := false
	for i, x := range lines {
		text := of(x)
		same := func(y line) bool { return of(y) == text }
		if text == "" || slices.ContainsFunc(lines[:i], same) {
			continue
		}
		if !begun {
			l.WriteString("\n" + title + "\n")
			begun = true
		}
		var from []string
		for _, y := range lines[i:] {
			if same(y) {
				from = append(from, y.from)
			}
		}
		l.text(strings.Join(from, ", ") + ": " + plain.Line(text))
	}
}

// networkRows writes the rules that price a network's blocks.
func (l *listing) networkRows(n *network.Network) {
	title := fmt.Sprintf("%s (%s), checked up to runtime %d", n.Name, n.Symbol, n.LastRuntime)
	if n.Unverified != "" {
		title = fmt.Sprintf("%s (%s), unverified: %s", n.Name, n.Symbol, n.Unverified)
	}
	if n.LastBlock != nil {
		title += fmt.Sprintf(", ended with block %d", *n.LastBlock)
	}
	if n.File != "" {
		title += ", from " + n.File
	}
	l.Line(title, 2)
	var lines []line
	for _, row := range n.Rows {
		lines = append(lines, line{
			from: fmt.Sprint(row.FromRuntime), cells: []any{baseFee(row), minimum(row)},
			particular: particular(row), note: row.Note, source: row.Source,
		})
	}
	if s := n.Specification; s != nil {
		lines = append(lines, line{
			from: "spec/" + s.Name, cells: []any{console.Plain(console.Gwei(*s.BaseFeeConstant)) + " × multiplier", console.Plain(console.Gwei(*s.MinGasPrice))},
			source: s.Source,
		})
	}
	l.lines([]string{"base fee, Gwei", "minimum"}, lines, 2)
}

func baseFee(row rule.PriceRow) string {
	switch {
	case row.EVM == rule.NoEVM:
		return "no EVM"
	case row.StaticBaseFee != nil:
		return console.Plain(console.Gwei(*row.StaticBaseFee)) + " static"
	case row.BaseFeeStored != nil:
		return "stored in " + row.BaseFeeStored.Name()
	case row.GasScale > 1:
		return fmt.Sprintf("%s × multiplier × gas scale %d", console.Plain(console.Gwei(*row.BaseFeeConstant)), row.GasScale)
	}
	return console.Plain(console.Gwei(*row.BaseFeeConstant)) + " × multiplier"
}

// minimum returns a row's lowest price, nothing without an EVM.
func minimum(row rule.PriceRow) string {
	if row.EVM == rule.NoEVM {
		return ""
	}
	return console.Plain(console.Gwei(row.MinGasPrice()))
}

// particular returns the remarks on a row.
func particular(row rule.PriceRow) (list []string) {
	if row.Uncertain {
		list = append(list, "uncertain")
	}
	if row.EVM == rule.Revive {
		list = append(list, "pallet revive")
	}
	if row.PriceUncapped {
		list = append(list, "eip1559 price not capped")
	}
	if row.WeightPerGas != 0 {
		list = append(list, fmt.Sprintf("weight of one gas %v", row.WeightPerGas))
	}
	if !row.WeightCorrection.IsZero() {
		list = append(list, fmt.Sprintf("weight + %v", row.WeightCorrection))
	}
	return list
}

// proofs writes the tables that verify a network's fees.
func (l *listing) proofs(n *network.Network) {
	treasury := "not known"
	if n.Treasury != nil {
		treasury = console.Token(n.Token()).Account(*n.Treasury)
	}
	l.WriteString("\n")
	l.Line(cmp.Or(n.TreasuryName, "treasury")+": "+treasury, 2)
	for _, row := range n.Destinations {
		if row.Account != nil {
			l.Line(fmt.Sprintf("%s, from runtime %d: %s", row.AccountName, row.FromRuntime, console.Token(n.Token()).Account(*row.Account)), 2)
		}
	}
	if p := n.FeesTreasuryProportion; p != nil {
		l.Line(fmt.Sprintf("FeesTreasuryProportion: key %s, %s %% if never set", p.Key, console.Plain(console.Scaled(p.Default, percentDecimals))), 2)
	}
	for _, a := range n.Anchors {
		l.Line(fmt.Sprintf("known block: %d, %v", a.Height, a.Hash), 2)
	}
	if l.sources {
		for _, a := range n.Anchors {
			l.text(fmt.Sprintf("block %d: %s", a.Height, plain.Line(a.Source)))
		}
		for _, field := range []string{"treasury", "last_block", "account_mapping", "ss58_prefix", "decimals"} {
			if text := n.Sources[field]; text != "" {
				l.text(field + ": " + plain.Line(text))
			}
		}
		if p := n.FeesTreasuryProportion; p != nil {
			l.text("FeesTreasuryProportion: " + plain.Line(p.Source))
		}
	}
	l.section("Features, from which runtime on", []string{"feature"}, sinceLines(n), 2)
	l.section("Where fees go (80/20: burned/treasury; p: FeesTreasuryProportion to treasury)", []string{"EVM base", "priority", "native", "tip"}, destinationLines(n), 2, 3, 4, 5)
	l.section("Multiplier updates, by the block's ref time or, if a size is listed, by proof size",
		[]string{"minimum", "maximum", "v", "target", "block", "size, B", "weight of"}, updateLines(n), 8)
	if len(n.BaseFeeUpdates) > 0 {
		l.section("Stored base fee: moved by the block's fullness, or towards the multiplier's by at most a step",
			[]string{"elasticity", "minimum", "block", "factor", "step", "maximum"}, baseFeeLines(n))
	}
	l.section("Native fees: per picosecond, or per byte of proof if that is more; per byte of length and byte³",
		[]string{"wei/ps", "wei/B proof", "base", "operational", "Gwei/B", "wei/B³"}, nativeFeeLines(n))
	l.section("Existential deposit", []string{"wei"}, depositLines(n))
}

func (l *listing) section(title string, header []string, lines []line, left ...int) {
	l.WriteString("\n")
	l.Line(title, 2)
	if len(lines) == 0 {
		l.WriteString("not known\n")
		return
	}
	l.lines(header, lines, left...)
}

func sinceLines(n *network.Network) (lines []line) {
	for _, s := range n.Since() {
		from := "all"
		if s.Runtime > 0 {
			from = fmt.Sprint(s.Runtime)
		}
		lines = append(lines, line{from: from, cells: []any{s.What}, source: s.Source})
	}
	return lines
}

// unknown returns a row marked as unknown.
func unknown(from uint32, note, source string) line {
	return line{from: fmt.Sprint(from), cells: []any{"unknown"}, note: note, source: source}
}

// share returns a share as text for the table of destinations.
func share(s rule.Share) string {
	percent, fixed := s.Percent()
	switch {
	case s == rule.Pot:
		return "pot"
	case fixed:
		return fmt.Sprintf("%d/%d", 100-percent, percent)
	case s == rule.TreasuryParameter:
		return "p"
	}
	return string(s)
}

func destinationLines(n *network.Network) (lines []line) {
	for _, row := range n.Destinations {
		x := line{
			from: fmt.Sprint(row.FromRuntime), cells: []any{share(row.EVMBase), share(row.EVMPriority), share(row.NativeBase), share(row.NativeTip)},
			note: row.Note, source: row.Source,
		}
		if row.AccountName != "" {
			x.particular = append(x.particular, row.AccountName)
		}
		if row.BurnedBelowDeposit {
			x.particular = append(x.particular, "burned below the deposit")
		}
		if row.EVMWhole {
			x.particular = append(x.particular, "EVM fee divided as one amount")
		}
		if row.PriorityMinted {
			x.particular = append(x.particular, "priority fee also minted")
		}
		if row.Unknown {
			x = unknown(row.FromRuntime, row.Note, row.Source)
		}
		lines = append(lines, x)
	}
	return lines
}

func updateLines(n *network.Network) (lines []line) {
	for _, row := range n.MultiplierUpdates {
		x := line{from: fmt.Sprint(row.FromRuntime), note: row.Note, source: row.Source}
		constant, isConstant := row.Constant.Get()
		switch {
		case row.Unknown:
			x = unknown(row.FromRuntime, row.Note, row.Source)
		case isConstant:
			value := console.Plain(console.Scaled(constant, 18))
			x.cells = []any{value, value}
		default:
			maximum := "none"
			if m, ok := row.Maximum.Get(); ok {
				maximum = console.Plain(console.Scaled(m, 18))
			}
			size := ""
			if row.LimitingDimension {
				size = fmt.Sprint(row.MaxProofSize)
			}
			x.cells = []any{
				console.Plain(console.Scaled(row.Minimum, 18)), maximum, console.Plain(console.Scaled(row.Adjustment, 18)),
				percent(uint64(row.Target), 4) + " %", console.Plain(console.Scaled(row.MaxRefTime, 12)) + " s", size, weightOf(row.MultiplierUpdate),
			}
			if row.NormalClass != 0 {
				x.particular = append(x.particular, "class Normal "+percent(uint64(row.NormalClass), 4)+" %")
			}
		}
		lines = append(lines, x)
	}
	return lines
}

// percent formats parts of 100 × 10^decimals as a percentage.
func percent(parts uint64, decimals int32) string {
	return decimal.New(int64(min(parts, math.MaxInt64)), -decimals).String()
}

// weightOf returns the source of a block's weight.
func weightOf(u rule.MultiplierUpdate) string {
	switch u.BlockWeight {
	case rule.FromEvents:
		return "events"
	case rule.FromGasLimit:
		return fmt.Sprintf("gas limits, %v each", u.BaseWeight)
	}
	return "blockWeight"
}

// baseFeeLines writes the rules of a stored base fee, in Gwei.
func baseFeeLines(n *network.Network) (lines []line) {
	gwei := func(p chain.GasPrice) string { return console.Plain(console.Scaled(p, 9)) }
	for _, row := range n.BaseFeeUpdates {
		x := line{from: fmt.Sprint(row.FromRuntime), note: row.Note, source: row.Source}
		switch {
		case row.Unknown:
			x = unknown(row.FromRuntime, row.Note, row.Source)
		case row.FollowsMultiplier():
			x.cells = []any{"", gwei(row.Minimum), "", gwei(row.WeightFactor), console.Plain(console.Scaled(row.Step, 16)) + " %", gwei(row.Maximum)}
		default:
			x.cells = []any{percent(uint64(row.Elasticity), 4) + " %", gwei(row.Minimum), console.Plain(console.Scaled(row.MaxRefTime, 12)) + " s"}
		}
		lines = append(lines, x)
	}
	return lines
}

func nativeFeeLines(n *network.Network) (lines []line) {
	for _, row := range n.NativeFees {
		if row.Unknown {
			lines = append(lines, unknown(row.FromRuntime, row.Note, row.Source))
			continue
		}
		operational := "not known"
		if weight, known := row.OperationalBaseWeight.Get(); known {
			operational = weight.String()
		}
		weight, proof := row.WeightFee.String(), ""
		switch {
		case !row.RefTimeFee.IsZero():
			weight, proof = fraction(row.RefTimeFee), fraction(row.ProofSizeFee)
		case !row.ProofFee.IsZero():
			proof = row.ProofFee.String()
		}
		x := line{
			from:  fmt.Sprint(row.FromRuntime),
			cells: []any{weight, proof, row.BaseWeight, operational, console.Plain(console.Scaled(row.LengthFee.Linear, 9)), row.LengthFee.Cubic},
			note:  row.Note, source: row.Source,
		}
		if row.WeightIncludesBase {
			x.particular = append(x.particular, "base in events")
		}
		if row.WeightFeeBillionths > 0 {
			x.particular = append(x.particular, fmt.Sprintf("weight fee + %d billionths, %s", row.WeightFeeBillionths, row.Rounding))
		}
		if row.ProofFeeBillionths > 0 {
			x.particular = append(x.particular, fmt.Sprintf("proof fee + %d billionths, %s", row.ProofFeeBillionths, row.Rounding))
		}
		if row.Combined == rule.SumOfFees {
			x.particular = append(x.particular, "weight + proof")
		}
		if row.Reclaims {
			x.particular = append(x.particular, "reclaims proof")
		}
		if row.LowerBound {
			x.particular = append(x.particular, "at least")
		}
		lines = append(lines, x)
	}
	return lines
}

// fraction formats a price of which 10^18 is 1.
func fraction(m chain.Multiplier) string { return console.Plain(console.Scaled(m, 18)) }

func depositLines(n *network.Network) (lines []line) {
	for _, row := range n.ExistentialDeposits {
		if row.Unknown {
			lines = append(lines, unknown(row.FromRuntime, row.Note, row.Source))
			continue
		}
		lines = append(lines, line{from: fmt.Sprint(row.FromRuntime), cells: []any{*row.Deposit}, note: row.Note, source: row.Source})
	}
	return lines
}
