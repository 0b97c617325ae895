package chain_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/test/blocktest"
)

// addresses are the test vectors of EIP-55.
var addresses = map[string]string{
	"all upper case, first":  "0x52908400098527886E0F7030069857D2E4169EE7",
	"all upper case, second": "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
	"all lower case, first":  "0xde709f2102306220921060314715629080e2fb77",
	"all lower case, second": "0x27b1fdb04752bbc536007a920d24acb045561c26",
	"mixed, first":           "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
	"mixed, second":          "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
	"mixed, third":           "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
	"mixed, fourth":          "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
	"zero":                   "0x0000000000000000000000000000000000000000",
}

func TestAddress(t *testing.T) {
	for name, want := range addresses {
		t.Run(name, func(t *testing.T) {
			for _, text := range inAnyCase(want) {
				read, err := jsonread.Address(quoted(t, text))
				require.NoError(t, err, text)
				require.Equal(t, want, read.String(), "from %s", text)

				inJSON, err := json.Marshal(read)
				require.NoError(t, err)
				require.Equal(t, `"`+want+`"`, string(inJSON))
			}
		})
	}
}

// A user's address is accepted in one case, or with a valid checksum. The checksum detects one wrong digit,
// and one letter in the wrong case.
func TestAddressOfAPerson(t *testing.T) {
	for name, want := range addresses {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{want, strings.ToLower(want), "0x" + strings.ToUpper(want[2:])} {
				a, err := chain.ParseAddress(text)
				require.NoError(t, err, text)
				require.Equal(t, want, a.String())
			}
			if !strings.HasPrefix(name, "mixed") {
				return
			}
			for i := 2; i < len(want); i++ {
				if want[i] <= '9' {
					continue
				}
				text := want[:i] + string(want[i]^0x20) + want[i+1:]
				a, err := chain.ParseAddress(text)
				require.EqualError(t, err, `"`+text+`" has an invalid EIP-55 checksum. If every digit is correct, write `+want)
				require.Zero(t, a)
			}
		})
	}
	_, err := chain.ParseAddress("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee") // its last digit was a d
	require.ErrorContains(t, err, `"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee" has an invalid EIP-55 checksum`)
}

func TestAddressBytes(t *testing.T) {
	a, err := chain.ParseAddress("0x00010203040506070809a0b1c2d3e4f5ff6a7b8c")
	require.NoError(t, err)
	require.Equal(t, chain.Address20([20]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xa0, 0xb1, 0xc2, 0xd3, 0xe4, 0xf5, 0xff, 0x6a, 0x7b, 0x8c}), a)
}

const someHash = "0x00112233445566778899aabbccddeeff0123456789abcdeffedcba9876543210"

func TestHash(t *testing.T) {
	for _, text := range inAnyCase(someHash) {
		parsed, err := chain.ParseHash(text)
		require.NoError(t, err, text)
		require.Equal(t, someHash, parsed.String(), "from %s", text)
		require.EqualValues(t, 0x11, parsed[1])
		require.EqualValues(t, 0x10, parsed[31])

		read, err := jsonread.Hash(quoted(t, text))
		require.NoError(t, err, text)
		require.Equal(t, parsed, read)

		inJSON, err := json.Marshal(read)
		require.NoError(t, err)
		require.Equal(t, `"`+someHash+`"`, string(inJSON))
		var again chain.Hash
		require.NoError(t, json.Unmarshal([]byte(`"`+text+`"`), &again))
		require.Equal(t, read, again)
		require.Error(t, json.Unmarshal([]byte(`"`+text[:65]+`"`), &again))
	}
}

// inAnyCase writes the hex digits unchanged, lower, upper and with swapped case.
func inAnyCase(text string) []string {
	digits := text[2:]
	swapped := []byte(digits)
	for i, c := range swapped {
		if c > '9' {
			swapped[i] = c ^ 0x20
		}
	}
	return []string{text, "0x" + strings.ToLower(digits), "0x" + strings.ToUpper(digits), "0x" + string(swapped)}
}

func TestMalformedHex(t *testing.T) {
	for kind, test := range map[string]struct {
		digits  int
		parse   func(string) (any, error)
		read    func(jsonscan.Value) (any, error)
		zero    any
		message string
	}{
		"address": {
			40,
			func(text string) (any, error) { return chain.ParseAddress(text) },
			func(v jsonscan.Value) (any, error) { return jsonread.Address(v) },
			chain.Address{},
			"is not an address: want 0x and 40 hex digits",
		},
		"hash": {
			64,
			func(text string) (any, error) { return chain.ParseHash(text) },
			func(v jsonscan.Value) (any, error) { return jsonread.Hash(v) },
			chain.Hash{},
			"is not a hash: want 0x and 64 hex digits",
		},
	} {
		digits := strings.Repeat("a", test.digits)
		for name, text := range map[string]string{
			"empty":              "",
			"0x only":            "0x",
			"without 0x":         digits,
			"without 0":          "xx" + digits,
			"upper-case 0X":      "0X" + digits,
			"one digit less":     "0x" + digits[1:],
			"one digit more":     "0x" + digits + "a",
			"one byte less":      "0x" + digits[2:],
			"one byte more":      "0x" + digits + "aa",
			"bad first digit":    "0xg" + digits[1:],
			"bad last digit":     "0x" + digits[1:] + "g",
			"bad high digit":     "0x" + digits[2:] + "/0",
			"bad low digit":      "0x" + digits[2:] + "0:",
			"space before":       " 0x" + digits[1:],
			"space after":        "0x" + digits[1:] + " ",
			"two-byte character": "0x" + digits[2:] + "é",
			"very long":          "0x" + strings.Repeat(digits, 50),
		} {
			t.Run(kind+", "+name, func(t *testing.T) {
				have, err := test.parse(text)
				require.ErrorContains(t, err, test.message)
				require.Less(t, len(err.Error()), 200, "the message quotes too much")
				require.Equal(t, test.zero, have, "something beside an error")

				have, err = test.read(quoted(t, text))
				require.ErrorContains(t, err, test.message)
				require.Equal(t, test.zero, have, "something beside an error")
			})
		}
		for name, text := range map[string]string{"number": `1`, "bool": `true`, "array": `["0x"]`, "object": `{"id":"0x"}`} {
			t.Run(kind+" from "+name, func(t *testing.T) {
				have, err := test.read(blocktest.JSON(t, text))
				require.ErrorContains(t, err, "want a")
				require.ErrorContains(t, err, "have "+blocktest.JSON(t, text).Kind().String())
				require.NotErrorIs(t, err, chain.ErrMissing)
				require.Equal(t, test.zero, have)
			})
		}
		for name, v := range map[string]jsonscan.Value{"absent": {}, "null": blocktest.JSON(t, `null`)} {
			t.Run(kind+" "+name, func(t *testing.T) {
				have, err := test.read(v)
				require.ErrorIs(t, err, chain.ErrMissing)
				require.Equal(t, test.zero, have)
			})
		}
	}
}

// Each byte is a hex digit or none, at each place.
func TestEveryByteAsAHexDigit(t *testing.T) {
	for c := range 256 {
		for i := range 64 {
			digits := []byte(strings.Repeat("0", 64))
			digits[i] = byte(c)
			h, err := chain.ParseHash("0x" + string(digits))
			value := strings.IndexByte("0123456789abcdef", byte(c))
			if value < 0 {
				value = strings.IndexByte("0123456789ABCDEF", byte(c))
			}
			require.Equal(t, value >= 0, err == nil, "%q at %d", byte(c), i)
			want := chain.Hash{}
			if value >= 0 {
				want[i/2] = byte(value) << (4 * (1 - i%2))
			}
			require.Equal(t, want, h, "%q at %d", byte(c), i)
		}
	}
}
