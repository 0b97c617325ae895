package chain_test

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/blocktest"
)

var (
	decimalForm = regexp.MustCompile(`^[0-9]{1,100}$`)
	hexForm     = regexp.MustCompile(`^0x([0-9a-fA-F]{1,100})$`)
	plainText   = regexp.MustCompile(`^[ !#-\[\]-~]*$`)
)

// number returns math/big's result, or nil if the text is not a number.
func number(text string) *big.Int {
	digits, base := text, 10
	if hex := hexForm.FindStringSubmatch(text); hex != nil {
		digits, base = hex[1], 16
	} else if !decimalForm.MatchString(text) {
		return nil
	}
	n, ok := new(big.Int).SetString(digits, base)
	if !ok {
		panic("math/big cannot read " + text)
	}
	return n
}

// FuzzNumber parses a text at each width, from a user, as a JSON string and as a JSON number, and compares
// with math/big. The seeds are in testdata.
func FuzzNumber(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		want := number(text)
		for name, p := range parsers {
			have, err := p.parse(text)
			requireNumberOrError(t, want, p.width, have, err, name, text)
		}
		for name, r := range readers {
			if plainText.MatchString(text) { // a JSON string that needs no escapes
				have, err := r.read(blocktest.JSON(t, `"`+text+`"`))
				requireNumberOrError(t, want, r.width, have, err, name, text)
			}
			if want != nil {
				have, err := r.read(blocktest.JSON(t, want.String()))
				requireNumberOrError(t, number(want.String()), r.width, have, err, name, want.String())
			}
		}
	})
}

func requireNumberOrError(t *testing.T, want *big.Int, width int, have string, err error, by, text string) {
	t.Helper()
	if want == nil || want.BitLen() > width {
		require.Error(t, err, "%s accepted %q", by, text)
		require.Equal(t, "0", have, "%s returned a number beside its error for %q", by, text)
		return
	}
	require.NoError(t, err, "%s refused %q", by, text)
	require.Equal(t, want.String(), have, "%s of %q", by, text)
}

// FuzzAddress: an address survives a round trip, and all forms have one length. Mixed case is accepted only
// with a valid checksum.
func FuzzAddress(f *testing.F) {
	form := regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)
	f.Fuzz(func(t *testing.T, text string) {
		a, err := chain.ParseAddress(text)
		taken := form.MatchString(text)
		if digits := strings.TrimPrefix(text, "0x"); taken && digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) {
			a, err := chain.ParseAddress(strings.ToLower(text))
			require.NoError(t, err)
			taken = a.String() == text
		}
		require.Equal(t, taken, err == nil, "%q", text)
		if err != nil {
			require.Equal(t, chain.Address{}, a)
			require.True(t, utf8.ValidString(err.Error()), "message for %s", strconv.Quote(text))
			return
		}
		require.Regexp(t, form, a.String())
		again, err := chain.ParseAddress(a.String())
		require.NoError(t, err)
		require.Equal(t, a, again)
	})
}
