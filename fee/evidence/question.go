package evidence

import "fmt"

// Question is a question to the source that no fee depends on, only how it is proved,
// and that was not answered for now: the source was away, busy or too slow, or what it
// said was wrong. It can be asked again. What a source will never answer is none of
// these; the report's notes tell of it.
type Question struct {
	About Subject `json:"about"`
	At    uint64  `json:"at"`  // the height whose state it is about
	Why   string  `json:"why"` // there was no answer
}

// Subject is what a [Question] is about.
type Subject string

// The subjects.
const (
	// AboutProportion is for FeesTreasuryProportion: without it evm.split and
	// native.split are not checked.
	AboutProportion Subject = "fees_treasury_proportion"
	// AboutParent is for the block before it: without it block.parent and block.time are
	// not checked.
	AboutParent Subject = "parent"
	// AboutMultiplier is for the multiplier that the block stored: without it
	// block.multiplier is not checked.
	AboutMultiplier Subject = "multiplier"
	// AboutBlockWeight is for system.blockWeight: without it block.weighed is not checked,
	// nor block.multiplier where that follows from it.
	AboutBlockWeight Subject = "block_weight"
	// AboutExtrinsics is for the extrinsics as they are encoded, where the source has
	// them: without them extrinsic.hash, native.formula and native.signature are not checked.
	AboutExtrinsics Subject = "extrinsics"
	// AboutNeighbours is for what the blocks around were priced by: without it drifts
	// may have no class.
	AboutNeighbours Subject = "neighbours"
)

// unchecked says what is missing without an answer.
var unchecked = map[Subject]string{
	AboutProportion:  "who gets which part of the fees was not checked",
	AboutParent:      "that the block follows its parent was not checked",
	AboutMultiplier:  "the multiplier that the block stored was not checked",
	AboutBlockWeight: "what the block weighed was not checked",
	AboutExtrinsics:  "the hashes of the extrinsics, the formula of native fees and, where asked for, their signatures were not checked",
	AboutNeighbours:  "what the drifts come from may be missing",
}

func (q Question) String() string {
	return fmt.Sprintf("%s at block %d was not answered, and can be asked again: %s: %s", q.About, q.At, unchecked[q.About], q.Why)
}

// NotAnswered enters a question that was not answered.
func (r *Report) NotAnswered(q Question) {
	r.Unanswered = append(r.Unanswered, q)
	r.Notes = append(r.Notes, q.String())
}
