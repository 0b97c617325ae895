package render

import (
	"slices"

	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// events are the events of a block, in one text.
type events struct {
	docs  bool // with documentation
	text  []byte
	spans []eventSpan
	initializing,
	finalizing place
	applying []place // by extrinsic
}

// eventSpan is an event's part of the text, and the index of the next event at the same place.
type eventSpan struct {
	span
	next int // plus one, 0 if none
}

// place is a list of events in the response for a block, and their information about an extrinsic.
type place struct {
	first, last int // plus one, 0 if none
	success     bool
	pays        string // whether a fee was due: "Yes", "No", "" if no event states it
}

// events writes the events of a block.
func (r *Runtime) events(e *events, b *Block, known *scalejson.Addresses) error {
	extrinsics := len(b.Extrinsics)
	*e = events{docs: b.EventDocs, text: e.text[:0], spans: e.spans[:0], applying: slices.Grow(e.applying[:0], extrinsics)[:extrinsics]}
	clear(e.applying)
	if b.Events == nil {
		return nil
	}
	w := scalejson.Writer{Reader: scale.NewReader(b.Events), Text: e.text, Addresses: known}
	for range w.Length(1) {
		if r.record(&w, e); w.Err() != nil {
			return w.Err()
		}
	}
	e.text = w.Text
	return w.End()
}

// record writes one event.
func (r *Runtime) record(w *scalejson.Writer, e *events) {
	phase := r.records.Phase(w.Reader, len(e.applying))
	if w.Err() != nil {
		return
	}
	at := e.place(phase)
	from := len(w.Text)
	event := r.codec.Event(w)
	if event == nil {
		return
	}
	w.Text = append(append(w.Text, `{"method":`...), event.Method...)
	w.Text = append(w.Text, `,"data":`...)
	pays := event.Data(w)
	if e.docs {
		w.Text = append(w.Text, `,"docs":`...)
		w.Lines(event.Docs)
	}
	w.Text = append(w.Text, '}')
	e.add(at, span{from, len(w.Text)})
	// Sidecar identifies these two only by their names, in any pallet.
	if event.Name == "ExtrinsicSuccess" || event.Name == "ExtrinsicFailed" {
		at.success = at.success || event.Name == "ExtrinsicSuccess"
		if pays != "" {
			at.pays = pays
		}
	}
	for _, id := range r.records.Rest { // topics
		to := len(w.Text)
		r.codec.Value(w, id)
		w.Text = w.Text[:to]
	}
}

// place returns the list for an event of a phase.
func (e *events) place(at int) *place {
	switch n := len(e.applying); {
	case at < n:
		return &e.applying[at]
	case at == n:
		return &e.initializing
	}
	return &e.finalizing
}

// add appends an event to a list.
func (e *events) add(at *place, s span) {
	e.spans = append(e.spans, eventSpan{span: s})
	this := len(e.spans)
	if at.last > 0 {
		e.spans[at.last-1].next = this
	} else {
		at.first = this
	}
	at.last = this
}

// append writes the events of a list, separated by commas.
func (e *events) append(to []byte, at *place) []byte {
	for i := at.first; i > 0; i = e.spans[i-1].next {
		if i != at.first {
			to = append(to, ',')
		}
		to = append(to, e.text[e.spans[i-1].from:e.spans[i-1].to]...)
	}
	return to
}
