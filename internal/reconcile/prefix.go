package reconcile

import "strings"

// prefixes are the SI prefixes that people and programs write before the token's symbol: 2.1 mGLMR is 0.0021 GLMR. They
// are units like any other, read exactly. A token that is really called so, such as a share of a lending market, pays no
// fees.
var prefixes = []struct {
	Unit
	power   int
	letters []string // in this case: m is not M
}{
	{"pico", -12, []string{"p"}}, {"nano", -9, []string{"n"}}, {"micro", -6, []string{"u", "\u00b5", "\u03bc"}}, {"milli", -3, []string{"m"}},
	{"kilo", 3, []string{"k", "K"}}, {"mega", 6, []string{"M"}},
}

// prefixed returns the unit of a name with a prefix: mGLMR, m GLMR, milli GLMR, or milli alone. It is "" for other names.
func prefixed(name, symbol string) Unit {
	if name == "" || symbol == "" || isKnownAsset(name) { // most amounts state no unit
		return ""
	}
	for _, p := range prefixes {
		word := string(p.Unit)
		if strings.EqualFold(name, word) {
			return p.Unit
		}
		for _, before := range append([]string{word}, p.letters...) {
			cut := min(len(before), len(name))
			same := name[:cut] == before || before == word && strings.EqualFold(name[:cut], word)
			if same && strings.EqualFold(strings.TrimLeft(name[cut:], " \u00a0\u202f"), symbol) {
				return p.Unit
			}
		}
	}
	return ""
}

// power returns the power of ten of a unit with a prefix; false for other units.
func (u Unit) power() (power int, is bool) {
	for _, p := range prefixes {
		if p.Unit == u {
			return p.power, true
		}
	}
	return 0, false
}

// isToken reports whether a unit is the token, with or without a prefix.
func (u Unit) isToken() bool {
	_, is := u.power()
	return is || u == Token
}
