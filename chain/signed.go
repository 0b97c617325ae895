package chain

import "strings"

// SignedWei is a difference between two amounts of wei: a change of a balance, or the deviation of a charge
// from its rule. Zero has no sign.
type SignedWei struct {
	negative bool
	size     Wei
}

// Difference returns w - x, which always fits: neither is negative.
func (w Wei) Difference(x Wei) SignedWei {
	var d SignedWei
	if d.negative = w.Cmp(x) < 0; d.negative {
		w, x = x, w
	}
	d.size.n.Sub(&w.n, &x.n)
	return d
}

// Signed returns the amount as a difference from 0.
func (w Wei) Signed() SignedWei { return SignedWei{size: w} }

// Negated returns the amount with the other sign.
func (s SignedWei) Negated() SignedWei { return SignedWei{!s.negative && !s.size.IsZero(), s.size} }

// Add returns s + x, or ErrOverflow if the result needs more than 128 bits besides the sign.
func (s SignedWei) Add(x SignedWei) (SignedWei, error) {
	if s.negative != x.negative {
		if s.negative {
			s, x = x, s
		}
		return s.size.Difference(x.size), nil
	}
	size, err := s.size.Add(x.size)
	if err != nil {
		return SignedWei{}, err
	}
	return SignedWei{s.negative, size}, nil
}

// Sign returns -1, 0 or +1.
func (s SignedWei) Sign() int {
	switch {
	case s.size.IsZero():
		return 0
	case s.negative:
		return -1
	}
	return 1
}

// Size returns the amount without its sign.
func (s SignedWei) Size() Wei { return s.size }

// String returns the amount as a decimal integer, with a minus sign if negative.
func (s SignedWei) String() string {
	if s.negative {
		return "-" + s.size.String()
	}
	return s.size.String()
}

// MarshalText encodes the amount as [SignedWei.String] does.
func (s SignedWei) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses the amount as [ParseSignedWei] does.
func (s *SignedWei) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSignedWei(string(text))
	return err
}

// ParseSignedWei parses an amount in wei as ParseWei does, with a minus sign if negative.
func ParseSignedWei(text string) (SignedWei, error) {
	digits, negative := strings.CutPrefix(text, "-")
	size, err := ParseWei(digits)
	if err != nil {
		return SignedWei{}, err
	}
	if negative {
		return size.Signed().Negated(), nil
	}
	return size.Signed(), nil
}
