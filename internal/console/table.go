package console

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// NewTable has no frame: columns stand gap spaces apart, a line below the header.
func NewTable(gap int) table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Format = table.FormatOptions{}
	style.Options = table.Options{SeparateHeader: true, SeparateFooter: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", gap)
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	return t
}

// RightAlign is for the columns of these numbers; the first is 1.
func RightAlign(t table.Writer, numbers ...int) {
	configs := make([]table.ColumnConfig, len(numbers))
	for i, n := range numbers {
		configs[i] = table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight}
	}
	t.SetColumnConfigs(configs)
}

// Shorten keeps the first of a 0x text's hex digits; 0 is all. Where there is room for
// few of them, 0x goes too.
func Shorten(hex string, digits int) string {
	switch {
	case digits == 0 || len(hex) <= 2+digits:
		return hex
	case digits <= 8:
		return hex[2:2+digits] + "…"
	}
	return hex[:2+digits] + "…"
}
