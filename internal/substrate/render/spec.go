package render

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Version returns the response of /node/version, from system_version, the implName of state_getRuntimeVersion,
// and system_chain.
func Version(client, implementation, chain string) []byte {
	to := scalejson.AppendString([]byte(`{"clientVersion":`), client)
	to = scalejson.AppendString(append(to, `,"clientImplName":`...), implementation)
	to = scalejson.AppendString(append(to, `,"chain":`...), chain)
	return append(to, '}')
}

// Spec returns the response of /runtime/spec, from a node's state_getRuntimeVersion, system_chainType and
// system_properties.
func Spec(at At, version, chainType, properties jsonscan.Value) ([]byte, error) {
	to := appendNumber([]byte(`{"at":{"height":`), at.Height)
	to = append(appendHash(append(to, `,"hash":`...), at.Hash), '}')
	var err error
	for _, name := range []string{"authoringVersion", "transactionVersion", "implVersion", "specName", "specVersion"} {
		to = append(scalejson.AppendString(append(to, ','), name), ':')
		if to, err = appendJSON(to, version.Member(name)); err != nil {
			return nil, fmt.Errorf("runtime version: %s: %w", name, err)
		}
	}
	if to, err = appendChainType(append(to, `,"chainType":`...), chainType); err != nil {
		return nil, err
	}
	if to, err = appendProperties(append(to, `,"properties":`...), properties); err != nil {
		return nil, fmt.Errorf("system_properties: %w", err)
	}
	return append(to, '}'), nil
}

// appendChainType writes Development, Local, Live or {"Custom": name}.
func appendChainType(to []byte, v jsonscan.Value) ([]byte, error) {
	if name, ok := v.Text(); ok && (name == "Development" || name == "Local" || name == "Live") {
		return append(scalejson.AppendString(append(to, '{'), strings.ToLower(name)), `:null}`...), nil
	}
	if name, ok := v.Member("Custom").Text(); ok {
		return append(scalejson.AppendString(append(to, `{"custom":`...), name), '}'), nil
	}
	return nil, fmt.Errorf("system_chainType: unknown kind of chain %s", jsonscan.Excerpt(v.Raw()))
}

// appendProperties writes four properties first, present or not, and then the others.
func appendProperties(to []byte, v jsonscan.Value) ([]byte, error) {
	usual := []string{"isEthereum", "ss58Format", "tokenDecimals", "tokenSymbol"}
	others := map[string]jsonscan.Value{}
	order := usual
	for name, value := range v.Members() {
		others[name] = value
		if name != usual[0] && name != usual[1] && name != usual[2] && name != usual[3] {
			order = append(order, name)
		}
	}
	var err error
	for i, name := range order {
		if i == 0 {
			to = append(to, '{')
		} else {
			to = append(to, ',')
		}
		to = append(scalejson.AppendString(to, name), ':')
		value := others[name]
		empty := value.Kind() == jsonscan.Absent || value.Kind() == jsonscan.Null
		switch {
		case empty && i == 0:
			to = append(to, "false"...)
		case empty && i < len(usual):
			to = append(to, "null"...)
		case (i == 2 || i == 3) && value.Kind() != jsonscan.Array: // a list, for one token as for several
			if to, err = appendJSON(append(to, '['), value); err == nil {
				to = append(to, ']')
			}
		default:
			to, err = appendJSON(to, value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return append(to, '}'), nil
}

// appendJSON writes a node's JSON value, with numbers as strings.
func appendJSON(to []byte, v jsonscan.Value) ([]byte, error) {
	var err error
	switch v.Kind() {
	case jsonscan.Number:
		return scalejson.AppendString(to, v.Raw()), nil
	case jsonscan.String:
		text, _ := v.Text()
		return scalejson.AppendString(to, text), nil
	case jsonscan.Absent:
		return nil, fmt.Errorf("missing")
	case jsonscan.Array:
		to = append(to, '[')
		first := true
		for e := range v.Elements() {
			if !first {
				to = append(to, ',')
			}
			first = false
			if to, err = appendJSON(to, e); err != nil {
				return nil, err
			}
		}
		return append(to, ']'), nil
	case jsonscan.Object:
		to = append(to, '{')
		first := true
		for name, e := range v.Members() {
			if !first {
				to = append(to, ',')
			}
			first = false
			if to, err = appendJSON(append(scalejson.AppendString(to, name), ':'), e); err != nil {
				return nil, err
			}
		}
		return append(to, '}'), nil
	}
	return append(to, v.Raw()...), nil
}
