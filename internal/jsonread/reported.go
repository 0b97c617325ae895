package jsonread

import (
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Reported is a block in Sidecar's JSON. It is a [chain.Reported].
type Reported string

// Text returns the whole text.
func (r Reported) Text() (string, error) { return string(r), nil }

// EventData returns the data of an event, "" if the text has no such event.
func (r Reported) EventData(list chain.EventList, event int) (string, error) {
	block, err := jsonscan.Parse(string(r))
	if err != nil {
		return "", err
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
	return of.Member("events").Index(event).Member("data").Raw(), nil
}

// Rendered returns a block whose text is made when it is first needed.
func Rendered(text func() (string, error)) chain.Reported { return rendered(sync.OnceValues(text)) }

type rendered func() (string, error)

func (r rendered) Text() (string, error) { return r() }

func (r rendered) EventData(list chain.EventList, event int) (string, error) {
	text, err := r()
	if err != nil {
		return "", err
	}
	return Reported(text).EventData(list, event)
}
