// Package reply sends answers over HTTP as Substrate API Sidecar does, whoever makes
// them: its statuses, content types, JSON errors and pages for unknown paths. Errors have no
// stack: Sidecar's is of its own source files. An answer has no ETag.
package reply
