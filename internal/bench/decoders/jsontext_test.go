package decoders

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// jsontext reads one token or one value after another, and validates whatever
// it passes. Texts and raw values are slices of the body.
type jsonText struct {
	options    []jsontext.Options
	body, args reader
	block      block[[]byte]
}

func newJSONText() decoder { return &jsonText{} }

func newJSONTextDuplicates() decoder {
	return &jsonText{options: []jsontext.Options{jsontext.AllowDuplicateNames(true)}}
}

func (d *jsonText) decoded() block[string] {
	return plain(d.block, func(raw []byte) string { return string(raw) })
}

func (d *jsonText) decode(body []byte) error {
	d.block = block[[]byte]{}
	r := &d.body
	r.reset(body, d.options)
	err := r.object(func(name string) (err error) {
		switch name {
		case "number":
			d.block.Number, err = r.text()
		case "hash":
			d.block.Hash, err = r.text()
		case "parentHash":
			d.block.ParentHash, err = r.text()
		case "extrinsics":
			err = r.array(func() error {
				d.block.Extrinsics = append(d.block.Extrinsics, extrinsic[[]byte]{})
				return d.extrinsic(&d.block.Extrinsics[len(d.block.Extrinsics)-1])
			})
		default:
			err = r.dec.SkipValue()
		}
		return err
	})
	if err != nil {
		return err
	}
	return r.end()
}

func (d *jsonText) extrinsic(x *extrinsic[[]byte]) error {
	r := &d.body
	err := r.object(func(name string) (err error) {
		switch name {
		case "method":
			err = r.name(&x.Method)
		case "hash":
			x.Hash, err = r.text()
		case "signature":
			if r.dec.PeekKind() != 'n' {
				x.Signature = signed
			}
			err = r.dec.SkipValue()
		case "success":
			var token jsontext.Token
			if token, err = r.dec.ReadToken(); err == nil {
				if kind := token.Kind(); kind != 't' && kind != 'f' {
					return errors.New("success is not a boolean")
				}
				x.Success = token.Bool()
			}
		case "args":
			x.Args, err = r.value()
		case "events":
			err = r.array(func() error {
				x.Events = append(x.Events, event[[]byte]{})
				return r.event(&x.Events[len(x.Events)-1])
			})
		default:
			err = r.dec.SkipValue()
		}
		return err
	})
	if err != nil || !x.Method.isTransact() {
		return err
	}
	d.args.reset(x.Args, d.options)
	x.Transaction, err = d.args.transaction()
	return err
}

// reader is a jsontext.Decoder over bytes in memory.
type reader struct {
	body []byte
	buf  bytes.Buffer
	dec  jsontext.Decoder
}

func (r *reader) reset(body []byte, options []jsontext.Options) {
	r.body = body
	r.buf = *bytes.NewBuffer(body)
	r.dec.Reset(&r.buf, options...)
}

// value is the next value, as it stands in the body.
func (r *reader) value() ([]byte, error) {
	value, err := r.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(r.dec.InputOffset())
	return r.body[end-len(value) : end], nil
}

// text is the next value, which must be a string, without its quotes.
func (r *reader) text() (string, error) {
	raw, err := r.value()
	if err != nil {
		return "", err
	}
	return unquoted(raw)
}

func unquoted(raw []byte) (string, error) {
	if raw[0] != '"' {
		return "", errors.New("not a string")
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return text(raw[1 : len(raw)-1]), nil
	}
	s, err := jsontext.AppendUnquote(nil, raw)
	return text(s), err
}

func (r *reader) object(member func(name string) error) error {
	if token, err := r.dec.ReadToken(); err != nil {
		return err
	} else if token.Kind() != '{' {
		return errors.New("not an object")
	}
	for r.dec.PeekKind() != '}' {
		name, err := r.text()
		if err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

func (r *reader) array(element func() error) error {
	if token, err := r.dec.ReadToken(); err != nil {
		return err
	} else if token.Kind() != '[' {
		return errors.New("not an array")
	}
	for r.dec.PeekKind() != ']' {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := r.dec.ReadToken()
	return err
}

func (r *reader) end() error {
	if _, err := r.dec.ReadToken(); err != io.EOF {
		return errors.New("something follows the value")
	}
	return nil
}

func (r *reader) name(n *name) error {
	return r.object(func(member string) (err error) {
		switch member {
		case "pallet":
			n.Pallet, err = r.text()
		case "method":
			n.Method, err = r.text()
		default:
			err = r.dec.SkipValue()
		}
		return err
	})
}

func (r *reader) event(e *event[[]byte]) error {
	return r.object(func(member string) (err error) {
		switch member {
		case "method":
			err = r.name(&e.Method)
		case "data":
			e.Data, err = r.value()
		default:
			err = r.dec.SkipValue()
		}
		return err
	})
}

func (r *reader) transaction() (*transaction, error) {
	var tx transaction
	err := r.object(func(member string) error {
		if member != "transaction" {
			return r.dec.SkipValue()
		}
		return r.object(func(typ string) error {
			tx.Type = typ
			if err := checkType(tx.Type); err != nil {
				return err
			}
			return r.object(func(member string) (err error) {
				if field := tx.field(member); field != nil {
					*field, err = r.text()
					return err
				}
				return r.dec.SkipValue()
			})
		})
	})
	if err == nil && tx.Type == "" {
		err = errors.New("no transaction")
	}
	return &tx, err
}
