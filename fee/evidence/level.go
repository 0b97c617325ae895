package evidence

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
)

// Level is the level of evidence for a figure.
type Level string

// The levels.
const (
	LevelFinal    Level = "final"    // proved, and signatures of validators prove the checkpoint final
	LevelProved   Level = "proved"   // by roots, and by the headers up to a checkpoint
	LevelRecorded Level = "recorded" // as reported by the gateway or the node
	LevelUnknown  Level = "unknown"  // without any evidence
)

// Proves reports whether the level is proved or higher.
func (l Level) Proves() bool { return l == LevelProved || l == LevelFinal }

// Evidence is the level of evidence for blocks. It does not affect their content: proved and recorded blocks
// give the same fees, digests and seals.
type Evidence struct {
	// Level is final if all blocks are proved by final checkpoints, proved if all are proved, recorded if at least one is
	// not, and unknown if there are no blocks.
	Level   Level     `json:"level"`
	Blocks  uint64    `json:"blocks"`
	Proved  uint64    `json:"proved"`  // number of blocks that are proved
	Trusted []Trusted `json:"trusted"` // the checkpoints that prove them, highest first
}

// Checkpoint is a block that proves those below it: a trusted one, or one that is proved final.
type Checkpoint struct {
	chain.Anchor
	Final Finality `json:"final,omitzero"`
}

// Compare orders checkpoints by what they prove: final ones are greater, then higher ones. The rest of the order makes
// it total.
func (c Checkpoint) Compare(other Checkpoint) int {
	if c.Final.Known() != other.Final.Known() {
		if c.Final.Known() {
			return 1
		}
		return -1
	}
	f, g := &c.Final, &other.Final
	return cmp.Or(c.Anchor.Compare(other.Anchor), cmp.Compare(f.Set, g.Set), cmp.Compare(f.Root, g.Root),
		bytes.Compare(f.RootHash[:], g.RootHash[:]), cmp.Compare(f.Para, g.Para))
}

// Trusted is a checkpoint and the number of blocks that it proves.
type Trusted struct {
	Checkpoint
	Blocks uint64 `json:"blocks"`
}

// Finality states by which validators a checkpoint is proved final; it is empty for one that is only trusted. For a
// parachain, they are those of the relay chain.
type Finality struct {
	Set      string     `json:"set"`       // ID of the set that signed
	Root     string     `json:"root"`      // ID of the trusted set, from which the chain of sets begins
	RootHash chain.Hash `json:"root_hash"` // of its list
	// Para is the ID of the parachain, "" for a chain that finalizes itself. The evidence names it. Any chain
	// can register as another parachain, so compare the ID.
	Para string `json:"para,omitempty"`
}

// Known reports whether the checkpoint is proved final.
func (f Finality) Known() bool { return f != Finality{} }

func (f Finality) parachain() string {
	if f.Para == "" {
		return ""
	}
	return "; parachain " + f.Para
}

// Recorded returns the evidence of blocks that are only reported by a source.
func Recorded(blocks uint64) Evidence { return Evidence{Blocks: blocks}.leveled() }

// evidenceOf returns the evidence of one block, from a source that proves all blocks up to a checkpoint, or
// from one without proofs.
func evidenceOf(height uint64, trusted chain.Optional[chain.Anchor], final Finality) Evidence {
	e := Recorded(1)
	if a, ok := trusted.Get(); ok && height <= a.Height {
		e = e.Add(Trusted{Checkpoint{a, final}, 1})
	}
	return e
}

// By returns the evidence with a trusted block that proves the given number of blocks.
func (e Evidence) By(a chain.Anchor, blocks uint64) Evidence {
	return e.Add(Trusted{Checkpoint{Anchor: a}, blocks})
}

// Add returns the evidence with another checkpoint. One that is final by any statement is final.
func (e Evidence) Add(add Trusted) Evidence {
	if add.Blocks == 0 {
		return e
	}
	e.Proved += add.Blocks
	e.Trusted = slices.Clone(e.Trusted)
	place, there := slices.BinarySearchFunc(e.Trusted, add.Anchor, func(t Trusted, a chain.Anchor) int { return a.Compare(t.Anchor) })
	if !there {
		e.Trusted = slices.Insert(e.Trusted, place, add)
		return e.leveled()
	}
	same := &e.Trusted[place]
	same.Blocks += add.Blocks
	if !same.Final.Known() {
		same.Final = add.Final
	}
	return e.leveled()
}

// and returns the combined evidence of these blocks and others.
func (e Evidence) and(other Evidence) Evidence {
	e.Blocks += other.Blocks
	for _, t := range other.Trusted {
		e = e.Add(t)
	}
	return e.leveled()
}

// final returns the number of blocks that final checkpoints prove.
func (e Evidence) final() (blocks uint64) {
	for _, t := range e.Trusted {
		if t.Final.Known() {
			blocks += t.Blocks
		}
	}
	return blocks
}

// leveled sets the level from the counts.
func (e Evidence) leveled() Evidence {
	switch {
	case e.Blocks == 0:
		e.Level = LevelUnknown
	case e.Proved < e.Blocks:
		e.Level = LevelRecorded
	case slices.ContainsFunc(e.Trusted, func(t Trusted) bool { return !t.Final.Known() }):
		e.Level = LevelProved
	default:
		e.Level = LevelFinal
	}
	e.Trusted = append([]Trusted{}, e.Trusted...)
	return e
}

// Supports reports whether the evidence is at least as strong as an earlier statement about the same blocks:
// no fewer blocks are proved or final, and each checkpoint of the statement is one of these, or is below one of
// these, which now proves its blocks, or is only trusted where one of these is final. If the statement calls it final,
// that one must be final too.
func (e Evidence) Supports(said Evidence) bool {
	if e.Blocks != said.Blocks || e.Proved < said.Proved || e.final() < said.final() {
		return false
	}
	for _, t := range said.Trusted {
		supports := func(x Trusted) bool {
			if t.Final.Known() {
				return x.Final.Known() && (x.Anchor == t.Anchor || x.Height > t.Height)
			}
			return x.Final.Known() || x.Anchor == t.Anchor || x.Height > t.Height
		}
		if !slices.ContainsFunc(e.Trusted, supports) {
			return false
		}
	}
	return true
}

// Check returns an error if the counts and the level are inconsistent.
func (e Evidence) Check() error {
	sum := Recorded(e.Blocks)
	for _, t := range e.Trusted {
		sum = sum.Add(t)
	}
	if sum.Proved > sum.Blocks || sum.Level != e.Level || sum.Proved != e.Proved || !slices.Equal(sum.Trusted, e.Trusted) {
		return fmt.Errorf("inconsistent evidence: %v", e)
	}
	return nil
}

// String describes the evidence for people, in one line.
func (e Evidence) String() string {
	const reported = " (reported by the gateway, not proved)"
	if len(e.Trusted) == 0 {
		if e.Blocks == 0 {
			return string(LevelUnknown) + " (no blocks)"
		}
		return string(LevelRecorded) + reported
	}
	highest := e.Trusted[0]
	text := fmt.Sprintf("proved up to block %d, hash %v", highest.Height, highest.Hash)
	if f := highest.Final; f.Known() && e.final() == e.Proved {
		text = fmt.Sprintf("final up to block %d, hash %v (set %s signed; set %s is trusted, list %v%s)", highest.Height, highest.Hash, f.Set, f.Root, f.RootHash, f.parachain())
	}
	if e.Blocks != 1 {
		text = fmt.Sprintf("%d of %d blocks %s", e.Proved, e.Blocks, text)
	}
	if others := len(e.Trusted) - 1; others == 1 {
		text += ", and by 1 lower checkpoint"
	} else if others > 1 {
		text += fmt.Sprintf(", and by %d lower checkpoints", others)
	}
	if final := e.final(); final > 0 && final < e.Proved {
		text += fmt.Sprintf("; %d of them are final", final)
	}
	if e.Proved < e.Blocks {
		text += "; the rest is recorded" + reported
	}
	return text
}

// level returns the level of a transaction's fee in a block with this evidence. It is unknown for an inherent,
// which pays no fee.
func (t *Transaction) level(of Evidence) (none chain.Optional[Level]) {
	verdict, transaction := t.Verdict.Get()
	switch {
	case !transaction:
		return none
	case !t.Fee.Known() || verdict == NoEvidence:
		return chain.Some(LevelUnknown)
	}
	return chain.Some(of.Level)
}
