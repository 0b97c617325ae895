package chaingen

import (
	"encoding/hex"
	"strconv"
)

// writer puts JSON together as the gateway does: no white space, numbers as strings.
type writer struct{ b []byte }

// next writes the comma that a value or key needs where it is not the first.
func (w *writer) next() {
	if n := len(w.b); n > 0 {
		switch w.b[n-1] {
		case '{', '[', ':':
		default:
			w.b = append(w.b, ',')
		}
	}
}

// raw writes what is JSON already.
func (w *writer) raw(text string) {
	w.next()
	w.b = append(w.b, text...)
}

func (w *writer) open(bracket byte) {
	w.next()
	w.b = append(w.b, bracket)
}

func (w *writer) close(brackets string) { w.b = append(w.b, brackets...) }

// key writes a member's name.
func (w *writer) key(name string) {
	w.next()
	w.b = append(w.b, '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
}

// text writes a string that needs no escapes.
func (w *writer) text(s string) {
	w.next()
	w.b = append(w.b, '"')
	w.b = append(w.b, s...)
	w.b = append(w.b, '"')
}

func (w *writer) number(n uint64) {
	w.next()
	w.b = append(w.b, '"')
	w.b = strconv.AppendUint(w.b, n, 10)
	w.b = append(w.b, '"')
}

// coins writes an amount in wei.
func (w *writer) coins(amount coins) {
	if amount.thousandths == 0 {
		w.number(amount.wei)
		return
	}
	w.next()
	w.b = append(w.b, '"')
	w.b = strconv.AppendUint(w.b, amount.thousandths, 10)
	w.b = append(w.b, "000000000000000\""...)
}

// hex writes bytes as 0x and digits.
func (w *writer) hex(bytes []byte) {
	w.next()
	w.b = append(w.b, `"0x`...)
	w.b = hex.AppendEncode(w.b, bytes)
	w.b = append(w.b, '"')
}

func (w *writer) flag(b bool) {
	w.next()
	w.b = strconv.AppendBool(w.b, b)
}

func (w *writer) method(pallet, name string) {
	w.next()
	w.b = append(w.b, `{"method":{"pallet":"`...)
	w.b = append(w.b, pallet...)
	w.b = append(w.b, `","method":"`...)
	w.b = append(w.b, name...)
	w.b = append(w.b, `"}`...)
}

// event begins one; its values follow, and then endEvent.
func (w *writer) event(pallet, name string) {
	w.method(pallet, name)
	w.b = append(w.b, `,"data":[`...)
}

func (w *writer) endEvent() { w.close("]}") }

// balance writes an event of the pallet balances on one account.
func (w *writer) balance(name string, a *account, amount coins) {
	w.event("balances", name)
	w.text(a.text)
	w.coins(amount)
	w.endEvent()
}

// on writes an event that has nothing but an account.
func (w *writer) on(pallet, name string, a *account) {
	w.event(pallet, name)
	w.text(a.text)
	w.endEvent()
}

// move writes the events of a transfer, with those of a new account if it is one.
func (w *writer) move(from, to *account, amount coins, isNew bool) {
	if isNew {
		w.on("system", "NewAccount", to)
		w.balance("Endowed", to, amount)
	}
	w.event("balances", "Transfer")
	w.text(from.text)
	w.text(to.text)
	w.coins(amount)
	w.endEvent()
}

// info writes dispatch information.
func (w *writer) info(refTime, proofSize uint64, class, pays string) {
	w.open('{')
	w.key("weight")
	w.open('{')
	w.key("refTime")
	w.number(refTime)
	w.key("proofSize")
	w.number(proofSize)
	w.close("}")
	w.key("class")
	w.text(class)
	w.key("paysFee")
	w.text(pays)
	w.close("}")
}

// coins is an amount: of thousandths of a coin, or of less than 2^64 wei.
type coins struct{ thousandths, wei uint64 }

func wei(n uint64) coins { return coins{wei: n} }

// aFew is from 0.001 to some hundred coins, small amounts more often.
func aFew(r *random) coins {
	return coins{thousandths: 1 + r.below(1<<(4+r.below(16)))}
}
