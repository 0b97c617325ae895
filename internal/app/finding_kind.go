package app

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
)

// FindingKind explains a kind of the findings in a [FindingList].
type FindingKind struct {
	Title   string
	Meaning string // what should hold, and the effect on figures
	Remedy  string
	Command string // that helps; "" for none
}

// KindOfFinding explains a row of a [FindingList] by its columns kind and check, with a command for its block.
func KindOfFinding(kind, check string, height uint64) FindingKind {
	switch kind {
	case "drift":
		return FindingKind{
			Title:   "A fee is not what the chain charged",
			Meaning: "The rule gives another amount than the chain took. What the chain took was paid: reports show both amounts, and exports book what was charged.",
			Remedy:  "Open the transaction: it shows the difference step by step. If a newer version of fees knows the rule, compare the ledger with its source again. The old result is kept, and the new one stands beside it.",
			Command: "fees ledger verify --gateway URL",
		}
	case "undetermined":
		return FindingKind{
			Title:   "No rule gives this fee",
			Meaning: "The fee is in no total, and it is not zero. Every total that lacks it says so.",
			Remedy:  "If your books need a figure, take what the chain charged, where it is known, and say so in your books.",
		}
	case "unclassified":
		return FindingKind{
			Title:   "An event about balances is not recognised",
			Meaning: "Its class of movement is not known. A statement that is checked against balances shows its amount as a difference.",
			Remedy:  "Report the event and its runtime, so that the next version recognises it.",
		}
	}
	k := FindingKind{
		Title:   "A check failed",
		Meaning: "The chain guarantees a property that these blocks lack.",
		Remedy:  "Compare the blocks with a second source. If it returns the same, this is what the chain recorded: say so when you close the month.",
		Command: fmt.Sprintf("fees verify %v --gateway URL --against SECOND_URL", chain.Heights{First: height - min(height, 1), Last: height}),
	}
	for _, c := range evidence.Checks() {
		if c.ID == check {
			k.Meaning = "This should hold: " + c.Holds + " (" + c.Source + ")."
		}
	}
	if strings.HasPrefix(check, "gateway.") {
		k.Title = "Two sources differ"
		k.Remedy = "Verify the block with a node of your own or an archive with proofs. It shows which source is right."
		k.Command = fmt.Sprintf("fees verify %d:+1 --gateway ws://YOUR_NODE", height)
	}
	return k
}
