package answers

import (
	"context"

	"github.com/feeledger/fees/internal/test/crashtest"
)

// RecordWith is [Record] on a disk that asks before each step.
func RecordWith(ctx context.Context, before func(step string) error, gateway Answers, directory string, o RecordOptions) (*Manifest, error) {
	return record(ctx, gateway, crashtest.Steps(directory, before), o)
}

// WithSegments sets the number of heights in a segment.
func WithSegments(o RecordOptions, size uint64) RecordOptions {
	o.Segments, o.segmentSize = true, size
	return o
}

// Seal is a manifest's text with its own sum.
func Seal(m Manifest) (string, error) { return m.seal() }

// MaxSegments is how many an archive may have.
const MaxSegments = maxSegments
