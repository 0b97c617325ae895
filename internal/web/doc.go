// Package web serves ledgers as web pages and as a JSON API over HTTP ([Handler]). It writes only what its
// users decide: labels, acceptances, drafts, closed packages, and the acts in the audit trail.
//
// It rejects unknown hosts (DNS rebinding), other methods and overload. Every request has a
// deadline and is cancelled at the deadline or when the client disconnects.
//
// If users are configured, they are authenticated: by session cookie, by HTTP Basic on each API
// request, or by a header from a reverse proxy. A user without a role only reads. Forms then carry a token
// bound to the session, which is checked before any file is read.
//
// A page's URL contains everything the answer depends on, so it can be shared. The page shows the last
// sealed block with its seal, and the equivalent command. An answer from sealed blocks has an ETag, which is valid for
// one server process and at most ten minutes.
//
// A company's record of fees is uploaded by POST and kept in memory under a token for a limited time.
//
// Requests are counted and logged by route pattern and outcome. Paths and queries are never logged or
// exported as metrics, because they name accounts.
package web
