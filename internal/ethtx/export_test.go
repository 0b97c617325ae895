package ethtx

// SplitString and SplitList are split for each kind.
func SplitString(encoded []byte) (content, rest []byte, err error) { return split(rlpString, encoded) }
func SplitList(encoded []byte) (content, rest []byte, err error)   { return split(rlpList, encoded) }

// List, Bytes and Integer expose the RLP encoder.
func List(content []byte) []byte                { return list{}.list(content) }
func Bytes(l, content []byte) []byte            { return list(l).bytes(content) }
func Uint64(l []byte, n uint64) []byte          { return list(l).uint64(n) }
func Integer(l []byte, bigEndian []byte) []byte { return list(l).integer(bigEndian) }
