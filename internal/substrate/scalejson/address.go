package scalejson

import "github.com/feeledger/fees/chain"

// Addresses caches the text of some addresses: a checksum takes longer than the rest of an event, and most
// events contain the same few addresses. It is not safe for concurrent use.
type Addresses struct {
	slots [1 << slotBits]struct {
		text    [42]byte // all zero if empty
		address chain.Address
	}
}

const slotBits = 8

// address writes an account of 20 bytes with its EIP-55 checksum.
func (w *Writer) address() {
	bytes := w.Bytes(chain.AddressSize)
	if bytes == nil {
		return
	}
	a := chain.Address20([chain.AddressSize]byte(bytes))
	w.byte('"')
	if w.Addresses == nil {
		w.raw(a.String())
	} else {
		// A deliberately chosen address can at most evict another one.
		slot := &w.Addresses.slots[bytes[0]^bytes[10]^bytes[19]]
		if slot.address != a || slot.text[0] == 0 {
			copy(slot.text[:], a.String())
			slot.address = a
		}
		w.Text = append(w.Text, slot.text[:]...)
	}
	w.byte('"')
}
