package web

import (
	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/sys/markup"
)

// changedPart says why a month's fees differ from those of the month before.
type changedPart struct {
	Text  string
	Table *tabular
	More  link
}

func (c *changedPart) node() g.Node {
	if c == nil {
		return nil
	}
	return lines{markup.El("h2", markup.Text("What changed")), markup.El("p", markup.Text(c.Text)), c.Table.besideSide(), linkLine("more", []link{c.More})}
}
