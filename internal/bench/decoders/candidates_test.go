package decoders

import (
	"encoding/json"
	"errors"

	"github.com/bytedance/sonic"
	"github.com/go-json-experiment/json/jsontext"
	goccy "github.com/goccy/go-json"
	"github.com/valyala/fastjson"
)

// A decoder is one candidate with what it reuses from block to block. The block
// of the last decode is fresh, but may point into the body and into the decoder.
type decoder interface {
	decode(body []byte) error
	// decoded is what the last decode obtained, with event data as JSON.
	decoded() block[string]
}

type candidate struct {
	name string
	new  func() decoder
	// accepts lists the classes of malformed_test.go of which the candidate
	// lets something through, wherever it stands.
	accepts []string
}

var candidates = []candidate{
	{"this-project", newProject, nil},
	{"encoding/json", newEncodingJSON, []string{duplicates, invalidUTF8}},
	{"go-json-experiment/json", newJSONExperiment, nil},
	{"go-json-experiment/jsontext", newJSONText, nil},
	{"go-json-experiment/jsontext-duplicates", newJSONTextDuplicates, []string{duplicates}},
	{"goccy/go-json", newGoccy, []string{duplicates, invalidUTF8}},
	{"goccy/go-json-nocopy", newGoccyNoCopy, []string{duplicates, invalidUTF8}},
	{"bytedance/sonic", newSonic, []string{escapes, duplicates, invalidUTF8}},
	{"bytedance/sonic-ast", newSonicAST, []string{escapes, controls, outside, duplicates, invalidUTF8}},
	{"minio/simdjson-go", newSimdjson, []string{duplicates, invalidUTF8}},
	{"valyala/fastjson", newFastjson, []string{escapes, controls, numbers, literals, duplicates, invalidUTF8}},
	{"valyala/fastjson-validated", newFastjsonValidated, []string{duplicates, invalidUTF8}},
}

// The validators alone: what a first pass would cost that makes a second, which
// need not validate, safe.
var validators = []struct {
	name    string
	valid   func([]byte) bool
	accepts []string
}{
	{"encoding/json", json.Valid, []string{duplicates, invalidUTF8}},
	{"go-json-experiment/jsontext", func(b []byte) bool { return jsontext.Value(b).IsValid() }, nil},
	{"goccy/go-json", goccy.Valid, []string{duplicates, invalidUTF8}},
	{"bytedance/sonic", sonic.ConfigStd.Valid, []string{escapes, controls, duplicates, invalidUTF8}},
	{"valyala/fastjson", func(b []byte) bool { return fastjson.ValidateBytes(b) == nil }, []string{duplicates, invalidUTF8}},
}

// validator is a decoder that obtains nothing.
type validator func([]byte) bool

func (valid validator) decode(body []byte) error {
	if !valid(body) {
		return errors.New("invalid JSON")
	}
	return nil
}

func (validator) decoded() block[string] { return block[string]{} }
