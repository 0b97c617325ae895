package ethtx

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// The first bytes of empty RLP strings and lists.
const (
	rlpString = 0x80
	rlpList   = 0xc0
)

// shortSize is the limit below which RLP encodes a size in the first byte.
const shortSize = 56

var (
	errTooShort  = errors.New("the encoding ends too early")
	errCanonical = errors.New("the encoding is not canonical")
	errKind      = errors.New("want bytes but have a list, or want a list but have bytes")
)

// split returns the content of the string or list at the start of an encoding, and the rest. It accepts only
// the canonical encoding of a value.
func split(kind byte, encoded []byte) (content, rest []byte, err error) {
	if len(encoded) == 0 {
		return nil, nil, errTooShort
	}
	first, after := encoded[0], encoded[1:]
	if (first >= rlpList) != (kind == rlpList) {
		return nil, nil, errKind
	}
	if first < rlpString {
		return encoded[:1], after, nil
	}
	size := uint64(first - kind)
	if size >= shortSize { // the number of bytes of the size, from 1 to 8
		n := int(size - shortSize + 1)
		if n > len(after) {
			return nil, nil, errTooShort
		}
		size = 0
		for _, b := range after[:n] {
			size = size<<8 | uint64(b)
		}
		if after[0] == 0 || size < shortSize {
			return nil, nil, errCanonical
		}
		after = after[n:]
	}
	switch {
	case size > uint64(len(after)):
		return nil, nil, errTooShort
	case kind == rlpString && size == 1 && after[0] < rlpString: // a byte that encodes itself
		return nil, nil, errCanonical
	}
	return after[:size], after[size:], nil
}

// list is the content of an RLP list under construction.
type list []byte

// bytes appends a byte string.
func (l list) bytes(content []byte) list {
	if len(content) == 1 && content[0] < rlpString {
		return append(l, content[0])
	}
	return append(l.head(rlpString, len(content)), content...)
}

// integer appends an integer, without leading zeros.
func (l list) integer(bigEndian []byte) list { return l.bytes(bytes.TrimLeft(bigEndian, "\x00")) }

func (l list) uint64(n uint64) list { return l.integer(binary.BigEndian.AppendUint64(nil, n)) }

// list appends a list.
func (l list) list(inside list) list { return append(l.head(rlpList, len(inside)), inside...) }

func (l list) head(kind byte, size int) list {
	if size < shortSize {
		return append(l, kind+byte(size))
	}
	bigEndian := bytes.TrimLeft(binary.BigEndian.AppendUint64(nil, uint64(size)), "\x00")
	return append(append(l, kind+shortSize-1+byte(len(bigEndian))), bigEndian...)
}
