package extrinsic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Called is a call of the runtime.
type Called struct {
	Pallet, Name string // in camelCase, as in Sidecar's responses
	Arguments    []metadata.Field
	Docs         []string // lines
	index        [2]byte
}

// Calls returns the calls of a pallet, in the order of their indices.
func (r *Runtime) Calls(pallet string) ([]Called, error) {
	p, err := FindPallet(r.metadata, pallet)
	if err != nil {
		return nil, err
	}
	if p.Calls == nil {
		return nil, nil
	}
	var list []Called
	for _, v := range r.metadata.Types[*p.Calls].Variants {
		list = append(list, Called{scalejson.CamelCase(p.Name), scalejson.CamelCase(v.Name), v.Fields, v.Docs, [2]byte{p.Index, v.Index}})
	}
	return list, nil
}

// FindPallet returns the pallet with a name in any spelling: parachainStaking, ParachainStaking,
// parachain_staking.
func FindPallet(m *metadata.Metadata, name string) (*metadata.Pallet, error) {
	var names []string
	for i := range m.Pallets {
		p := &m.Pallets[i]
		if strings.EqualFold(scalejson.CamelCase(p.Name), scalejson.CamelCase(name)) {
			return p, nil
		}
		names = append(names, scalejson.CamelCase(p.Name))
	}
	return nil, fmt.Errorf("the runtime has no pallet %q: it has %s", jsonscan.Excerpt(name), strings.Join(names, ", "))
}

// find returns the call with a name such as balances.transferAllowDeath.
func (r *Runtime) find(name string) (*Called, error) {
	pallet, call, two := strings.Cut(name, ".")
	if !two || pallet == "" || call == "" {
		return nil, fmt.Errorf("call %q: want PALLET.CALL, such as balances.transferAllowDeath", jsonscan.Excerpt(name))
	}
	list, err := r.Calls(pallet)
	if err != nil {
		return nil, err
	}
	spelled := scalejson.CamelCase(call)
	i := slices.IndexFunc(list, func(c Called) bool { return strings.EqualFold(c.Name, spelled) })
	if i < 0 {
		var names []string
		for _, c := range list {
			names = append(names, c.Name)
		}
		return nil, fmt.Errorf("the pallet %s has no call %q: it has %s", jsonscan.Excerpt(pallet), jsonscan.Excerpt(call), strings.Join(names, ", "))
	}
	return &list[i], nil
}

// Call encodes a call from its name and its arguments, each written according to its type: an integer in
// decimal digits; an amount of the token such as 1.5GLMR if the type has 128 bits, otherwise the smallest
// unit; 0x and hex digits for bytes, accounts and hashes; SS58 for accounts of 32 bytes; a call as its call data in
// hex or as JSON; null for an empty Option; and Sidecar's JSON for everything else. An error names the argument and its
// type.
func (r *Runtime) Call(name string, arguments []string) ([]byte, error) {
	called, err := r.find(name)
	if err != nil {
		return nil, err
	}
	full := called.Pallet + "." + called.Name
	if len(arguments) != len(called.Arguments) {
		return nil, fmt.Errorf("%s needs %d arguments, got %d: %s", full, len(called.Arguments), len(arguments), r.Usage(called))
	}
	to := called.index[:]
	for i, f := range called.Arguments {
		if to, err = r.argument(to, f, arguments[i]); err != nil {
			return nil, fmt.Errorf("%s, argument %s (%s): %w", full, argumentName(f, i), r.metadata.Describe(f.Type), err)
		}
	}
	if _, err := r.ReadCall(to); err != nil {
		return nil, fmt.Errorf("%s: the encoded call does not decode: %w", full, err)
	}
	return to, nil
}

// Usage returns a call with the types of its arguments.
func (r *Runtime) Usage(c *Called) string {
	var text strings.Builder
	text.WriteString(c.Pallet + "." + c.Name)
	for i, f := range c.Arguments {
		fmt.Fprintf(&text, " <%s: %s>", argumentName(f, i), r.metadata.Describe(f.Type))
	}
	return text.String()
}

func argumentName(f metadata.Field, i int) string {
	if f.Name == "" {
		return fmt.Sprintf("param%d", i)
	}
	return f.Name
}

// ReadCall decodes call data completely, as {"method": {"pallet", "method"}, "args"}.
func (r *Runtime) ReadCall(call []byte) (jsonscan.Value, error) {
	w := &scalejson.Writer{Reader: scale.NewReader(call)}
	r.writeCall(w)
	if err := w.End(); err != nil {
		return jsonscan.Value{}, err
	}
	return jsonscan.Parse(string(w.Text))
}

func (r *Runtime) writeCall(w *scalejson.Writer) {
	called := r.codec.Call(w)
	if called == nil {
		return
	}
	w.Text = append(append(append(w.Text, `{"method":`...), called.Method...), `,"args":`...)
	r.codec.Arguments(w, called)
	w.Text = append(w.Text, '}')
}
