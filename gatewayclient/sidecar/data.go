package sidecar

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/schema"
)

// data sets an event with a name. It reads the array of its values, and decodes those that rules read.
func (d *blockDecoder) data(s *jsonscan.Scanner, e *chain.Event, m *method) {
	e.Pallet, e.Name = m.pallet, m.name
	list := room(d.values, 16, 512)
	switch m.event {
	case &schema.Success:
		if v, usual := usualDispatch(s); usual {
			list = append(list, v)
		} else {
			list = append(list, readDispatch(s.Value().Index(0), jsonscan.Value{}))
		}
	case &schema.Failure:
		var data [2]jsonscan.Value
		nextElements(s, data[:])
		list = append(list, readDispatch(data[1], data[0]))
	case &schema.Log:
		list = appendTransfer(list, s)
	default:
		list = appendData(list, m.event, s)
	}
	d.values, e.Data = list, share(list)
}

// nextElements reads the next array and returns the number of its elements. Those after the list's are skipped.
func nextElements(s *jsonscan.Scanner, list []jsonscan.Value) (n int) {
	for s.Array(); s.Element(); n++ {
		if n < len(list) {
			list[n] = s.Value()
		} else {
			s.Skip()
		}
	}
	return n
}

// appendData decodes the values of an event as its description says.
func appendData(to chain.Values, event *schema.Event, s *jsonscan.Scanner) chain.Values {
	if !event.Read() {
		s.Skip()
		return to
	}
	n := 0
	for s.Array(); s.Element(); n++ {
		of := event.Rest
		if n < len(event.Types) {
			of = event.Types[n]
		}
		if n >= schema.MaxValues || of == schema.Unread && !event.Whole {
			s.Skip()
		} else {
			to = appendNext(to, s, of)
		}
	}
	if n > schema.MaxValues {
		to = append(to, chain.FurtherValue(uint64(n-schema.MaxValues)))
	}
	return to
}

// appendNext decodes the next value, as a value of a type. It is quick for what gateways usually write.
func appendNext(to chain.Values, s *jsonscan.Scanner, of schema.Type) chain.Values {
	switch of {
	case schema.Account, schema.Maybe:
		if text, ok := s.Sized(usualAddress); ok {
			if to, ok = to.AppendAccount(text); ok {
				s.Pass(text)
				return to
			}
		}
	case schema.Hash:
		if text, ok := s.Sized(usualHashSize); ok {
			if to, ok = to.AppendHash(text); ok {
				s.Pass(text)
				return to
			}
		}
	case schema.Number, schema.Amount, schema.Word:
		if n, ok := s.Decimal(); ok {
			return to.AppendUint64(n)
		}
	case schema.Exit:
		for i := range usualExits {
			if exit := &usualExits[i]; s.Literal(exit.text, 0) {
				return append(to, exit.of)
			}
		}
	}
	return append(to, readValue(s.Value(), of))
}

// readText decodes a value of a type from the content of a string.
func readText(text string, of schema.Type) (v chain.Value) {
	var err error
	switch of {
	case schema.Account, schema.Maybe:
		var a chain.Address
		if a, err = chain.ReadAddress(text); err == nil {
			return chain.AccountValue(a)
		}
	case schema.Number:
		var n uint64
		if n, err = chain.ParseUint64(text); err == nil {
			return chain.Uint64Value(n)
		}
	case schema.Amount:
		var w chain.Wei
		if w, err = chain.ParseWei(text); err == nil {
			return chain.NumberValue(w.Word())
		}
	case schema.Word:
		var p chain.GasPrice
		if p, err = chain.ParseGasPrice(text); err == nil {
			return chain.NumberValue(p.Word())
		}
	case schema.Hash:
		var h chain.Hash
		if h, err = chain.ParseHash(text); err == nil {
			return chain.HashValue(h)
		}
	case schema.Destination:
		var reserved uint64
		if reserved, err = jsonread.Destination(text); err == nil {
			return chain.Uint64Value(reserved)
		}
	}
	if err == nil || of == schema.Maybe {
		return chain.UnreadValue()
	}
	return chain.MalformedValue(err)
}

// readValue decodes a value of a type.
func readValue(v jsonscan.Value, of schema.Type) chain.Value {
	switch {
	case of == schema.Exit:
		return chain.ExitValue(readExit(v))
	case of == schema.HoldReason:
		return jsonread.HoldReason(v)
	case of == schema.Text && v.Kind() != jsonscan.Absent:
		if text := v.Raw(); len(text) <= schema.MaxText {
			return chain.TextValue(strings.Clone(text))
		}
		return chain.MalformedValue(schema.ErrLongText)
	}
	if text, isText := v.Text(); isText {
		return readText(text, of)
	}
	numeric := of == schema.Number || of == schema.Amount || of == schema.Word
	switch kind := v.Kind(); {
	case of == schema.Unread, of == schema.Maybe:
		return chain.UnreadValue()
	case kind == jsonscan.Absent, kind == jsonscan.Null:
		return chain.Value{}
	case kind == jsonscan.Number && numeric:
		return readText(v.Raw(), of)
	case of == schema.Destination:
		if name, member, single := v.Only(); single && member.Kind() == jsonscan.Null { // {"free":null}
			return readText(name, of)
		}
		return chain.MalformedValue(fmt.Errorf("want Free or Reserved, have %v", kind))
	case numeric:
		return chain.MalformedValue(fmt.Errorf("want a number, have %v", kind))
	case of == schema.Hash:
		return chain.MalformedValue(fmt.Errorf("want a hash, have %v", kind))
	}
	return chain.MalformedValue(fmt.Errorf("want an address, have %v", v.Kind()))
}

// readDispatch decodes dispatch information, and the reason of a failure.
func readDispatch(v, failure jsonscan.Value) chain.Value {
	var weight, class, pays jsonscan.Value
	for key, member := range v.Members() {
		switch key {
		case "weight":
			weight = member
		case "class":
			class = member
		case "paysFee":
			pays = member
		}
	}
	info := chain.DispatchInfo{
		Class:   chain.DecodedOf(readWord(class, jsonread.DispatchClass)),
		PaysFee: chain.DecodedOf(readWord(pays, jsonread.PaysFee)),
		RefTime: "weight",
	}
	switch {
	case weight.Kind() != jsonscan.Object:
	case weight.Member("refTime").Kind() != jsonscan.Absent:
		info.RefTime = "weight.refTime"
	case weight.Member("ref_time").Kind() != jsonscan.Absent:
		info.RefTime = "weight.ref_time"
	}
	if failure.Kind() != jsonscan.Absent {
		info.Error = readDispatchError(failure)
	}
	w, err := jsonread.Weight(weight)
	info.Weight = err
	return chain.DispatchValue(w, info)
}

// readWord decodes a name.
func readWord[T any](v jsonscan.Value, named func(string) (T, error)) (none T, err error) {
	text, err := wordOf(v)
	if err != nil {
		return none, err
	}
	return named(text)
}

func wordOf(v jsonscan.Value) (string, error) {
	text, ok := v.Text()
	switch {
	case ok:
		return text, nil
	case v.Kind() == jsonscan.Absent || v.Kind() == jsonscan.Null:
		return "", chain.ErrMissing
	}
	return "", fmt.Errorf("want a string, have %v", v.Kind())
}

// readDispatchError decodes "BadOrigin", {"badOrigin": null} or {"module": {"index", …}}.
func readDispatchError(v jsonscan.Value) (e chain.DispatchError) {
	name, isText := v.Text()
	module := jsonscan.Value{}
	if !isText {
		name, module, _ = v.Only()
	}
	e.Name = name
	if index, err := jsonread.Uint64(module.Member("index")); err == nil {
		e.Pallet = chain.Some(index)
	}
	return e
}

// appendTransfer reads the data of an evm.Log, and decodes those of an ERC-20 transfer.
func appendTransfer(to chain.Values, s *jsonscan.Scanner) chain.Values {
	var address, data jsonscan.Value
	var topics [3]jsonscan.Value
	n := 0
	s.Array()
	for i := 0; s.Element(); i++ {
		if i > 0 || !s.IsObject() {
			s.Skip()
			continue
		}
		for s.Object(); s.Member(); {
			switch key := s.Key(); {
			case key == "address":
				address = s.Value()
			case key == "topics" && s.IsArray():
				n = nextElements(s, topics[:])
			case key == "data":
				data = s.Value()
			default:
				s.Skip()
			}
		}
	}
	first, _ := topics[0].Text()
	word, _ := data.Text()
	if n != len(topics) || !strings.EqualFold(first, schema.Transfer) || len(word) != 2+64 || !strings.HasPrefix(word, "0x") {
		return to
	}
	return append(to, readValue(address, schema.Account),
		readValue(topics[1], schema.Hash), readValue(topics[2], schema.Hash), readValue(data, schema.Word))
}

// readExit decodes {"succeed": "Stopped"}, {"error": {"outOfGas": null}} and similar values. No fee depends on
// it, so an unknown form is not an error.
func readExit(v jsonscan.Value) chain.Exit {
	name, inner, _ := v.Only()
	switch state := chain.ExitState(name); state {
	case chain.ExitSucceed, chain.ExitRevert, chain.ExitError, chain.ExitFatal:
		if reason, known := jsonread.Reason(inner); known {
			return chain.Exit{State: state, Reason: reason}
		}
	}
	return chain.Exit{}
}

// appendArguments decodes the arguments of a call that rules read.
func appendArguments(to chain.Values, pallet, call string, args jsonscan.Value) chain.Values {
	for _, a := range schema.OfCall(pallet, call) {
		v := args.Member(a.Name)
		if a.Name == "dest" {
			if _, inner, wrapped := v.Only(); wrapped { // {"id": account}
				v = inner
			}
		}
		to = append(to, readValue(v, a.Type))
	}
	return to
}

// readEra decodes {"mortalEra": [period, phase]}; it is zero for any other era.
func readEra(v jsonscan.Value) chain.Era {
	mortal := v.Member("mortalEra")
	if mortal.Kind() != jsonscan.Array {
		return chain.Era{}
	}
	period, noPeriod := jsonread.Uint64(mortal.Index(0))
	phase, noPhase := jsonread.Uint64(mortal.Index(1))
	if noPeriod != nil || noPhase != nil {
		return chain.Era{}
	}
	return chain.Era{Period: period, Phase: phase}
}

// digest finds the item of the engine "fron" in a header's digest, and returns the hashes of the Ethereum block's
// transactions in it.
func (d *blockDecoder) digest() ([]chain.Hash, error) {
	if !d.IsArray() {
		v := d.Value()
		if v.Kind() == jsonscan.Null {
			return nil, chain.ErrMissing
		}
		return nil, unwanted("an array", v)
	}
	items := make([][]byte, 0, 1)
	var malformed error
	unread := false
	for d.Array(); d.Element(); {
		switch kind, engine, text := d.logItem(); {
		case kind != "Consensus":
			unread = unread || kind == ""
		case engine == "" || text == "":
			unread = true
		case strings.EqualFold(engine, frontier):
			item, err := chain.ReadBytes(text)
			if err != nil {
				malformed = fmt.Errorf("fron: want 0x and hex digits, have %q", jsonscan.Excerpt(text))
			}
			items = append(items, item)
		}
	}
	switch {
	case len(items) == 1 && malformed != nil:
		return nil, malformed
	case len(items) == 0 && unread:
		return nil, chain.UnreportedError("the gateway returns the header's digest in an unknown form")
	}
	return chain.ReadFrontier(items...)
}

// logItem reads {"type": …, "value": [engine, data]}. What is in another form is empty.
func (d *blockDecoder) logItem() (kind, engine, data string) {
	if !d.IsObject() {
		d.Skip()
		return "", "", ""
	}
	for d.Object(); d.Member(); {
		switch key := d.Key(); {
		case key == "type" && d.IsString():
			kind = d.Text()
		case key == "value" && d.IsArray():
			parts := [2]*string{&engine, &data}
			i := 0
			for d.Array(); d.Element(); i++ {
				if i < len(parts) && d.IsString() {
					*parts[i] = d.Text()
				} else {
					d.Skip()
				}
			}
		default:
			d.Skip()
		}
	}
	return kind, engine, data
}

// frontier is the engine's name, "fron".
const frontier = "0x66726f6e"
