package evidence

import "fmt"

// FailedRequest is a request to the source on which no fee depends, only its verification, and that failed for now:
// the source was unreachable, busy or too slow, or its response was wrong. It can be retried. Requests that
// the source will never be able to answer are in the report's notes instead.
type FailedRequest struct {
	About Subject `json:"about"`
	At    uint64  `json:"at"`  // the height of the state in question
	Why   string  `json:"why"` // the reason for the failure
}

// Subject is the subject of a [FailedRequest].
type Subject string

// The subjects.
const (
	// AboutProportion is for FeesTreasuryProportion: without it evm.split and native.split are not checked.
	AboutProportion Subject = "fees_treasury_proportion"
	// AboutParent is for the block before it: without it block.parent and block.time are not checked.
	AboutParent Subject = "parent"
	// AboutMultiplier is for the multiplier that the block stored: without it block.multiplier is not checked.
	AboutMultiplier Subject = "multiplier"
	// AboutBlockWeight is for system.blockWeight: without it block.weighed is not checked, nor block.multiplier in
	// runtimes where it follows from that weight.
	AboutBlockWeight Subject = "block_weight"
	// AboutExtrinsics is for the encoded extrinsics, if the source has them: without them extrinsic.hash,
	// native.formula and native.signature are not checked.
	AboutExtrinsics Subject = "extrinsics"
	// AboutRuntime is for what the node's runtime answers about transactions: without it a weight is proved by the formula
	// alone.
	AboutRuntime Subject = "runtime_functions"
	// AboutNeighbours is for the inputs that priced the surrounding blocks: without them drifts may have no class.
	AboutNeighbours Subject = "neighbours"
)

// unchecked describes what is not checked without a response.
var unchecked = map[Subject]string{
	AboutProportion:  "the split of the fees was not checked",
	AboutParent:      "the link to the parent block was not checked",
	AboutMultiplier:  "the multiplier that the block stored was not checked",
	AboutBlockWeight: "the block's weight was not checked",
	AboutExtrinsics:  "the hashes of the extrinsics, the formula of native fees and, if requested, their signatures were not checked",
	AboutRuntime:     "fees were compared with the formula only, not with the node's query_info or receipts",
	AboutNeighbours:  "the cause of the drifts may be missing",
}

func (q FailedRequest) String() string {
	return fmt.Sprintf("%s at block %d could not be fetched; a later run can retry. Meanwhile %s: %s", q.About, q.At, unchecked[q.About], q.Why)
}

// NotAnswered records a failed request.
func (r *Report) NotAnswered(q FailedRequest) {
	r.Unanswered = append(r.Unanswered, q)
	r.Notes = append(r.Notes, q.String())
}
