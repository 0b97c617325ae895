package ledger

import "encoding/binary"

// A file holds the costs of a block (packed.go) without what they repeat: the same names,
// accounts and amounts come in one transaction after the other. Who reads the column gets the
// costs with all of it, and leaves are over that.
//
// The first byte is condensedVersion. A value that is among the remembered ones is its place
// there, doubled, plus 1. Each other one is the number that comes before it in the costs,
// doubled, and then its bytes. Numbers are unsigned varints. Remembered are usualTexts, and then
// each value of 2 to longestRepeat bytes, in their order.
const (
	condensedVersion byte = 2
	// longestRepeat bounds what a few bytes of a hostile file can stand for.
	longestRepeat = 64
)

// usualTexts are remembered from the start. A layout is for ever: so is this list.
var usualTexts = [...]string{
	"evm", "native", "legacy", "eip2930", "eip1559", "eip7702", "ethereum.transact",
	"succeeded", "reverted", "out_of_gas", "failed", "match", "drift", "cash_only", "no_evidence",
}

var usualValues = func() (values [len(usualTexts)][]byte) {
	for i, t := range usualTexts {
		values[i] = []byte(t)
	}
	return values
}()

// condenser takes repeats out, of one block after the other.
type condenser map[string]uint64 // the places of what is remembered

// condensed are costs as a file holds them. What pack has not made stays as it is.
func (c condenser) condensed(costs []byte) []byte {
	if len(costs) == 0 || costs[0] != packedVersion {
		return costs
	}
	clear(c)
	for i, t := range usualTexts {
		c[t] = uint64(i)
	}
	short := append(make([]byte, 0, len(costs)), condensedVersion)
	for left := costs[1:]; len(left) > 0; {
		number, n := binary.Uvarint(left)
		v, ok := valueAt(left, number, n)
		if !ok {
			return costs
		}
		left = left[n+len(v):]
		place, known := c[string(v)]
		if known {
			short = binary.AppendUvarint(short, place<<1|1)
			continue
		}
		if isRemembered(v) {
			c[string(v)] = uint64(len(c))
		}
		short = append(binary.AppendUvarint(short, number<<1), v...)
	}
	return short
}

// whole are the costs that a file holds, with all that they repeat. What condensed has not made
// stays as it is, and is no block's.
func whole(short []byte) []byte {
	if len(short) == 0 || short[0] != condensedVersion {
		return short
	}
	var few [64][]byte
	remembered := append(few[:0], usualValues[:]...)
	costs := append(make([]byte, 0, 2*len(short)), packedVersion)
	for left := short[1:]; len(left) > 0; {
		code, n := binary.Uvarint(left)
		repeats := code&1 == 1
		switch v, ok := valueAt(left, code>>1, n); {
		case repeats && n > 0 && code>>1 < uint64(len(remembered)):
			v = remembered[code>>1]
			costs = append(appendLength(costs, len(v)), v...)
			left = left[n:]
		case !repeats && ok:
			if isRemembered(v) {
				remembered = append(remembered, v)
			}
			costs = append(binary.AppendUvarint(costs, code>>1), v...)
			left = left[n+len(v):]
		default:
			return short
		}
	}
	return costs
}

func isRemembered(v []byte) bool { return 1 < len(v) && len(v) <= longestRepeat }
