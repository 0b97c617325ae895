package reconcile

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/ledger"
)

// payerLabels are the labels of an address book by which a record may name payers.
type payerLabels struct {
	exact  map[string]bool
	folded map[string]string // by label in lower case; "" if several labels differ in case only
}

func newPayerLabels(book *addressbook.Book) payerLabels {
	l := payerLabels{map[string]bool{}, map[string]string{}}
	for _, e := range book.Entries() {
		if e.Label == "" {
			continue
		}
		lower := strings.ToLower(e.Label)
		if other, has := l.folded[lower]; has && other != e.Label {
			l.folded[lower] = ""
		} else {
			l.folded[lower] = e.Label
		}
		l.exact[e.Label] = true
	}
	return l
}

// find returns the label that a text names, in any case if that is unambiguous; "" if it is none.
func (l *payerLabels) find(text string) string {
	if l.exact[text] {
		return text
	}
	return l.folded[strings.ToLower(text)]
}

// otherLabel names the payer if the row names one by a label of another address.
func (m *matcher) otherLabel(row *Row, t *ledger.Transaction) string {
	if row.Payer == "" {
		return ""
	}
	payer, known := t.Payer.Get()
	if !known {
		return "the payer is unknown"
	}
	label, _ := m.options.Labels.Label(payer)
	if sender, _ := m.options.Labels.LabelOf(t.Sender).Get(); label == row.Payer || sender == row.Payer && isEVMSender(or(t.Sender, payer), t) {
		return ""
	}
	return fmt.Sprintf("%s paid, not %q", m.options.Token().Account(payer), row.Payer)
}
