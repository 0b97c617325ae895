package decoders

import (
	"encoding/json"

	"github.com/bytedance/sonic"
	jsonexp "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	goccy "github.com/goccy/go-json"
)

// The libraries that decode into structs differ in the function only.
type structs[R ~[]byte] struct {
	unmarshal func([]byte, any) error
	block     block[R]
}

func (d *structs[R]) decode(body []byte) error {
	d.block = block[R]{}
	if err := d.unmarshal(body, &d.block); err != nil {
		return err
	}
	for i := range d.block.Extrinsics {
		x := &d.block.Extrinsics[i]
		if !x.Method.isTransact() {
			continue
		}
		var args transactArgs
		if err := d.unmarshal(x.Args, &args); err != nil {
			return err
		}
		var err error
		if x.Transaction, err = args.transaction(); err != nil {
			return err
		}
	}
	return nil
}

func (d *structs[R]) decoded() block[string] {
	return plain(d.block, func(raw R) string { return string(raw) })
}

func newEncodingJSON() decoder {
	return &structs[json.RawMessage]{unmarshal: json.Unmarshal}
}

func newJSONExperiment() decoder {
	return &structs[jsontext.Value]{unmarshal: func(data []byte, v any) error { return jsonexp.Unmarshal(data, v) }}
}

func newGoccy() decoder {
	return &structs[json.RawMessage]{unmarshal: goccy.Unmarshal}
}

func newGoccyNoCopy() decoder {
	return &structs[json.RawMessage]{unmarshal: func(data []byte, v any) error {
		return goccy.UnmarshalWithOption(data, v, goccy.DecodeNoCopyString())
	}}
}

var sonicStrict = sonic.Config{ValidateString: true, CaseSensitive: true}.Froze()

// Sonic with all the validation it has: ValidateString is for control
// characters in strings. Values that are skipped or kept raw may hold escapes
// that are none. Unmarshal would copy the body; UnmarshalFromString does not.
func newSonic() decoder {
	return &structs[sonic.NoCopyRawMessage]{unmarshal: func(data []byte, v any) error {
		return sonicStrict.UnmarshalFromString(text(data), v)
	}}
}
