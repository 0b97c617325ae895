package decoders

import (
	"errors"

	"github.com/bytedance/sonic/ast"
	"github.com/minio/simdjson-go"
	"github.com/valyala/fastjson"
)

// The libraries that build a tree first, from which the block is then read.

// simdjson-go writes a tape; a kept value is a place on it. Integers of more than
// 64 bits become floats there, without their digits.
type simdjsonDecoder struct {
	parsed *simdjson.ParsedJson
	block  block[simdjson.Iter]
}

func newSimdjson() decoder { return &simdjsonDecoder{} }

func (d *simdjsonDecoder) decoded() block[string] {
	return plain(d.block, func(i simdjson.Iter) string {
		out, err := i.MarshalJSON()
		if err != nil {
			panic(err)
		}
		return string(out)
	})
}

func (d *simdjsonDecoder) decode(body []byte) error {
	parsed, err := simdjson.Parse(body, d.parsed, simdjson.WithCopyStrings(false))
	if err != nil {
		return err
	}
	d.parsed = parsed
	d.block = block[simdjson.Iter]{}
	b := &d.block
	iter := parsed.Iter()
	iter.AdvanceInto()
	_, root, err := iter.Root(nil)
	if err != nil {
		return err
	}
	return simdObject(root, func(name string, v *simdjson.Iter) (err error) {
		switch name {
		case "number":
			b.Number, err = simdText(v)
		case "hash":
			b.Hash, err = simdText(v)
		case "parentHash":
			b.ParentHash, err = simdText(v)
		case "extrinsics":
			err = simdArray(v, func(v *simdjson.Iter) error {
				b.Extrinsics = append(b.Extrinsics, extrinsic[simdjson.Iter]{})
				return simdExtrinsic(v, &b.Extrinsics[len(b.Extrinsics)-1])
			})
		}
		return err
	})
}

func simdObject(v *simdjson.Iter, member func(name string, v *simdjson.Iter) error) error {
	var object simdjson.Object
	if _, err := v.Object(&object); err != nil {
		return err
	}
	var value simdjson.Iter
	for {
		name, kind, err := object.NextElementBytes(&value)
		if err != nil {
			return err
		}
		if kind == simdjson.TypeNone {
			return nil
		}
		if err := member(text(name), &value); err != nil {
			return err
		}
	}
}

func simdArray(v *simdjson.Iter, element func(v *simdjson.Iter) error) error {
	var array simdjson.Array
	if _, err := v.Array(&array); err != nil {
		return err
	}
	iter := array.Iter()
	var value simdjson.Iter
	for {
		kind, err := iter.AdvanceIter(&value)
		if err != nil {
			return err
		}
		if kind == simdjson.TypeNone {
			return nil
		}
		if err := element(&value); err != nil {
			return err
		}
	}
}

func simdText(v *simdjson.Iter) (string, error) {
	b, err := v.StringBytes()
	return text(b), err
}

func simdName(v *simdjson.Iter, n *name) error {
	return simdObject(v, func(member string, v *simdjson.Iter) (err error) {
		switch member {
		case "pallet":
			n.Pallet, err = simdText(v)
		case "method":
			n.Method, err = simdText(v)
		}
		return err
	})
}

func simdExtrinsic(v *simdjson.Iter, x *extrinsic[simdjson.Iter]) error {
	err := simdObject(v, func(name string, v *simdjson.Iter) (err error) {
		switch name {
		case "method":
			err = simdName(v, &x.Method)
		case "hash":
			x.Hash, err = simdText(v)
		case "signature":
			if v.Type() != simdjson.TypeNull {
				x.Signature = signed
			}
		case "success":
			x.Success, err = v.Bool()
		case "args":
			x.Args = *v
		case "events":
			err = simdArray(v, func(v *simdjson.Iter) error {
				x.Events = append(x.Events, event[simdjson.Iter]{})
				e := &x.Events[len(x.Events)-1]
				return simdObject(v, func(name string, v *simdjson.Iter) (err error) {
					switch name {
					case "method":
						err = simdName(v, &e.Method)
					case "data":
						e.Data = *v
					}
					return err
				})
			})
		}
		return err
	})
	if err != nil || !x.Method.isTransact() {
		return err
	}
	x.Transaction, err = simdTransaction(&x.Args)
	return err
}

func simdTransaction(args *simdjson.Iter) (*transaction, error) {
	var tx transaction
	err := simdObject(args, func(name string, v *simdjson.Iter) error {
		if name != "transaction" {
			return nil
		}
		return simdObject(v, func(name string, v *simdjson.Iter) error {
			tx.Type = name
			if err := checkType(tx.Type); err != nil {
				return err
			}
			return simdObject(v, func(name string, v *simdjson.Iter) (err error) {
				if field := tx.field(name); field != nil {
					*field, err = simdText(v)
				}
				return err
			})
		})
	})
	if err == nil && tx.Type == "" {
		err = errors.New("no transaction")
	}
	return &tx, err
}

// fastjson copies the body into its parser and builds a tree of values over it.
// Escapes, control characters and numbers it looks at only where they are asked
// for, if at all; its validator is another pass.
type fastjsonDecoder struct {
	validated bool
	parser    fastjson.Parser
	block     block[*fastjson.Value]
}

func newFastjson() decoder          { return &fastjsonDecoder{} }
func newFastjsonValidated() decoder { return &fastjsonDecoder{validated: true} }

func (d *fastjsonDecoder) decoded() block[string] {
	return plain(d.block, func(v *fastjson.Value) string { return string(v.MarshalTo(nil)) })
}

func (d *fastjsonDecoder) decode(body []byte) error {
	if d.validated {
		if err := fastjson.ValidateBytes(body); err != nil {
			return err
		}
	}
	root, err := d.parser.ParseBytes(body)
	if err != nil {
		return err
	}
	d.block = block[*fastjson.Value]{}
	b := &d.block
	if b.Number, err = fastText(root.Get("number")); err != nil {
		return err
	}
	if b.Hash, err = fastText(root.Get("hash")); err != nil {
		return err
	}
	if b.ParentHash, err = fastText(root.Get("parentHash")); err != nil {
		return err
	}
	extrinsics, err := fastArray(root.Get("extrinsics"))
	if err != nil {
		return err
	}
	b.Extrinsics = make([]extrinsic[*fastjson.Value], len(extrinsics))
	for i, v := range extrinsics {
		if err := fastExtrinsic(v, &b.Extrinsics[i]); err != nil {
			return err
		}
	}
	return nil
}

var errMissing = errors.New("missing member")

func fastText(v *fastjson.Value) (string, error) {
	if v == nil {
		return "", errMissing
	}
	b, err := v.StringBytes()
	return text(b), err
}

func fastArray(v *fastjson.Value) ([]*fastjson.Value, error) {
	if v == nil {
		return nil, errMissing
	}
	return v.Array()
}

func fastName(v *fastjson.Value, n *name) (err error) {
	if n.Pallet, err = fastText(v.Get("pallet")); err != nil {
		return err
	}
	n.Method, err = fastText(v.Get("method"))
	return err
}

func fastExtrinsic(v *fastjson.Value, x *extrinsic[*fastjson.Value]) (err error) {
	if err := fastName(v.Get("method"), &x.Method); err != nil {
		return err
	}
	if x.Hash, err = fastText(v.Get("hash")); err != nil {
		return err
	}
	if signature := v.Get("signature"); signature == nil {
		return errMissing
	} else if signature.Type() != fastjson.TypeNull {
		x.Signature = signed
	}
	success := v.Get("success")
	if success == nil {
		return errMissing
	}
	if x.Success, err = success.Bool(); err != nil {
		return err
	}
	events, err := fastArray(v.Get("events"))
	if err != nil {
		return err
	}
	x.Events = make([]event[*fastjson.Value], len(events))
	for i, v := range events {
		if err := fastName(v.Get("method"), &x.Events[i].Method); err != nil {
			return err
		}
		x.Events[i].Data = v.Get("data")
	}
	x.Args = v.Get("args")
	if !x.Method.isTransact() {
		return nil
	}
	x.Transaction, err = fastTransaction(x.Args)
	return err
}

func fastTransaction(args *fastjson.Value) (*transaction, error) {
	if args = args.Get("transaction"); args == nil {
		return nil, errMissing
	}
	members, err := args.Object()
	if err != nil {
		return nil, err
	}
	var tx transaction
	members.Visit(func(typ []byte, v *fastjson.Value) {
		tx.Type = string(typ)
		if err = checkType(tx.Type); err != nil {
			return
		}
		var fields *fastjson.Object
		if fields, err = v.Object(); err != nil {
			return
		}
		fields.Visit(func(name []byte, v *fastjson.Value) {
			if field := tx.field(text(name)); field != nil && err == nil {
				*field, err = fastText(v)
			}
		})
	})
	if err == nil && tx.Type == "" {
		err = errMissing
	}
	return &tx, err
}

// Sonic's nodes check the brackets of the whole body at the start and are read
// lazily afterwards; a kept value is its text. Strings that are not read are not
// validated, nor is what follows the value.
type sonicAST struct {
	block block[string]
}

func newSonicAST() decoder { return &sonicAST{} }

func (d *sonicAST) decoded() block[string] {
	return plain(d.block, func(raw string) string { return raw })
}

func (d *sonicAST) decode(body []byte) error {
	d.block = block[string]{}
	b := &d.block
	searcher := ast.NewSearcher(text(body))
	root, err := searcher.GetByPath()
	if err != nil {
		return err
	}
	return astObject(&root, func(name string, v *ast.Node) (err error) {
		switch name {
		case "number":
			b.Number, err = v.StrictString()
		case "hash":
			b.Hash, err = v.StrictString()
		case "parentHash":
			b.ParentHash, err = v.StrictString()
		case "extrinsics":
			err = astArray(v, func(v *ast.Node) error {
				b.Extrinsics = append(b.Extrinsics, extrinsic[string]{})
				return astExtrinsic(v, &b.Extrinsics[len(b.Extrinsics)-1])
			})
		}
		return err
	})
}

func astObject(v *ast.Node, member func(name string, v *ast.Node) error) error {
	if v.TypeSafe() != ast.V_OBJECT {
		return errors.New("not an object")
	}
	var inner error
	if err := v.ForEach(func(at ast.Sequence, v *ast.Node) bool {
		inner = member(*at.Key, v)
		return inner == nil
	}); err != nil {
		return err
	}
	return inner
}

func astArray(v *ast.Node, element func(v *ast.Node) error) error {
	if v.TypeSafe() != ast.V_ARRAY {
		return errors.New("not an array")
	}
	var inner error
	if err := v.ForEach(func(_ ast.Sequence, v *ast.Node) bool {
		inner = element(v)
		return inner == nil
	}); err != nil {
		return err
	}
	return inner
}

func astName(v *ast.Node, n *name) error {
	return astObject(v, func(member string, v *ast.Node) (err error) {
		switch member {
		case "pallet":
			n.Pallet, err = v.StrictString()
		case "method":
			n.Method, err = v.StrictString()
		}
		return err
	})
}

func astExtrinsic(v *ast.Node, x *extrinsic[string]) error {
	var args ast.Node
	err := astObject(v, func(name string, v *ast.Node) (err error) {
		switch name {
		case "method":
			err = astName(v, &x.Method)
		case "hash":
			x.Hash, err = v.StrictString()
		case "signature":
			if v.TypeSafe() != ast.V_NULL {
				x.Signature = signed
			}
		case "success":
			x.Success, err = v.StrictBool()
		case "args":
			args = *v
			x.Args, err = v.Raw()
		case "events":
			err = astArray(v, func(v *ast.Node) error {
				x.Events = append(x.Events, event[string]{})
				e := &x.Events[len(x.Events)-1]
				return astObject(v, func(name string, v *ast.Node) (err error) {
					switch name {
					case "method":
						err = astName(v, &e.Method)
					case "data":
						e.Data, err = v.Raw()
					}
					return err
				})
			})
		}
		return err
	})
	if err != nil || !x.Method.isTransact() {
		return err
	}
	x.Transaction, err = astTransaction(&args)
	return err
}

func astTransaction(args *ast.Node) (*transaction, error) {
	var tx transaction
	err := astObject(args, func(name string, v *ast.Node) error {
		if name != "transaction" {
			return nil
		}
		return astObject(v, func(name string, v *ast.Node) error {
			tx.Type = name
			if err := checkType(tx.Type); err != nil {
				return err
			}
			return astObject(v, func(name string, v *ast.Node) (err error) {
				if field := tx.field(name); field != nil {
					*field, err = v.StrictString()
				}
				return err
			})
		})
	})
	if err == nil && tx.Type == "" {
		err = errors.New("no transaction")
	}
	return &tx, err
}
