package pricing

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/network"
)

// writeProofs writes the tables that prove a network's fees.
func writeProofs(out *strings.Builder, n network.Network, width int) {
	treasury := "not known"
	if n.Treasury != nil {
		treasury = n.Treasury.String()
	}
	fmt.Fprintf(out, "\ntreasury: %s\n", treasury)
	if source := n.Sources["treasury"]; source != "" {
		fmt.Fprintf(out, "from %s\n", console.Printable(source))
	}
	for _, section := range []struct{ title, rows string }{
		{"What its runtimes have from one of them on", sinceRows(n, width)},
		{"Where fees go (80/20: burned/treasury; p: FeesTreasuryProportion to treasury)", destinationRows(n, width)},
		{"How a block changes the multiplier", updateRows(n, width)},
		{"Native fees: wei per picosecond, base weight, Gwei per byte, wei per byte³", nativeFeeRows(n, width)},
	} {
		fmt.Fprintf(out, "\n%s\n", section.title)
		if section.rows == "" {
			out.WriteString("not known\n")
			continue
		}
		out.WriteString("\n" + section.rows + "\n")
	}
}

func sinceRows(n network.Network, width int) string {
	rows := console.NewTable(2)
	rows.AppendHeader(table.Row{"from", "what", "source"})
	list := n.Since()
	for _, s := range list {
		from := "all"
		if s.Runtime > 0 {
			from = fmt.Sprint(s.Runtime)
		}
		rows.AppendRow(table.Row{from, s.What, console.Printable(s.Source)})
	}
	return withSources(rows, len(list), 3, 28, width, 1)
}

// share is how the table of destinations names one.
func share(s network.Share) string {
	percent, fixed := s.Percent()
	switch {
	case fixed:
		return fmt.Sprintf("%d/%d", 100-percent, percent)
	case s == network.TreasuryParameter:
		return "p"
	}
	return string(s)
}

func destinationRows(n network.Network, width int) string {
	rows := console.NewTable(2)
	rows.AppendHeader(table.Row{"from", "EVM base", "priority", "native", "tip", "source"})
	for _, row := range n.Destinations {
		if row.Unknown {
			rows.AppendRow(table.Row{row.FromRuntime, "unknown", "", "", "", sourced(row.Source, row.Note)})
			continue
		}
		particular := []string{}
		if row.EVMWhole {
			particular = append(particular, "EVM fee divided as one amount")
		}
		if row.PriorityMinted {
			particular = append(particular, "priority fee minted to the author, too")
		}
		rows.AppendRow(table.Row{
			row.FromRuntime, share(row.EVMBase), share(row.EVMPriority), share(row.NativeBase), share(row.NativeTip),
			sourced(row.Source, row.Note, particular...),
		})
	}
	return withSources(rows, len(n.Destinations), 6, 44, width, 1)
}

func updateRows(n network.Network, width int) string {
	rows := console.NewTable(2)
	rows.AppendHeader(table.Row{"from", "minimum", "maximum", "v", "target", "block", "source"})
	for _, row := range n.MultiplierUpdates {
		constant, isConstant := row.Constant.Get()
		switch {
		case row.Unknown:
			rows.AppendRow(table.Row{row.FromRuntime, "unknown", "", "", "", "", sourced(row.Source, row.Note)})
		case isConstant:
			rows.AppendRow(table.Row{row.FromRuntime, console.Plain(console.Scaled(constant, 18)), console.Plain(console.Scaled(constant, 18)), "", "", "", sourced(row.Source, row.Note)})
		default:
			maximum := "none"
			if m, ok := row.Maximum.Get(); ok {
				maximum = console.Plain(console.Scaled(m, 18))
			}
			rows.AppendRow(table.Row{
				row.FromRuntime, console.Plain(console.Scaled(row.Minimum, 18)), maximum, console.Plain(console.Scaled(row.Adjustment, 18)),
				decimal.New(int64(row.Target), -4).String() + " %", console.Plain(console.Scaled(row.MaxRefTime, 12)) + " s",
				sourced(row.Source, row.Note, weights(row.MultiplierUpdate)...),
			})
		}
	}
	return withSources(rows, len(n.MultiplierUpdates), 7, 51, width, 1, 2, 3, 4, 5, 6)
}

// weights is where a block's weight is from, and what of it counts.
func weights(u network.MultiplierUpdate) []string {
	particular := []string{}
	switch u.BlockWeight {
	case network.FromEvents:
		particular = append(particular, "weight of the events")
	case network.FromGasLimit:
		particular = append(particular, fmt.Sprintf("weight of the events and gas limits, %v each for the extrinsic", u.BaseWeight))
	default:
		particular = append(particular, "weight of system.blockWeight")
	}
	if u.LimitingDimension {
		particular = append(particular, fmt.Sprintf("ref time or proof size counts, of %d bytes", u.MaxProofSize))
	}
	return particular
}

func nativeFeeRows(n network.Network, width int) string {
	rows := console.NewTable(2)
	rows.AppendHeader(table.Row{"from", "wei/ps", "base", "Gwei/B", "wei/B³", "source"})
	for _, row := range n.NativeFees {
		if row.Unknown {
			rows.AppendRow(table.Row{row.FromRuntime, "unknown", "", "", "", sourced(row.Source, row.Note)})
			continue
		}
		particular := []string{}
		switch operational, known := row.OperationalBaseWeight.Get(); {
		case !known:
			particular = append(particular, "base weight of class Operational not known")
		case operational != row.BaseWeight:
			particular = append(particular, fmt.Sprintf("base weight of class Operational %v", operational))
		}
		if row.WeightIncludesBase {
			particular = append(particular, "events include the base weight")
		}
		if !row.ProofFee.IsZero() {
			particular = append(particular, fmt.Sprintf("or %v wei per byte of proof size, if that is more", row.ProofFee))
		}
		if row.LowerBound {
			particular = append(particular, "the least that was charged")
		}
		rows.AppendRow(table.Row{
			row.FromRuntime, row.WeightFee, row.BaseWeight, console.Plain(console.Scaled(row.LengthFee.Linear, 9)), row.LengthFee.Cubic,
			sourced(row.Source, row.Note, particular...),
		})
	}
	return withSources(rows, len(n.NativeFees), 6, 45, width, 1, 2, 3, 4, 5)
}

// withSources renders a table whose last column wraps. Others is how wide the
// columns before it are.
func withSources(rows table.Writer, count, last, others, width int, right ...int) string {
	if count == 0 {
		return ""
	}
	configs := []table.ColumnConfig{{Number: last, WidthMax: max(narrowSource, width-others), WidthMaxEnforcer: text.WrapSoft}}
	for _, number := range right {
		configs = append(configs, table.ColumnConfig{Number: number, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	rows.SetColumnConfigs(configs)
	return rows.Render()
}

// narrowSource is the width below which sources are not wrapped.
const narrowSource = 28
