// Package reply sends answers over HTTP as Substrate API Sidecar does: with its statuses, content types, JSON errors, and
// pages for unknown paths. Errors contain no stack, because Sidecar's refers to its own source files. Answers have no
// ETag.
package reply
