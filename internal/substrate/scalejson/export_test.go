package scalejson

import "github.com/feeledger/fees/internal/jsonscan"

// Event appends an event with its names: {"method": {"pallet", "method"}, "data"}.
func (e *Encoder) Event(to []byte, v jsonscan.Value) ([]byte, error) {
	return e.encode(to, v, func(c *coder, v jsonscan.Value) {
		e.eventOf(c, v, e.events.find(c, v.Member("method"), jsonscan.Value{}))
	})
}
