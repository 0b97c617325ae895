package scalejson

import "github.com/feeledger/fees/chain"

// Addresses remembers how some addresses are written: a checksum takes longer than all else
// that is written of an event, and the same few addresses stand in most. It is for one
// goroutine.
type Addresses struct {
	slots [1 << slotBits]struct {
		text    [42]byte // all zero where there is none
		address chain.Address
	}
}

const slotBits = 8

// address writes an account of 20 bytes with the checksum of EIP-55.
func (w *Writer) address() {
	bytes := w.Bytes(len(chain.Address{}))
	if bytes == nil {
		return
	}
	a := chain.Address(bytes)
	w.byte('"')
	if w.Addresses == nil {
		w.raw(a.String())
	} else {
		// One address that somebody chose puts another one out, and no more.
		slot := &w.Addresses.slots[a[0]^a[10]^a[19]]
		if slot.address != a || slot.text[0] == 0 {
			copy(slot.text[:], a.String())
			slot.address = a
		}
		w.Text = append(w.Text, slot.text[:]...)
	}
	w.byte('"')
}
