package render

import (
	"slices"

	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// phase is when in a block's life an event happened.
type phase uint8

const (
	_ phase = iota
	applying
	finalizing
	initializing
)

// events are those of a block, in one text.
type events struct {
	docs  bool // of each event
	text  []byte
	spans []eventSpan
	initializing,
	finalizing place
	applying []place // by extrinsic
}

// eventSpan is an event's part of the text, and which one of the same place comes next.
type eventSpan struct {
	span
	next int // plus one, 0 for none
}

// place is where events stand in a block's answer, and what they say of an extrinsic.
type place struct {
	first, last int // plus one, 0 for none
	success     bool
	pays        string // whether a fee was due: "Yes", "No", "" where no event says it
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
	at := e.place(w, r.phases[w.U8()])
	if at == nil {
		return
	}
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
	// Sidecar knows these two by their names alone, whatever pallet they are of.
	if event.Name == "ExtrinsicSuccess" || event.Name == "ExtrinsicFailed" {
		at.success = at.success || event.Name == "ExtrinsicSuccess"
		if pays != "" {
			at.pays = pays
		}
	}
	for _, p := range r.records[2:] { // topics
		to := len(w.Text)
		r.codec.Value(w, p.of)
		w.Text = w.Text[:to]
	}
}

// place is where an event of a phase belongs, nil where that is an error.
func (e *events) place(w *scalejson.Writer, p phase) *place {
	switch p {
	case initializing:
		return &e.initializing
	case finalizing:
		return &e.finalizing
	case applying:
		i := w.U32()
		if w.Err() == nil && uint64(i) < uint64(len(e.applying)) {
			return &e.applying[i]
		}
		w.Fail("an event is of extrinsic %d, and the block has %d", i, len(e.applying))
		return nil
	}
	w.Fail("an event is of no phase that is known")
	return nil
}

// add puts an event last at its place.
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

// append writes the events of a place, with commas between them.
func (e *events) append(to []byte, at *place) []byte {
	for i := at.first; i > 0; i = e.spans[i-1].next {
		if i != at.first {
			to = append(to, ',')
		}
		to = append(to, e.text[e.spans[i-1].from:e.spans[i-1].to]...)
	}
	return to
}
