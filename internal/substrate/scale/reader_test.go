package scale_test

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/scale"
)

func reader(t testing.TB, text string) *scale.Reader {
	t.Helper()
	b, err := hex.DecodeString(text)
	require.NoError(t, err)
	return scale.NewReader(b)
}

// The examples in the specification of SCALE: compact integers in each of their four forms.
func TestCompact(t *testing.T) {
	for text, want := range map[string]uint64{
		"00": 0, "04": 1, "a8": 42, "fc": 63, "0101": 64, "1501": 69, "fdff": 16383, "02000100": 16384, "feff0300": 65535,
		"feffffff": 1<<30 - 1, "0300000040": 1 << 30, "03ffffffff": math.MaxUint32, "070000000001": 1 << 32, "0b00407a10f35a": 100_000_000_000_000,
		"13ffffffffffffffff": math.MaxUint64,
	} {
		r := reader(t, text)
		require.Equal(t, want, r.CompactUint(), text)
		require.NoError(t, r.End(), text)
		r = reader(t, text)
		b := r.Compact()
		require.NoError(t, r.End(), text)
		var wide [8]byte
		copy(wide[:], b)
		require.Equal(t, want, binary.LittleEndian.Uint64(wide[:]), text)
		require.Equal(t, text, hex.EncodeToString(scale.AppendCompact(nil, want)))
	}
	for text, want := range map[string]string{
		"":                     "SCALE at byte 0: the bytes end too early: want 1 bytes, have 0",
		"01":                   "SCALE at byte 0: the bytes end too early: want 2 bytes, have 1",
		"0200":                 "SCALE at byte 0: the bytes end too early: want 4 bytes, have 2",
		"03ffff":               "SCALE at byte 1: the bytes end too early: want 4 bytes, have 2",
		"0100":                 "SCALE at byte 2: a compact integer is not in its shortest form",
		"fd00":                 "SCALE at byte 2: a compact integer is not in its shortest form",
		"02000000":             "SCALE at byte 4: a compact integer is not in its shortest form",
		"03ffffff3f":           "SCALE at byte 5: a compact integer is not in its shortest form",
		"0b00407a10f300":       "SCALE at byte 7: a compact integer is not in its shortest form",
		"17010000000000000001": "SCALE at byte 10: a compact integer has 9 bytes, want at most 8",
	} {
		r := reader(t, text)
		r.CompactUint()
		require.EqualError(t, r.Err(), want, text)
	}
	widest := append([]byte{0xff}, make([]byte, 67)...)
	widest[67] = 1
	r := scale.NewReader(widest)
	require.Len(t, r.Compact(), 67)
	require.NoError(t, r.End())
}

func TestFixed(t *testing.T) {
	r := reader(t, "01"+"0203"+"04050607"+"08090a0b0c0d0e0f"+"01"+"00"+"0c"+"616263"+"08"+"dead"+"ffff")
	require.Equal(t, uint8(1), r.U8())
	require.Equal(t, uint16(0x0302), r.U16())
	require.Equal(t, uint32(0x07060504), r.U32())
	require.Equal(t, uint64(0x0f0e0d0c0b0a0908), r.U64())
	require.True(t, r.Bool())
	require.False(t, r.Option())
	require.Equal(t, "abc", r.Text())
	at := r.At()
	require.Equal(t, []byte{0xde, 0xad}, r.Blob())
	require.Equal(t, []byte{0x08, 0xde, 0xad}, r.Since(at))
	require.Equal(t, 2, r.Left())
	require.EqualError(t, r.End(), "SCALE at byte 24: 2 bytes left over")
}

// After its first error a reader returns only zeros, and keeps that error.
func TestFirstError(t *testing.T) {
	r := reader(t, "0201020304")
	require.False(t, r.Bool() && r.Err() == nil)
	first := r.Err()
	require.EqualError(t, first, "SCALE at byte 1: a bool is 2, want 0 or 1")
	require.Zero(t, r.U8())
	require.Zero(t, r.U16())
	require.Zero(t, r.U32())
	require.Zero(t, r.U64())
	require.Zero(t, r.CompactUint())
	require.Empty(t, r.Blob())
	require.Empty(t, r.Text())
	require.Zero(t, r.Length(1))
	r.Fail("another")
	require.Equal(t, first, r.Err())
	require.Equal(t, first, r.End())
	require.ErrorIs(t, reader(t, "").End(), nil)
}

// A length cannot exceed the remaining bytes.
func TestLength(t *testing.T) {
	r := reader(t, "10"+"00000000")
	require.Equal(t, 4, r.Length(1))
	r = reader(t, "14"+"00000000")
	require.Zero(t, r.Length(1))
	require.ErrorIs(t, r.Err(), scale.ErrShort)
	r = reader(t, "0c"+"00000000")
	require.Zero(t, r.Length(2))
	require.EqualError(t, r.Err(), "SCALE at byte 1: the bytes end too early: 3 elements do not fit into 4 bytes")
	r = reader(t, "13ffffffffffffffff")
	require.Zero(t, r.Length(0))
	require.ErrorIs(t, r.Err(), scale.ErrShort)
	r = reader(t, "08"+"ff"+"fe")
	r.Text()
	require.EqualError(t, r.Err(), "SCALE at byte 3: a text is not valid UTF-8")
	r = reader(t, "00")
	require.Nil(t, r.Bytes(-1))
	require.Error(t, r.Err())
}

// FuzzReader executes a program of reads on any bytes: never beyond their end.
func FuzzReader(f *testing.F) {
	f.Add([]byte{1, 2, 3}, []byte{3, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, program, text []byte) {
		r := scale.NewReader(text)
		for _, step := range program {
			switch step % 8 {
			case 0:
				r.U8()
			case 1:
				r.U16()
			case 2:
				r.U64()
			case 3:
				if len(r.Compact()) > 67 {
					t.Fatal("a compact integer is too long")
				}
			case 4:
				r.CompactUint()
			case 5:
				if n := r.Length(int(step)); n > len(text) {
					t.Fatal("a length is too long")
				}
			case 6:
				r.Text()
			case 7:
				r.Blob()
			}
		}
		if r.At() > len(text) || r.Left() < 0 {
			t.Fatal("it read beyond the bytes")
		}
	})
}
