package recovery

import (
	"math/big"
	"sync"

	"github.com/consensys/gnark-crypto/ecc"
	curve "github.com/consensys/gnark-crypto/ecc/secp256k1"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fp"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fr"
)

// The widths of the windows of factors, in bits. The multiples of G are computed once.
const (
	baseWidth  = 8
	pointWidth = 5
)

// maxDigits is the number of digits of half a factor, which has at most 129 bits and a carry.
const maxDigits = 131

// β and λ are cube roots of 1 with λ·(x, y) = (β·x, y). A factor k is a + b·λ, where a and b have half its bits.
var (
	beta    fp.Element
	lattice ecc.Lattice
	base    [2][]curve.G1Affine // odd multiples of G and of λ·G
)

var prepare = sync.OnceFunc(func() {
	lambda, _ := new(big.Int).SetString("5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72", 16)
	ecc.PrecomputeLattice(fr.Modulus(), lambda, &lattice)
	_, _ = beta.SetString("0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501ee")
	_, g := curve.Generators()
	base = oddMultiples(&g, baseWidth)
})

// sum returns a·G + b·p, in the order of the digits of all four half factors: the doublings are shared.
func sum(a, b *fr.Element, p *curve.G1Affine) (s curve.G1Affine) {
	prepare()
	var digits [4][maxDigits]int8
	var odd [4][]curve.G1Affine
	of := oddMultiples(p, pointWidth)
	for half, ofHalf := range of {
		odd[half], odd[2+half] = base[half], ofHalf
	}
	ofG, ofP := ecc.SplitScalar(a.BigInt(new(big.Int)), &lattice), ecc.SplitScalar(b.BigInt(new(big.Int)), &lattice)
	for half := range of {
		digits[half], digits[2+half] = digitsOf(&ofG[half], baseWidth), digitsOf(&ofP[half], pointWidth)
	}
	var total curve.G1Jac
	var negative curve.G1Affine
	for at := maxDigits - 1; at >= 0; at-- {
		double(&total)
		for i := range digits {
			switch d := digits[i][at]; {
			case d > 0:
				total.AddMixed(&odd[i][d/2])
			case d < 0:
				total.AddMixed(negative.Neg(&odd[i][-d/2]))
			}
		}
	}
	return *s.FromJacobian(&total)
}

// double doubles a point. The library's own formula squares more, for curves with a term a·x.
//
// Source: Explicit-Formulas Database, short Weierstrass curves with a = 0, Jacobian coordinates, dbl-2009-l.
func double(p *curve.G1Jac) {
	var xx, yy, yyyy, d, e fp.Element
	xx.Square(&p.X)
	yy.Square(&p.Y)
	yyyy.Square(&yy)
	d.Mul(&p.X, &yy).Double(&d).Double(&d)
	e.Double(&xx).Add(&e, &xx)
	p.Z.Mul(&p.Z, &p.Y).Double(&p.Z)
	p.X.Square(&e).Sub(&p.X, &d).Sub(&p.X, &d)
	p.Y.Mul(&e, d.Sub(&d, &p.X))
	p.Y.Sub(&p.Y, yyyy.Double(&yyyy).Double(&yyyy).Double(&yyyy))
}

// digitsOf returns k as the sum of digits[i]·2^i. Each digit is 0 or odd, and fits into the width with its sign; after one
// that is not 0, as many are 0 as the width has other bits.
func digitsOf(k *big.Int, width int) (digits [maxDigits]int8) {
	sign := k.Sign()
	k.Abs(k)
	carry := uint(0)
	for at := 0; at < maxDigits; at++ {
		if k.Bit(at) == carry {
			continue
		}
		digit := int(carry)
		for i := range width {
			digit += int(k.Bit(at+i)) << i
		}
		carry = uint(digit) >> (width - 1)
		digits[at] = int8(sign * (digit - int(carry)<<width))
		at += width - 1
	}
	return digits
}

// oddMultiples returns p, 3·p, 5·p … for the digits of a width, and the same of λ·p.
func oddMultiples(p *curve.G1Affine, width int) (list [2][]curve.G1Affine) {
	n := 1 << (width - 2)
	points, z := make([]curve.G1Jac, n), make([]fp.Element, n)
	twice := *points[0].FromAffine(p)
	double(&twice)
	z[0] = points[0].Z
	for i := range n - 1 {
		points[i+1].Set(&points[i]).AddAssign(&twice)
		z[i+1] = points[i+1].Z
	}
	list[0], list[1] = make([]curve.G1Affine, n), make([]curve.G1Affine, n)
	for i, inverse := range fp.BatchInvert(z) {
		var square fp.Element
		square.Square(&inverse)
		list[0][i].X.Mul(&points[i].X, &square)
		list[0][i].Y.Mul(&points[i].Y, square.Mul(&square, &inverse))
		list[1][i].X.Mul(&list[0][i].X, &beta)
		list[1][i].Y = list[0][i].Y
	}
	return list
}
