package pdf

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
)

// reference is the number of an object.
type reference int

func (r reference) String() string { return fmt.Sprintf("%d 0 R", int(r)) }

// place is where an object is in the file: at an offset, or at an index of an object stream.
type place struct {
	stream reference // 0 for an offset
	at     int64
}

// maxPacked is the number of objects in an object stream.
const maxPacked = 500

// objects writes the objects of a file. Its first error ends the writing.
type objects struct {
	out    io.Writer
	sum    hash.Hash
	size   int64
	places []place // by number; the first one is not an object
	err    error

	pack    reference // the object stream under construction
	packed  bytes.Buffer
	offsets bytes.Buffer
	count   int
}

func newObjects(out io.Writer) *objects {
	o := &objects{out: out, sum: sha256.New(), places: make([]place, 1)}
	o.write([]byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"))
	return o
}

func (o *objects) write(text []byte) {
	if o.err != nil {
		return
	}
	o.size += int64(len(text))
	o.sum.Write(text)
	_, o.err = o.out.Write(text)
}

// reserve returns the number of an object that is written later.
func (o *objects) reserve() reference {
	o.places = append(o.places, place{})
	return reference(len(o.places) - 1)
}

// stream writes a compressed stream. dictionary contains its other entries.
func (o *objects) stream(r reference, dictionary string, data []byte) {
	var compressed bytes.Buffer
	z := zlib.NewWriter(&compressed)
	z.Write(data) // a buffer does not fail
	z.Close()
	o.places[r] = place{at: o.size}
	o.write(fmt.Appendf(nil, "%d 0 obj\n<<%s/Filter/FlateDecode/Length %d>>\nstream\n", int(r), dictionary, compressed.Len()))
	o.write(compressed.Bytes())
	o.write([]byte("\nendstream\nendobj\n"))
}

// plainStream writes a stream without compression, so that simple programs can read it.
func (o *objects) plainStream(r reference, dictionary string, data []byte) {
	o.places[r] = place{at: o.size}
	o.write(fmt.Appendf(nil, "%d 0 obj\n<<%s/Length %d>>\nstream\n", int(r), dictionary, len(data)))
	o.write(data)
	o.write([]byte("\nendstream\nendobj\n"))
}

// put writes an object.
func (o *objects) put(r reference, object string) {
	if o.pack == 0 {
		o.pack = o.reserve()
	}
	o.places[r] = place{o.pack, int64(o.count)}
	fmt.Fprintf(&o.offsets, "%d %d ", int(r), o.packed.Len())
	o.packed.WriteString(object + "\n")
	if o.count++; o.count == maxPacked {
		o.flush()
	}
}

// flush writes the object stream.
func (o *objects) flush() {
	if o.count == 0 {
		return
	}
	first := o.offsets.Len()
	o.offsets.Write(o.packed.Bytes())
	o.stream(o.pack, fmt.Sprintf("/Type/ObjStm/N %d/First %d", o.count, first), o.offsets.Bytes())
	o.pack, o.count = 0, 0
	o.packed.Reset()
	o.offsets.Reset()
}

// close writes the cross-reference table.
func (o *objects) close(root, info reference) error {
	o.flush()
	id := fmt.Sprintf("%X", o.sum.Sum(nil)[:16])
	r := o.reserve()
	start := o.size
	o.places[r] = place{at: start}
	table := []byte{0, 0, 0, 0, 0, 0, 0xff, 0xff}
	for _, p := range o.places[1:] {
		var entry [8]byte
		if p.stream == 0 {
			binary.BigEndian.PutUint64(entry[:], uint64(p.at)<<16)
			entry[0] = 1
		} else {
			binary.BigEndian.PutUint64(entry[:], uint64(p.stream)<<16|uint64(p.at))
			entry[0] = 2
		}
		table = append(table, entry[:]...)
	}
	o.stream(r, fmt.Sprintf("/Type/XRef/Size %d/W[1 5 2]/Root %v/Info %v/ID[<%s><%s>]", len(o.places), root, info, id, id), table)
	o.write(fmt.Appendf(nil, "startxref\n%d\n%%%%EOF\n", start))
	return o.err
}
