package chain_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/test/blocktest"
)

// readers are the functions that read a number from a gateway, with the width
// in bits of what they return.
var readers = map[string]struct {
	width int
	read  func(jsonscan.Value) (string, error)
}{
	"ReadWei":                {128, reader(jsonread.Wei)},
	"ReadGasPrice":           {256, reader(jsonread.GasPrice)},
	"ReadMultiplier":         {128, reader(jsonread.Multiplier)},
	"ReadTokenAmount":        {256, reader(jsonread.TokenAmount)},
	"ReadAuthorizationNonce": {256, reader(jsonread.AuthorizationNonce)},
	"ReadGas":                {64, reader(jsonread.Gas)},
	"ReadNonce":              {64, reader(jsonread.Nonce)},
	"ReadUint64":             {64, reader(jsonread.Uint64)},
	"ReadWeight, a number": {64, func(v jsonscan.Value) (string, error) {
		w, err := jsonread.Weight(v)
		if w.ProofSize != 0 {
			return "", fmt.Errorf("proof size %d from nowhere", w.ProofSize)
		}
		return w.RefTime.String(), err
	}},
}

func reader[T any](read func(jsonscan.Value) (T, error)) func(jsonscan.Value) (string, error) {
	return func(v jsonscan.Value) (string, error) {
		n, err := read(v)
		return fmt.Sprint(n), err
	}
}

// parsers are the functions that read a number that a user wrote.
var parsers = map[string]struct {
	width int
	parse func(string) (string, error)
}{
	"ParseWei":         {128, parser(chain.ParseWei)},
	"ParseGasPrice":    {256, parser(chain.ParseGasPrice)},
	"ParseMultiplier":  {128, parser(chain.ParseMultiplier)},
	"ParseTokenAmount": {256, parser(chain.ParseTokenAmount)},
	"GasPrice.UnmarshalText": {256, func(text string) (string, error) {
		p := chain.NewGasPrice(7)
		err := p.UnmarshalText([]byte(text))
		return p.String(), err
	}},
	"Multiplier.UnmarshalText": {128, func(text string) (string, error) {
		m := chain.NewMultiplier(7)
		err := m.UnmarshalText([]byte(text))
		return m.String(), err
	}},
	"RefTime.UnmarshalText": {64, func(text string) (string, error) {
		r := chain.NewRefTime(7)
		err := r.UnmarshalText([]byte(text))
		return r.String(), err
	}},
}

func parser[T fmt.Stringer](parse func(string) (T, error)) func(string) (string, error) {
	return func(text string) (string, error) {
		n, err := parse(text)
		return n.String(), err
	}
}

// forms returns all ways in which a gateway may write n as a string.
func forms(n *big.Int) []string {
	digits, hex := n.String(), n.Text(16)
	return []string{
		digits,
		"0" + digits,
		strings.Repeat("0", 100-len(digits)) + digits,
		"0x" + hex,
		"0x" + strings.ToUpper(hex),
		"0x0" + hex,
		fmt.Sprintf("0x%0*s", max(64, len(hex)), hex),
		fmt.Sprintf("0x%0100s", hex),
	}
}

// limits are numbers from 0 to beyond the widest word, with the limits of each width.
func limits() []*big.Int {
	return append(edges(512), power(256, 1), power(257, 0), power(300, 0))
}

func TestNumberForms(t *testing.T) {
	for name, r := range readers {
		t.Run(name, func(t *testing.T) {
			for _, n := range limits() {
				texts := []string{n.String()} // the number itself
				for _, form := range forms(n) {
					texts = append(texts, `"`+form+`"`)
				}
				for _, text := range texts {
					have, err := r.read(blocktest.JSON(t, text))
					requireNumber(t, n, r.width, have, err, text)
				}
			}
		})
	}
	for name, p := range parsers {
		t.Run(name, func(t *testing.T) {
			for _, n := range limits() {
				for _, text := range forms(n) {
					have, err := p.parse(text)
					requireNumber(t, n, p.width, have, err, text)
				}
			}
		})
	}
}

func requireNumber(t *testing.T, want *big.Int, width int, have string, err error, text string) {
	t.Helper()
	if want.BitLen() > width {
		require.ErrorContains(t, err, "is more than", "%s has %d bits", text, want.BitLen())
		require.Equal(t, "0", have, "number beside an error: %s", text)
		return
	}
	require.NoError(t, err, text)
	require.Equal(t, want.String(), have, text)
}

// notNumbers are strings that are rejected, by reading and by parsing.
var notNumbers = map[string]string{
	"empty":                    "",
	"0x without digits":        "0x",
	"upper-case 0X":            "0X1",
	"hex without 0x":           "ff",
	"hex digits that are none": "0xfg",
	"hex with a later 0x":      "0x0x1",
	"hex with a sign":          "0x-1",
	"hex with an underscore":   "0x1_0",
	"x without 0":              "x1",
	"negative":                 "-1",
	"negative zero":            "-0",
	"negative hex":             "-0x1",
	"plus":                     "+1",
	"space before":             " 1",
	"space after":              "1 ",
	"space before hex":         " 0x1",
	"newline after":            "1\n",
	"NUL after":                "1\x00",
	"fraction":                 "1.0",
	"point":                    "1.",
	"exponent":                 "1e3",
	"thousands separators":     "1,000",
	"underscores":              "1_000",
	"octal by Go's rules":      "0o7",
	"binary by Go's rules":     "0b1",
	"before digit 0":           "/",
	"after digit 9":            ":",
	"other script's digits":    "١٢",
	"full-width digits":        "１",
	"words":                    "none",
	"null as a string":         "null",
	"letter after 19 digits":   "1234567890123456789x",
	"letter after 20 digits":   "12345678901234567890x",
	"letter after zeros":       strings.Repeat("0", 40) + "x",
	"letter after many bits":   strings.Repeat("9", 60) + "x",
	"letter after many hex":    "0x" + strings.Repeat("f", 60) + "x",
	"101 digits":               strings.Repeat("0", 100) + "1",
	"101 hex digits":           "0x" + strings.Repeat("0", 100) + "1",
	"thousands of digits":      strings.Repeat("1", 5000),
}

func TestNotNumbers(t *testing.T) {
	for name, text := range notNumbers {
		t.Run(name, func(t *testing.T) {
			for reader, r := range readers {
				have, err := r.read(quoted(t, text))
				requireRefused(t, have, err, reader)
			}
			for parser, p := range parsers {
				have, err := p.parse(text)
				requireRefused(t, have, err, parser)
			}
		})
	}
}

func requireRefused(t *testing.T, have string, err error, by string) {
	t.Helper()
	require.ErrorContains(t, err, "is not a non-negative integer", by)
	require.Less(t, len(err.Error()), 400, "%s quotes too much", by)
	require.Equal(t, "0", have, "%s returned a number beside its error", by)
}

// Numbers of more than 256 bits, at each place where they may be detected.
func TestBeyondTheWord(t *testing.T) {
	for name, text := range map[string]string{
		"in the last sum":        power(256, 0).String(),
		"in a product":           strings.Repeat("9", 78),
		"in an earlier product":  strings.Repeat("9", 97),
		"as many digits as can":  strings.Repeat("9", 100),
		"hex":                    "0x1" + strings.Repeat("0", 64),
		"hex, as many as can":    "0x" + strings.Repeat("f", 100),
		"hex, only the top bit":  "0x8" + strings.Repeat("0", 99),
		"hex, padded":            "0x00001" + strings.Repeat("0", 64),
		"hex, top digit too big": "0x10" + strings.Repeat("f", 63),
	} {
		t.Run(name, func(t *testing.T) {
			for parser, p := range parsers {
				have, err := p.parse(text)
				require.ErrorContains(t, err, "is more than", parser)
				require.Equal(t, "0", have, parser)
			}
		})
	}
}

func TestOtherValues(t *testing.T) {
	for name, test := range map[string]struct {
		text, message string
	}{
		"fraction":          {`1.0`, `"1.0" is not a non-negative integer`},
		"zero fraction":     {`0.0`, `"0.0" is not a non-negative integer`},
		"exponent":          {`1e3`, `"1e3" is not a non-negative integer`},
		"upper exponent":    {`1E+18`, `"1E+18" is not a non-negative integer`},
		"negative":          {`-1`, `"-1" is not a non-negative integer`},
		"minus zero":        {`-0`, `"-0" is not a non-negative integer`},
		"number of 101":     {strings.Repeat("1", 101), `is not a non-negative integer`},
		"true":              {`true`, "want a number, have a bool"},
		"false":             {`false`, "want a number, have a bool"},
		"array":             {`[]`, "want a number, have an array"},
		"array of a number": {`[1]`, "want a number, have an array"},
	} {
		t.Run(name, func(t *testing.T) {
			for reader, r := range readers {
				have, err := r.read(blocktest.JSON(t, test.text))
				require.ErrorContains(t, err, test.message, reader)
				require.NotErrorIs(t, err, chain.ErrMissing, reader)
				require.Equal(t, "0", have, reader)
			}
		})
	}
}

func TestObjectIsNoNumber(t *testing.T) {
	for name, r := range readers {
		if strings.HasPrefix(name, "ReadWeight") { // there it is a weight
			continue
		}
		have, err := r.read(blocktest.JSON(t, `{"value":1}`))
		require.EqualError(t, err, "want a number, have an object", name)
		require.Equal(t, "0", have, name)
	}
}

func TestMissingNumber(t *testing.T) {
	for name, v := range map[string]jsonscan.Value{
		"absent":        {},
		"null":          blocktest.JSON(t, `null`),
		"absent member": blocktest.JSON(t, `{"a":1}`).Member("b"),
		"null member":   blocktest.JSON(t, `{"a":null}`).Member("a"),
	} {
		t.Run(name, func(t *testing.T) {
			for reader, r := range readers {
				have, err := r.read(v)
				require.ErrorIs(t, err, chain.ErrMissing, reader)
				require.Equal(t, "0", have, reader)
			}
		})
	}
}

// Escapes do not change the content of a string.
func TestEscapedNumber(t *testing.T) {
	w, err := jsonread.Wei(blocktest.JSON(t, `"\u0030x\u0066F"`))
	require.NoError(t, err)
	require.Equal(t, chain.NewWei(255), w)
}

func TestNumberErrorsNameTheWidth(t *testing.T) {
	_, err := jsonread.Uint64(blocktest.JSON(t, `18446744073709551616`))
	require.EqualError(t, err, "18446744073709551616 is more than 64 bits")
	_, err = chain.ParseWei("0x1" + strings.Repeat("0", 32))
	require.EqualError(t, err, "0x100000000000000000000000000000000 is more than 128 bits")
	_, err = chain.ParseGasPrice("0x1" + strings.Repeat("0", 64))
	require.EqualError(t, err, "0x1"+strings.Repeat("0", 64)+" is more than 256 bits")
}
