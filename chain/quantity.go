package chain

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/holiman/uint256"

	"github.com/feeledger/fees/internal/failure"
)

// ErrOverflow means that a result does not fit the width that the chain gives the quantity.
var ErrOverflow = failure.New(failure.Unanswered, "overflow")

// Widths in bits: balances and multipliers are u128 in the runtime, EVM prices
// and token amounts are 256-bit words, gas and weights are u64.
const (
	balanceBits = 128
	wordBits    = 256
	counterBits = 64
)

// quantity is the common representation of all quantities.
type quantity struct{ n uint256.Int }

// as converts q to the quantity type Q.
func as[Q ~struct{ quantity }](q quantity, err error) (Q, error) { return Q{q}, err }

// String returns the quantity as a decimal integer.
func (q quantity) String() string { return q.n.Dec() }

// MarshalText encodes the quantity as a decimal integer.
func (q quantity) MarshalText() ([]byte, error) { return []byte(q.n.Dec()), nil }

// IsZero reports whether the quantity is 0.
func (q quantity) IsZero() bool { return q.n.IsZero() }

// Word returns the quantity as an EVM word, most significant byte first.
func (q quantity) Word() [32]byte { return q.n.Bytes32() }

// Big returns the quantity as a new math/big integer.
func (q quantity) Big() *big.Int { return q.n.ToBig() }

// Wei is an amount of the network's token in its smallest unit: 10^-18 of the token. It is a balance of the
// runtime, at most 2^128-1.
type Wei struct{ quantity }

// NewWei returns n wei.
func NewWei(n uint64) Wei { return Wei{word(n)} }

// ParseWei parses an amount in wei: decimal digits, or hex digits after 0x.
func ParseWei(text string) (Wei, error) { return as[Wei](parseQuantity(text, balanceBits)) }

// WeiOf returns the amount in an EVM word, or ErrOverflow.
func WeiOf(word [32]byte) (Wei, error) { return as[Wei](ofWord(word).fit(balanceBits)) }

// Add returns w + x, or ErrOverflow.
func (w Wei) Add(x Wei) (Wei, error) { return as[Wei](w.plus(x.quantity, balanceBits)) }

// Sub returns w - x, or ErrOverflow if x is more than w.
func (w Wei) Sub(x Wei) (Wei, error) { return as[Wei](w.minus(x.quantity)) }

// Times returns w × n, or ErrOverflow.
func (w Wei) Times(n uint64) (Wei, error) {
	return as[Wei](w.mulDivFloor(word(n), word(1), balanceBits))
}

// DivFloor returns floor(w / n), or w if n is 0.
func (w Wei) DivFloor(n uint64) Wei {
	if n == 0 {
		return w
	}
	q, _ := w.mulDivFloor(word(1), word(n), balanceBits) // not more than w
	return Wei{q}
}

// Cmp returns -1, 0 or +1 as w is less than, equal to or more than x.
func (w Wei) Cmp(x Wei) int { return w.n.Cmp(&x.n) }

// PricePer returns the price of one unit of gas if all of it cost w, rounded down. Exact reports whether the
// division left no remainder; it is false if gas is 0.
func (w Wei) PricePer(gas Gas) (price GasPrice, exact bool) {
	if gas.n == 0 {
		return GasPrice{}, false
	}
	var rest GasPrice
	divisor := word(gas.n)
	price.n.DivMod(&w.n, &divisor.n, &rest.n)
	return price, rest.IsZero()
}

// UnmarshalText parses the amount as [ParseWei] does.
func (w *Wei) UnmarshalText(text []byte) (err error) {
	*w, err = ParseWei(string(text))
	return err
}

// Perbill is a share in parts per billion, from 0 to 1.
type Perbill struct{ n uint32 }

const wholeInPerbill = 1_000_000_000

// NewPerbill returns a share of n parts per billion. It returns an error if n exceeds one billion.
func NewPerbill(n uint64) (Perbill, error) {
	if n > wholeInPerbill {
		return Perbill{}, fmt.Errorf("%d parts per billion exceed the whole", n)
	}
	return Perbill{uint32(n)}, nil
}

// Rest returns 1 - p.
func (p Perbill) Rest() Perbill { return Perbill{wholeInPerbill - p.n} }

// Of returns floor(w × p / 10^9), which always fits.
func (p Perbill) Of(w Wei) Wei {
	q, _ := w.mulDivFloor(word(uint64(p.n)), word(wholeInPerbill), balanceBits) // at most w
	return Wei{q}
}

// String returns the number of parts per billion.
func (p Perbill) String() string { return strconv.FormatUint(uint64(p.n), 10) }

// MarshalText encodes the number of parts per billion.
func (p Perbill) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText parses decimal digits, or hex digits after 0x.
func (p *Perbill) UnmarshalText(text []byte) error {
	n, err := ParseUint64(string(text))
	if err != nil {
		return err
	}
	*p, err = NewPerbill(n)
	return err
}

// GasPrice is a price in wei for one unit of gas, a 256-bit word.
type GasPrice struct{ quantity }

// NewGasPrice returns a price of n wei per gas.
func NewGasPrice(n uint64) GasPrice { return GasPrice{word(n)} }

// ParseGasPrice parses a price in wei per gas: decimal digits, or hex digits after 0x.
func ParseGasPrice(text string) (GasPrice, error) { return as[GasPrice](parseQuantity(text, wordBits)) }

// GasPriceOf returns the price in an EVM word.
func GasPriceOf(word [32]byte) GasPrice { return GasPrice{ofWord(word)} }

// UnmarshalText parses the price as [ParseGasPrice] does.
func (p *GasPrice) UnmarshalText(text []byte) (err error) {
	*p, err = ParseGasPrice(string(text))
	return err
}

// Add returns p + x, or ErrOverflow.
func (p GasPrice) Add(x GasPrice) (GasPrice, error) {
	return as[GasPrice](p.plus(x.quantity, wordBits))
}

// Sub returns p - x, or ErrOverflow if x is more than p.
func (p GasPrice) Sub(x GasPrice) (GasPrice, error) { return as[GasPrice](p.minus(x.quantity)) }

// Cmp returns -1, 0 or +1 as p is less than, equal to or more than x.
func (p GasPrice) Cmp(x GasPrice) int { return p.n.Cmp(&x.n) }

// Times returns the price of gas units of gas: p × gas, or ErrOverflow if it exceeds a balance.
func (p GasPrice) Times(gas Gas) (Wei, error) { return p.MulDivFloor(gas.n, 1) }

// Scale returns p × n, or ErrOverflow.
func (p GasPrice) Scale(n uint64) (GasPrice, error) {
	return as[GasPrice](p.mulDivFloor(word(n), word(1), wordBits))
}

// MulDivFloor returns floor(p × factor / divisor), computed with the full-width product. It returns
// ErrOverflow if the result exceeds a balance or the divisor is 0.
func (p GasPrice) MulDivFloor(factor, divisor uint64) (Wei, error) {
	return as[Wei](p.mulDivFloor(word(factor), word(divisor), balanceBits))
}

// Multiplier is a fee multiplier as the chain stores it: a FixedU128, an integer of at most 128 bits in units
// of 10^-18.
type Multiplier struct{ quantity }

// multiplierScale is the stored integer of multiplier 1.
const multiplierScale = 1_000_000_000_000_000_000

// NewMultiplier returns the multiplier whose stored integer is n: 10^18 for 1.
func NewMultiplier(n uint64) Multiplier { return Multiplier{word(n)} }

// ParseMultiplier parses a multiplier's stored integer: decimal digits, or hex digits after 0x.
func ParseMultiplier(text string) (Multiplier, error) {
	return as[Multiplier](parseQuantity(text, balanceBits))
}

// MultiplierOf returns the multiplier whose stored integer is an EVM word, or ErrOverflow.
func MultiplierOf(word [32]byte) (Multiplier, error) {
	return as[Multiplier](ofWord(word).fit(balanceBits))
}

// UnmarshalText parses the multiplier as [ParseMultiplier] does.
func (m *Multiplier) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMultiplier(string(text))
	return err
}

// Of returns floor(m × price / 10^18), where m is the stored integer: the division that FixedU128 implies
// happens once and rounds down.
func (m Multiplier) Of(price GasPrice) (GasPrice, error) {
	return as[GasPrice](m.mulDivFloor(price.quantity, word(multiplierScale), wordBits))
}

// Nearest returns m × price / 10^18, rounded to the nearest integer and half down: the product of a Perquintill.
func (m Multiplier) Nearest(price GasPrice) (GasPrice, error) {
	q, err := m.mulDivFloor(price.quantity, word(multiplierScale), wordBits)
	if err != nil {
		return GasPrice{}, err
	}
	scale := word(multiplierScale)
	var rest quantity
	rest.n.MulMod(&m.n, &price.n, &scale.n)
	if rest.n.GtUint64(multiplierScale / 2) {
		return GasPrice{q}.Add(NewGasPrice(1))
	}
	return GasPrice{q}, nil
}

// Least returns the lowest price that [Multiplier.Of] raises to at least the given price: ceil(price × 10^18 /
// m). It returns ErrOverflow if no price does.
func (m Multiplier) Least(price GasPrice) (GasPrice, error) {
	q, err := price.mulDivFloor(word(multiplierScale), m.quantity, wordBits)
	if err != nil {
		return GasPrice{}, err
	}
	least := GasPrice{q}
	if made, err := m.Of(least); err != nil || made.Cmp(price) < 0 {
		return least.Add(NewGasPrice(1))
	}
	return least, nil
}

// HighestMultiplier returns the highest multiplier for which [Multiplier.Of] returns at most price for from:
// ceil((price + 1) × 10^18 / from) - 1. It returns ErrOverflow if every multiplier qualifies, and if price is
// the highest possible one.
func HighestMultiplier(price, from GasPrice) (Multiplier, error) {
	above, err := price.Add(NewGasPrice(1))
	if err != nil {
		return Multiplier{}, err
	}
	q, err := above.mulDivFloor(word(multiplierScale), from.quantity, wordBits)
	if err != nil {
		return Multiplier{}, err
	}
	if made, _ := (Multiplier{q}).Of(from); made.Cmp(price) > 0 { // at most price + 1
		q, _ = q.minus(word(1))
	}
	q, err = q.fit(balanceBits)
	return Multiplier{q}, err
}

// OfWei returns floor(m × w / 10^18), rounded down once.
func (m Multiplier) OfWei(w Wei) (Wei, error) {
	return as[Wei](m.mulDivFloor(w.quantity, word(multiplierScale), balanceBits))
}

// Ratio returns floor(n × 10^18 / divisor): the multiplier n / divisor. It returns ErrOverflow if the divisor
// is 0.
func Ratio(n, divisor uint64) (Multiplier, error) {
	return as[Multiplier](word(n).mulDivFloor(word(multiplierScale), word(divisor), balanceBits))
}

// Add returns m + x, or ErrOverflow.
func (m Multiplier) Add(x Multiplier) (Multiplier, error) {
	return as[Multiplier](m.plus(x.quantity, balanceBits))
}

// Sub returns m - x, or ErrOverflow if x is more than m.
func (m Multiplier) Sub(x Multiplier) (Multiplier, error) { return as[Multiplier](m.minus(x.quantity)) }

// Mul returns floor(m × x / 10^18), computed on the stored integers.
func (m Multiplier) Mul(x Multiplier) (Multiplier, error) {
	return as[Multiplier](m.mulDivFloor(x.quantity, word(multiplierScale), balanceBits))
}

// Div returns floor(m × 10^18 / x), computed on the stored integers. It returns ErrOverflow if x is 0.
func (m Multiplier) Div(x Multiplier) (Multiplier, error) {
	return as[Multiplier](m.mulDivFloor(word(multiplierScale), x.quantity, balanceBits))
}

// Cmp returns -1, 0 or +1 as m is less than, equal to or more than x.
func (m Multiplier) Cmp(x Multiplier) int { return m.n.Cmp(&x.n) }

// TokenAmount is an amount of an ERC-20 token in that token's smallest unit, a 256-bit word. It is unrelated
// to wei.
type TokenAmount struct{ quantity }

// ParseTokenAmount parses an amount: decimal digits, or hex digits after 0x.
func ParseTokenAmount(text string) (TokenAmount, error) {
	return as[TokenAmount](parseQuantity(text, wordBits))
}

// UnmarshalText parses the amount as [ParseTokenAmount] does.
func (a *TokenAmount) UnmarshalText(text []byte) (err error) {
	*a, err = ParseTokenAmount(string(text))
	return err
}

// Add returns a + x, or ErrOverflow.
func (a TokenAmount) Add(x TokenAmount) (TokenAmount, error) {
	return as[TokenAmount](a.plus(x.quantity, wordBits))
}

// TokenAmountOf returns the amount in an EVM word.
func TokenAmountOf(word [32]byte) TokenAmount { return TokenAmount{ofWord(word)} }

// Gas is an amount of EVM gas, a u64.
type Gas struct{ n uint64 }

// NewGas returns n units of gas.
func NewGas(n uint64) Gas { return Gas{n} }

// Uint64 returns the amount as an integer.
func (g Gas) Uint64() uint64 { return g.n }

// String returns the amount as a decimal integer.
func (g Gas) String() string { return strconv.FormatUint(g.n, 10) }

// MarshalText encodes the amount as a decimal integer.
func (g Gas) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText parses decimal digits, or hex digits after 0x.
func (g *Gas) UnmarshalText(text []byte) (err error) {
	g.n, err = ParseUint64(string(text))
	return err
}

// Nonce counts an account's transactions. It is a u32 on the native layer and a word in the EVM, of which no
// account can use more than 64 bits.
type Nonce struct{ n uint64 }

// NewNonce returns the nonce n.
func NewNonce(n uint64) Nonce { return Nonce{n} }

// Uint64 returns the nonce as an integer.
func (n Nonce) Uint64() uint64 { return n.n }

// String returns the nonce as a decimal integer.
func (n Nonce) String() string { return strconv.FormatUint(n.n, 10) }

// MarshalText encodes the nonce as a decimal integer.
func (n Nonce) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText parses decimal digits, or hex digits after 0x.
func (n *Nonce) UnmarshalText(text []byte) (err error) {
	n.n, err = ParseUint64(string(text))
	return err
}

// AuthorizationNonce is the nonce in an authorization (EIP-7702), a 256-bit word: a runtime skips an
// authorization whose nonce no account can have, but accepts the transaction.
type AuthorizationNonce struct{ quantity }

// UnmarshalText parses decimal digits, or hex digits after 0x.
func (n *AuthorizationNonce) UnmarshalText(text []byte) (err error) {
	*n, err = as[AuthorizationNonce](parseQuantity(string(text), wordBits))
	return err
}

// AuthorizationNonceOf returns the nonce in an EVM word.
func AuthorizationNonceOf(word [32]byte) AuthorizationNonce {
	return AuthorizationNonce{ofWord(word)}
}

// RefTime is the computation part of a weight, a u64 in picoseconds of reference hardware.
type RefTime struct{ n uint64 }

// NewRefTime returns n picoseconds.
func NewRefTime(n uint64) RefTime { return RefTime{n} }

// Add returns r + x, or ErrOverflow.
func (r RefTime) Add(x RefTime) (RefTime, error) {
	sum, carry := bits.Add64(r.n, x.n, 0)
	if carry != 0 {
		return RefTime{}, ErrOverflow
	}
	return RefTime{sum}, nil
}

// Sub returns r - x, or ErrOverflow if x is more than r.
func (r RefTime) Sub(x RefTime) (RefTime, error) {
	if x.n > r.n {
		return RefTime{}, ErrOverflow
	}
	return RefTime{r.n - x.n}, nil
}

// Uint64 returns the time as an integer.
func (r RefTime) Uint64() uint64 { return r.n }

// IsZero reports whether the time is 0.
func (r RefTime) IsZero() bool { return r.n == 0 }

// String returns the time as a decimal integer.
func (r RefTime) String() string { return strconv.FormatUint(r.n, 10) }

// MarshalText encodes the time as a decimal integer.
func (r RefTime) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText parses decimal digits, or hex digits after 0x.
func (r *RefTime) UnmarshalText(text []byte) error {
	n, err := ParseUint64(string(text))
	r.n = n
	return err
}

// Weight is the weight of an extrinsic. ProofSize, in bytes, is 0 in runtimes whose weight was a single
// number.
type Weight struct {
	RefTime   RefTime
	ProofSize uint64
}

// ofWord returns the number in an EVM word, most significant byte first.
func ofWord(word [32]byte) (q quantity) {
	q.n.SetBytes32(word[:])
	return q
}

func word(n uint64) quantity { return quantity{*uint256.NewInt(n)} }

// fit returns q if it has at most width bits.
func (q quantity) fit(width int) (quantity, error) {
	if q.n.BitLen() > width {
		return quantity{}, ErrOverflow
	}
	return q, nil
}

func (q quantity) plus(x quantity, width int) (quantity, error) {
	var sum quantity
	if _, over := sum.n.AddOverflow(&q.n, &x.n); over {
		return quantity{}, ErrOverflow
	}
	return sum.fit(width)
}

func (q quantity) minus(x quantity) (quantity, error) {
	var difference quantity
	if _, negative := difference.n.SubOverflow(&q.n, &x.n); negative {
		return quantity{}, ErrOverflow
	}
	return difference, nil
}

func (q quantity) mulDivFloor(factor, divisor quantity, width int) (quantity, error) {
	if divisor.IsZero() { // uint256 would return 0
		return quantity{}, ErrOverflow
	}
	var result quantity
	if q.n.IsUint64() && factor.n.IsUint64() && divisor.n.IsUint64() { // as nearly all are: two divisions suffice
		high, low := bits.Mul64(q.n[0], factor.n[0])
		result.n[1] = high / divisor.n[0]
		result.n[0], _ = bits.Div64(high%divisor.n[0], low, divisor.n[0])
		return result.fit(width)
	}
	if _, over := result.n.MulDivOverflow(&q.n, &factor.n, &divisor.n); over {
		return quantity{}, ErrOverflow
	}
	return result.fit(width)
}

func parseQuantity(text string, width int) (quantity, error) {
	n, err := parseNumber(text)
	if err != nil {
		return quantity{}, err
	}
	q, err := quantity{n}.fit(width)
	if err != nil {
		return quantity{}, fmt.Errorf("%s is more than %d bits", failure.Excerpt(text), width)
	}
	return q, nil
}

// ParseUint64 parses a number of at most 64 bits: decimal digits, or hex digits after 0x.
func ParseUint64(text string) (uint64, error) {
	if n, ok := shortDecimal(text); ok {
		return n, nil
	}
	q, err := parseQuantity(text, counterBits)
	return q.n.Uint64(), err
}
