package ledger

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// TrailHead is the state of an audit trail: its number of lines, and the digest of the last one, which covers all of
// them. Kept elsewhere, it shows later whether a line was altered or removed, also at the end.
type TrailHead struct {
	Lines  uint64 `json:"lines"`
	Digest Digest `json:"digest"` // zeros without lines
}

// HeadOf returns the head of an audit trail.
func HeadOf(trail []Act) (h TrailHead) {
	if h.Lines = uint64(len(trail)); h.Lines > 0 {
		h.Digest = trail[h.Lines-1].Digest
	}
	return h
}

// String returns the number of lines, a colon and the digest.
func (h TrailHead) String() string { return fmt.Sprintf("%d:%v", h.Lines, h.Digest) }

// ParseTrailHead parses the text of a head of at least one line.
func ParseTrailHead(text string) (h TrailHead, err error) {
	lines, digest, _ := strings.Cut(text, ":")
	if h.Lines, err = strconv.ParseUint(lines, 10, 63); err == nil {
		err = h.Digest.UnmarshalText([]byte(digest))
	}
	if err == nil {
		err = h.Check()
	}
	if err != nil || h.Lines == 0 || h.String() != text { // every trail begins with no lines
		return h, fmt.Errorf("%q is not the head of an audit trail; state it as it was printed: the number of lines, a colon and 64 hex digits", text)
	}
	return h, nil
}

// Check returns an error unless only a head without lines has no digest.
func (h TrailHead) Check() error {
	if (h.Lines == 0) != (h.Digest == Digest{}) {
		return errors.New("the audit trail's lines and digest do not fit each other")
	}
	return nil
}

// Compare returns ErrDamaged unless an audit trail begins with the lines of this head.
func (h TrailHead) Compare(trail []Act) error {
	have := uint64(len(trail))
	switch {
	case have < h.Lines:
		lines := "lines"
		if have == 1 {
			lines = "line"
		}
		return damaged("table trail: it has %d %s, fewer than the %d that were there", have, lines, h.Lines)
	case h.Lines > 0 && trail[h.Lines-1].Digest != h.Digest:
		return damaged("table trail: line %d has the digest %v, not %v", h.Lines, trail[h.Lines-1].Digest, h.Digest)
	}
	return nil
}
