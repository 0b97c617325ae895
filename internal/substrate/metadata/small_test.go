package metadata_test

import (
	"encoding/binary"
	"testing"
)

// small is handwritten metadata of version 14 with two pallets: a call with an argument, an event, an item of
// each kind, a constant.
func small(t testing.TB) []byte {
	t.Helper()
	var b builder
	b.raw('m', 'e', 't', 'a', 14)
	types := []func(){
		func() { b.typ(nil, nil).raw(5, 5) }, // 0: u32
		func() {
			b.typ([]string{"demo", "Call"}, nil).raw(1)
			b.length(1).text("set").length(1).field("now", 0).raw(0).length(0)
		}, // 1
		func() { b.typ(nil, nil).raw(4).length(0) },         // 2: ()
		func() { b.typ(nil, nil).raw(6).length(0) },         // 3: Compact<u32>
		func() { b.typ(nil, nil).raw(2).length(0) },         // 4: Vec<u32>
		func() { b.typ(nil, nil).raw(3).u32(20).length(0) }, // 5: [u32; 20]
		func() {
			b.typ([]string{"x", "Extrinsic"}, []parameter{{"Address", 5}, {"Call", 1}, {"Signature", 2}, {"Extra", 2}}).raw(0).length(0)
		}, // 6
	}
	b.length(len(types))
	for id, write := range types {
		b.length(id)
		write()
		b.length(0) // docs
	}
	b.length(2)
	b.text("System").raw(1).text("System").length(2)
	b.text("Events").raw(1, 0).length(4).length(1).raw(0).length(0)
	b.text("Account").raw(0, 1).length(1).raw(2).length(5).length(0).length(0).length(0)
	b.raw(0, 0).length(1).text("Limit").length(0).length(4).raw(1, 2, 3, 4).length(0).raw(0, 0)
	b.text("Demo").raw(0).raw(1).length(1).raw(0).length(0).raw(0, 9)
	b.length(6).raw(4).length(1).text("CheckNonce").length(3).length(2)
	b.length(2)
	return b.bytes
}

type parameter struct {
	name string
	id   int
}

// builder writes SCALE.
type builder struct{ bytes []byte }

func (b *builder) raw(bytes ...byte) *builder {
	b.bytes = append(b.bytes, bytes...)
	return b
}

func (b *builder) u32(n uint32) *builder {
	b.bytes = binary.LittleEndian.AppendUint32(b.bytes, n)
	return b
}

// length returns a compact integer below 64, as are the numbers of types.
func (b *builder) length(n int) *builder { return b.raw(byte(n << 2)) }

func (b *builder) text(text string) *builder { return b.length(len(text)).raw([]byte(text)...) }

func (b *builder) field(name string, id int) *builder {
	return b.raw(1).text(name).length(id).raw(0).length(0)
}

// typ starts a type: its path and parameters.
func (b *builder) typ(path []string, parameters []parameter) *builder {
	b.length(len(path))
	for _, part := range path {
		b.text(part)
	}
	b.length(len(parameters))
	for _, p := range parameters {
		b.text(p.name).raw(1).length(p.id)
	}
	return b
}
