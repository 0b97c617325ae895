package jsonscan_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

// Sized and Decimal read what Text reads, or nothing.

func TestDecimal(t *testing.T) {
	for inside, want := range map[string]string{
		"0": "0", "007": "7", "9999999999999999999": "9999999999999999999", "18446744073709551615": "", "": "",
		"12a": "", "-1": "", "1.5": "", "0x10": "", " 1": "", `\u0031`: "",
	} {
		for _, before := range []string{"", " ", "\n\t"} {
			text := before + `"` + inside + `"`
			var n uint64
			var ok bool
			var rest string
			err := jsonscan.Scan("["+text+`,"rest"]`, func(s *jsonscan.Scanner) {
				s.Array()
				s.Element()
				if n, ok = s.Decimal(); !ok {
					s.Skip()
				}
				s.Element()
				rest = s.Text()
				s.Element()
			})
			if want == "" {
				require.False(t, ok, text)
				continue
			}
			require.NoError(t, err, text)
			require.True(t, ok, text)
			require.Equal(t, want, strconv.FormatUint(n, 10))
			require.Equal(t, "rest", rest)
		}
	}
	for _, text := range []string{``, `"`, `"1`, `"1234567890123456789`, `1`, `[]`, `null`} {
		_ = jsonscan.Scan(text, func(s *jsonscan.Scanner) {
			_, ok := s.Decimal()
			require.False(t, ok, text)
			s.Skip()
		})
	}
}

// Each number of digits is read exactly, and any other byte among them is found.
func TestDecimalDigits(t *testing.T) {
	decimal := func(inside string) (n uint64, ok bool) {
		_ = jsonscan.Scan(`["`+inside+`","the rest"]`, func(s *jsonscan.Scanner) {
			s.Array()
			s.Element()
			n, ok = s.Decimal()
		})
		return n, ok
	}
	const digits = "9876543210987654321098765"
	for length := 1; length <= len(digits); length++ {
		inside := digits[:length]
		want, err := strconv.ParseUint(inside, 10, 64)
		have, ok := decimal(inside)
		require.Equal(t, err == nil && length <= 19, ok, inside)
		if ok {
			require.Equal(t, want, have)
		}
		for at := range inside {
			for c := range 256 {
				changed := []byte(inside)
				changed[at] = byte(c)
				if c == '"' || '0' <= c && c <= '9' {
					continue
				}
				_, ok := decimal(string(changed))
				require.False(t, ok, "%q", changed)
			}
		}
	}
}

func TestSized(t *testing.T) {
	for length := range longest {
		content := strings.Repeat("a", length)
		for _, size := range []int{0, length - 1, length, length + 1} {
			if size < 0 {
				continue
			}
			var text, after string
			var ok bool
			err := jsonscan.Scan(`[ "`+content+`" ,"next"]`, func(s *jsonscan.Scanner) {
				s.Array()
				s.Element()
				text, ok = s.Sized(size)
				if ok = ok && text == content; ok {
					s.Pass(text)
				} else {
					s.Skip()
				}
				s.Element()
				after = s.Text()
				s.Element()
			})
			require.NoError(t, err)
			require.Equal(t, size == length, ok, "%d of %d", size, length)
			require.Equal(t, "next", after)
		}
	}
	for _, text := range []string{``, `"`, `"a`, `a"`, `1`} {
		_ = jsonscan.Scan(text, func(s *jsonscan.Scanner) {
			_, ok := s.Sized(1)
			require.False(t, ok, text)
			s.Skip()
		})
	}
}
