package block

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/schema"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// event is an event of the runtime.
type event struct {
	pallet, name string
	// data appends the values that rules read.
	data func(*scale.Reader, chain.Values) chain.Values
}

// events compiles the events of all pallets.
func (t *types) events(m *metadata.Metadata) (all [256]*[256]*event) {
	for i := range m.Pallets {
		p := &m.Pallets[i]
		if p.Events == nil {
			continue
		}
		pallet := scalejson.CamelCase(p.Name)
		list := new([256]*event)
		for i := range t.of[*p.Events].Variants {
			v := &t.of[*p.Events].Variants[i]
			list[v.Index] = &event{pallet, v.Name, t.data(pallet, v.Name, v.Fields)}
		}
		all[p.Index] = list
	}
	return all
}

func (t *types) data(pallet, name string, fields []metadata.Field) func(*scale.Reader, chain.Values) chain.Values {
	switch {
	case pallet == "system" && name == "ExtrinsicSuccess" && len(fields) > 0:
		return t.outcome(fields, 0)
	case pallet == "system" && name == "ExtrinsicFailed" && len(fields) > 1:
		return t.outcome(fields, 1)
	case pallet == "evm" && name == "Log" && len(fields) == 1:
		return t.transfer(fields[0].Type)
	}
	return t.values(schema.Of(pallet, name), fields)
}

// values returns the reader of an event's values as its description says.
func (t *types) values(of *schema.Event, fields []metadata.Field) func(*scale.Reader, chain.Values) chain.Values {
	if !of.Read() {
		return func(r *scale.Reader, to chain.Values) chain.Values {
			t.skipFields(r, fields)
			return to
		}
	}
	readers := make([]reader, len(fields)) // nil for a value that is skipped
	for i, f := range fields {
		as := of.Rest
		if i < len(of.Types) {
			as = of.Types[i]
		}
		if i < schema.MaxValues && (as != schema.Unread || of.Whole) {
			readers[i] = t.value(f.Type, as)
		}
	}
	return func(r *scale.Reader, to chain.Values) chain.Values {
		for i, read := range readers {
			if read == nil {
				t.skip(r, fields[i].Type)
			} else {
				to = append(to, read(r))
			}
		}
		if len(fields) > schema.MaxValues {
			to = append(to, chain.FurtherValue(uint64(len(fields)-schema.MaxValues)))
		}
		return to
	}
}

// dispatch is dispatch information while it is read.
type dispatch struct {
	weight chain.Weight
	info   chain.DispatchInfo
}

// outcome returns the reader of the result of an extrinsic: the dispatch information is the value at a position, after
// the reason of a failure.
func (t *types) outcome(fields []metadata.Field, at int) func(*scale.Reader, chain.Values) chain.Values {
	read, found := structOf(t, fields[at].Type, map[string]field[dispatch]{
		"weight":  t.weight,
		"class":   t.class,
		"paysFee": t.paysFee,
	})
	unread := dispatch{info: chain.DispatchInfo{RefTime: "weight"}}
	if !found["weight"] {
		unread.info.Weight = chain.ErrMissing
	}
	return func(r *scale.Reader, to chain.Values) chain.Values {
		d := unread
		for i, f := range fields {
			switch {
			case i == at:
				read(r, &d)
			case i == 0: // of ExtrinsicFailed
				d.info.Error = t.dispatchError(r, f.Type)
			default:
				t.skip(r, f.Type)
			}
		}
		return append(to, chain.DispatchValue(d.weight, d.info))
	}
}

// weight returns the reader of a weight of two dimensions, or of one.
func (t *types) weight(id metadata.TypeID) func(*scale.Reader, *dispatch) {
	part := func(to func(*dispatch, uint64)) field[dispatch] {
		return func(id metadata.TypeID) func(*scale.Reader, *dispatch) {
			read := t.value(id, schema.Number)
			return func(r *scale.Reader, d *dispatch) {
				n, err := read(r).Uint64()
				if err != nil && d.info.Weight == nil {
					d.info.Weight = err
				}
				to(d, n)
			}
		}
	}
	time := part(func(d *dispatch, n uint64) { d.weight.RefTime = chain.NewRefTime(n) })
	if t.number(id, 64) != nil {
		return time(id)
	}
	read, found := structOf(t, id, map[string]field[dispatch]{
		"refTime":   time,
		"proofSize": part(func(d *dispatch, n uint64) { d.weight.ProofSize = n }),
	})
	return func(r *scale.Reader, d *dispatch) {
		if read(r, d); found["refTime"] {
			d.info.RefTime = "weight.refTime"
		} else {
			d.info.Weight = fmt.Errorf("refTime: %w", chain.ErrMissing)
		}
	}
}

func (t *types) class(id metadata.TypeID) func(*scale.Reader, *dispatch) {
	of := t.basic(id)
	if of == nil {
		return t.other(id, func(d *dispatch) { d.info.Class = chain.DecodedOf[chain.DispatchClass]("", errNoText) })
	}
	return func(r *scale.Reader, d *dispatch) {
		d.info.Class = chain.DecodedOf(jsonread.DispatchClass(of.read(r)))
	}
}

func (t *types) paysFee(id metadata.TypeID) func(*scale.Reader, *dispatch) {
	of := t.basic(id)
	if of == nil {
		return t.other(id, func(d *dispatch) { d.info.PaysFee = chain.DecodedOf(false, errNoText) })
	}
	return func(r *scale.Reader, d *dispatch) {
		d.info.PaysFee = chain.DecodedOf(jsonread.PaysFee(of.read(r)))
	}
}

var errNoText = errors.New("want a name")

// other skips a value of another type than a rule reads, and says so.
func (t *types) other(id metadata.TypeID, say func(*dispatch)) func(*scale.Reader, *dispatch) {
	return func(r *scale.Reader, d *dispatch) {
		t.skip(r, id)
		say(d)
	}
}

// dispatchError reads the reason of a failure: the name of the variant, and the index of the pallet in a module's error.
func (t *types) dispatchError(r *scale.Reader, id metadata.TypeID) (e chain.DispatchError) {
	of := &t.of[t.inner(id)]
	if of.Kind != metadata.Variant || len(of.Variants) == 0 {
		t.skip(r, id)
		return e
	}
	v := readVariant(r, of)
	if v == nil {
		return e
	}
	e.Name = v.Name
	if !t.isBasic(id) {
		e.Name = scalejson.CamelCase(v.Name)
	}
	fields := v.Fields
	if len(fields) == 1 && fields[0].Name == "" { // ModuleError, a struct since 2022
		if inner := &t.of[t.inner(fields[0].Type)]; inner.Kind == metadata.Composite {
			fields = inner.Fields
		}
	}
	for _, f := range fields {
		if f.Name != "index" {
			t.skip(r, f.Type)
		} else if n, err := t.value(f.Type, schema.Number)(r).Uint64(); err == nil {
			e.Pallet = chain.Some(n)
		}
	}
	return e
}

// log is an event of a contract.
type log struct {
	address chain.Value
	topics  []chain.Hash
	data    []byte
}

// transfer returns the reader of an evm.Log: it has values if it is an ERC-20 transfer.
func (t *types) transfer(id metadata.TypeID) func(*scale.Reader, chain.Values) chain.Values {
	first, _ := chain.ParseHash(schema.Transfer)
	read, found := structOf(t, id, map[string]field[log]{
		"address": func(id metadata.TypeID) func(*scale.Reader, *log) {
			read := t.value(id, schema.Account)
			return func(r *scale.Reader, l *log) { l.address = read(r) }
		},
		"topics": func(id metadata.TypeID) func(*scale.Reader, *log) {
			of := &t.of[t.inner(id)]
			if of.Kind != metadata.Sequence || t.octets(of.Element) != len(first) {
				return func(r *scale.Reader, _ *log) { t.skip(r, id) }
			}
			return func(r *scale.Reader, l *log) {
				n := r.Length(len(first))
				all := r.Bytes(n * len(first))
				if n != 3 || chain.Hash(all[:len(first)]) != first {
					return
				}
				for i := range n {
					l.topics = append(l.topics, chain.Hash(all[i*len(first):]))
				}
			}
		},
		"data": func(id metadata.TypeID) func(*scale.Reader, *log) {
			if !t.isBlob(id) {
				return func(r *scale.Reader, _ *log) { t.skip(r, id) }
			}
			return func(r *scale.Reader, l *log) { l.data = r.Blob() }
		},
	})
	if len(found) != 3 {
		return func(r *scale.Reader, to chain.Values) chain.Values { t.skip(r, id); return to }
	}
	return func(r *scale.Reader, to chain.Values) chain.Values {
		var l log
		read(r, &l)
		if l.topics == nil || len(l.data) != 32 {
			return to
		}
		return append(to, l.address, chain.HashValue(l.topics[1]), chain.HashValue(l.topics[2]), chain.NumberValue([32]byte(l.data)))
	}
}

// exit returns the reader of the reason why the EVM stopped, nil for a type in another form.
func (t *types) exit(id metadata.TypeID) reader {
	of := &t.of[t.inner(id)]
	if of.Kind != metadata.Variant || len(of.Variants) == 0 {
		return nil
	}
	return func(r *scale.Reader) chain.Value {
		v := readVariant(r, of)
		if v == nil {
			return chain.Value{}
		}
		switch state := chain.ExitState(scalejson.CamelCase(v.Name)); state {
		case chain.ExitSucceed, chain.ExitRevert, chain.ExitError, chain.ExitFatal:
			if len(v.Fields) == 1 {
				if reason, known := t.reason(r, v.Fields[0].Type); known {
					return chain.ExitValue(chain.Exit{State: state, Reason: reason})
				}
				return chain.ExitValue(chain.Exit{})
			}
		}
		t.skipFields(r, v.Fields)
		return chain.ExitValue(chain.Exit{})
	}
}

// reason reads a reason: the name of a variant, with what it contains, such as other(text).
func (t *types) reason(r *scale.Reader, id metadata.TypeID) (text string, known bool) {
	if t.isBasic(id) {
		if v := readVariant(r, &t.of[t.inner(id)]); v != nil {
			return v.Name, true
		}
		return "", false
	}
	if v, ok := t.json(r, id); ok {
		return jsonread.Reason(v)
	}
	return "", false
}

// json reads a value as Sidecar writes it.
func (t *types) json(r *scale.Reader, id metadata.TypeID) (v jsonscan.Value, ok bool) {
	w := scalejson.Writer{Reader: r}
	if t.codec.Value(&w, id); w.Err() != nil {
		return v, false
	}
	v, err := jsonscan.Parse(string(w.Text))
	return v, err == nil
}
