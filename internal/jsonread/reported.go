package jsonread

import (
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Reported is a block in Sidecar's JSON. It is a [chain.Reported].
type Reported string

// Text returns the whole text.
func (r Reported) Text() string { return string(r) }

// EventData returns the data of an event, "" if the text has no such event.
func (r Reported) EventData(list chain.EventList, event int) string {
	block, err := jsonscan.Parse(string(r))
	if err != nil {
		return ""
	}
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

// Rendered returns a block whose text is made when it is first needed. It is "" if the block cannot be written in
// Sidecar's JSON.
func Rendered(text func() (string, error)) chain.Reported {
	return rendered(sync.OnceValue(func() Reported {
		made, err := text()
		if err != nil {
			return ""
		}
		return Reported(made)
	}))
}

type rendered func() Reported

func (r rendered) Text() string { return r().Text() }

func (r rendered) EventData(list chain.EventList, event int) string {
	return r().EventData(list, event)
}
