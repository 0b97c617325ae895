// Package web serves a ledger as web pages and as a JSON API over HTTP. It writes only what its
// users decide: acceptances, drafts, closed packages, and the acts in the audit trail.
//
//	request ─► counted ─► guard ─► admit ─► scope (period, zone, accounts, ...) ─► app ─► page (HTML), or the command line's JSON
//
// The guard rejects unknown hosts (DNS rebinding), other methods and overload. Every request has a
// deadline and is cancelled at the deadline or when the client disconnects.
//
// If users are configured, admit authenticates them: by session cookie, by HTTP Basic on each API
// request, or by a header from a reverse proxy. A user without a role only reads. Forms then carry a token
// bound to the session, which is checked before any file is read.
//
// A page has a struct of its own around one frame (view.go). Its method main returns the page as nodes, from the parts
// that pages share (document.go, parts.go, table.go, form.go), which escape all text. Its tables, totals, chart
// and downloads come from one answer of package app, as values: they become text where the page shows them.
// Its URL contains everything the answer depends on, so it can be shared. The footer shows the last
// sealed block with its seal, and the equivalent command.
//
// Sealed blocks never change. An answer's ETag is therefore derived from the sealed state and the
// request, and is valid for one server process and at most ten minutes; the server caches answers by ETag.
// Concurrent requests for an expensive list share one computation. Its values are cached and serve every
// page and sort order; a page keeps only the rows up to its own.
//
// A company's record of fees is uploaded by POST and kept in memory under a token for a limited time.
// Its results are pages again, with the settings for reading the file in the URL.
//
//	form ─► receive ─► uploads ─► settings ─► app ─► page, or the files of fees reconcile
//
// Requests are counted and logged by route pattern and outcome. Paths and queries are never logged or
// exported as metrics, because they name accounts.
//
// A package check is the only work that outlives a request. It opens its own ledger, stops with the
// server, and only one runs at a time.
//
// # Before you change it
//
// There is no SQL, pricing rule or rounding here; package app provides them. Pages load nothing from
// other hosts and work without JavaScript, as the content security policy requires. An address that is not constant
// goes through href or action, which refuse other hosts and schemes. An unknown path or parameter is an error that
// names it: a mistyped filter must not show other figures.
package web
