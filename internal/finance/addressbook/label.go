package addressbook

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/plain"
)

// Forms that select something else wherever a label is accepted.
var (
	addressForm = regexp.MustCompile(`^([a-z0-9-]+:)?0x[0-9a-f]*…?[0-9a-f]*$|^[1-9A-HJ-NP-Za-km-z]{46,50}$`)
	numberForm  = regexp.MustCompile(`^#?\p{Nd}[\p{Nd}_,.:+/# –-]*$`)
	quarterForm = regexp.MustCompile(`^\p{Nd}{4}[ -]?q[1-4]$`)
)

// checkLabel rejects a label that a reader, or a command, would take for something else.
func checkLabel(label string) error {
	text := same(label)
	_, notAddress := chain.ParseAccount(strings.TrimSpace(label))
	what := ""
	switch {
	case text == "":
	case notAddress == nil, addressForm.MatchString(text), addressForm.MatchString(label):
		what = "an address or a hash"
	case strings.HasPrefix(text, "group:"):
		what = "a group"
	case numberForm.MatchString(text), quarterForm.MatchString(text):
		what = "a height, a transaction ID or a period"
	}
	if what == "" {
		return nil
	}
	return fmt.Errorf("the label %q has the form of %s; add a word to it", label, what)
}

// same returns the text by which labels and groups are compared.
func same(text string) string { return strings.ToLower(strings.TrimSpace(plain.Line(text))) }

// checkOwn rejects a new label of an entry that is also the name of a group or the label of another account. A file may
// contain such labels: reports add up the accounts that share one.
func (b *Book) checkOwn(e *Entry) error {
	label := same(e.Label)
	for _, other := range b.Entries() {
		switch {
		case label == "":
		case label == same(other.Group):
			return fmt.Errorf("the label %q is also the name of a group; add a word to it", e.Label)
		case label == same(other.Label) && !other.Address.Is(e.Address):
			return fmt.Errorf("the label %q is also that of %v; add a word to it", e.Label, other.Address)
		}
	}
	return nil
}
