package archive

import "context"

// RecordWith is [Record] on a disk that asks before each step.
func RecordWith(ctx context.Context, before func(step string) error, gateway Answers, directory string, o RecordOptions) (*Manifest, error) {
	return record(ctx, gateway, disk{directory, before}, o)
}
