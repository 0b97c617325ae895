package sidecar

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// reported is the text of a block, which was decoded before.
type reported string

func (r reported) Text() string { return string(r) }

func (r reported) EventData(list chain.EventList, event int) string {
	block, _ := jsonscan.Parse(string(r)) // it is well formed
	var of jsonscan.Value
	switch list {
	case chain.OnInitialize:
		of = block.Member("onInitialize")
	case chain.OnFinalize:
		of = block.Member("onFinalize")
	default:
		of = block.Member("extrinsics").Index(int(list))
	}
	return of.Member("events").Index(event).Member("data").Raw()
}
