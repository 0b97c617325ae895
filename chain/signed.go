package chain

import "strings"

// SignedWei is a difference between two amounts of wei: what a balance changed
// by, or how far a charge is from its rule. Zero has no sign.
type SignedWei struct {
	negative bool
	size     Wei
}

// Difference is w - x, which always fits: neither is negative.
func (w Wei) Difference(x Wei) SignedWei {
	var d SignedWei
	if d.negative = w.Cmp(x) < 0; d.negative {
		w, x = x, w
	}
	d.size.n.Sub(&w.n, &x.n)
	return d
}

// Signed is the amount as a difference from 0.
func (w Wei) Signed() SignedWei { return SignedWei{size: w} }

// Negated is the amount with the other sign.
func (s SignedWei) Negated() SignedWei { return SignedWei{!s.negative && !s.size.IsZero(), s.size} }

// Add is s + x, or ErrOverflow where that is more than 128 bits beside the sign.
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

// Sign is -1, 0 or +1.
func (s SignedWei) Sign() int {
	switch {
	case s.size.IsZero():
		return 0
	case s.negative:
		return -1
	}
	return 1
}

// Size is the amount without its sign.
func (s SignedWei) Size() Wei { return s.size }

// String is the amount as a decimal integer, with a minus where it is negative.
func (s SignedWei) String() string {
	if s.negative {
		return "-" + s.size.String()
	}
	return s.size.String()
}

// MarshalText writes the amount as [SignedWei.String] does.
func (s SignedWei) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseSignedWei reads an amount of wei as ParseWei does, with a minus where it is
// negative.
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
