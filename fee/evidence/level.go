package evidence

import (
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
)

// Level is how well something is known.
type Level string

// The levels.
const (
	LevelProved   Level = "proved"   // by roots, and by the headers up to a trusted block
	LevelRecorded Level = "recorded" // by the word of the gateway or the node
	LevelUnknown  Level = "unknown"  // there is nothing to know it by
)

// Evidence is how well blocks are known. It has no part in what they are: the same fees,
// digests and seals come from blocks that are proved and from those that are recorded.
type Evidence struct {
	// Level is proved where all blocks are, recorded where one is not, and unknown where
	// there is no block.
	Level   Level     `json:"level"`
	Blocks  uint64    `json:"blocks"`
	Proved  uint64    `json:"proved"`  // of them
	Trusted []Trusted `json:"trusted"` // what they are proved by, the highest first
}

// Trusted is a trusted block, and how many blocks are proved by it.
type Trusted struct {
	chain.Anchor
	Blocks uint64 `json:"blocks"`
}

// Recorded is the evidence of blocks that are known by somebody's word.
func Recorded(blocks uint64) Evidence { return Evidence{Blocks: blocks}.leveled() }

// evidenceOf is that of one block, from a source that proves all up to a trusted block, or
// from one that proves nothing.
func evidenceOf(height uint64, trusted chain.Optional[chain.Anchor]) Evidence {
	e := Recorded(1)
	if a, ok := trusted.Get(); ok && height <= a.Height {
		e = e.By(a, 1)
	}
	return e
}

// By is the evidence where so many of the blocks are proved by a trusted block.
func (e Evidence) By(a chain.Anchor, blocks uint64) Evidence {
	if blocks == 0 {
		return e
	}
	e.Proved += blocks
	e.Trusted = slices.Clone(e.Trusted)
	place, there := slices.BinarySearchFunc(e.Trusted, a, func(t Trusted, a chain.Anchor) int { return a.Compare(t.Anchor) })
	if there {
		e.Trusted[place].Blocks += blocks
	} else {
		e.Trusted = slices.Insert(e.Trusted, place, Trusted{a, blocks})
	}
	return e.leveled()
}

// and is the evidence of these blocks and of others.
func (e Evidence) and(other Evidence) Evidence {
	e.Blocks += other.Blocks
	for _, t := range other.Trusted {
		e = e.By(t.Anchor, t.Blocks)
	}
	return e.leveled()
}

// leveled has the level that follows from the counts.
func (e Evidence) leveled() Evidence {
	switch {
	case e.Blocks == 0:
		e.Level = LevelUnknown
	case e.Proved < e.Blocks:
		e.Level = LevelRecorded
	default:
		e.Level = LevelProved
	}
	e.Trusted = append([]Trusted{}, e.Trusted...)
	return e
}

// Supports tells whether the evidence is at least what was said of the same blocks before:
// no fewer are proved, and each trusted block that was named is one of these, or lower than
// the highest, by which its blocks are proved now.
func (e Evidence) Supports(said Evidence) bool {
	if e.Blocks != said.Blocks || e.Proved < said.Proved {
		return false
	}
	for _, t := range said.Trusted {
		same := func(x Trusted) bool { return x.Anchor == t.Anchor }
		if !slices.ContainsFunc(e.Trusted, same) && (len(e.Trusted) == 0 || t.Height >= e.Trusted[0].Height) {
			return false
		}
	}
	return true
}

// Check wants what can be.
func (e Evidence) Check() error {
	sum := Recorded(e.Blocks)
	for _, t := range e.Trusted {
		sum = sum.By(t.Anchor, t.Blocks)
	}
	if sum.Proved > sum.Blocks || sum.Level != e.Level || sum.Proved != e.Proved || !slices.Equal(sum.Trusted, e.Trusted) {
		return fmt.Errorf("the evidence contradicts itself: %v", e)
	}
	return nil
}

// String says it to people, in a line.
func (e Evidence) String() string {
	const word = "by the gateway's word"
	if len(e.Trusted) == 0 {
		if e.Blocks == 0 {
			return string(LevelUnknown) + ": there is no block"
		}
		return string(LevelRecorded) + ": " + word
	}
	text := fmt.Sprintf("proved up to block %d, hash %v", e.Trusted[0].Height, e.Trusted[0].Hash)
	if e.Blocks != 1 {
		text = fmt.Sprintf("%d of %d blocks %s", e.Proved, e.Blocks, text)
	}
	if others := len(e.Trusted) - 1; others == 1 {
		text += ", and by 1 lower trusted block"
	} else if others > 1 {
		text += fmt.Sprintf(", and by %d lower trusted blocks", others)
	}
	if e.Proved < e.Blocks {
		text += "; the rest is recorded: " + word
	}
	return text
}

// level is that of a transaction's fee in a block of such evidence. It is not known for an
// inherent, which pays none.
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
