// Package web shows a ledger in a browser, and answers programs by HTTP. It only reads.
//
//	request ─► counted ─► guard ─► admit ─► scope (period, zone, accounts, ...) ─► desk ─► page (HTML), or the command line's JSON
//
// The guard refuses what is not for this server: other hosts, which a name that was bound anew
// may lead here, other methods, and too much at once. A request has so much time; a question is
// given up when its time is over, and when who asked has gone.
//
// Where there are users, admit lets in who is known: by a session's cookie, by name and password
// with each request of a program, or by a header of a server before this one. All users are
// readers. What a page's form sends has a token then: it is taken where the page was made for
// the same session, and no file is read before that is known.
//
// A page is one view: its tables, its totals, its chart and its downloads come from one answer of
// the desk. Its address has all that the answer depends on, so that it can be sent to somebody. At
// its foot stand the ledger's last sealed block with the seal, and the same question for the
// command line.
//
// What is sealed does not change. So an answer's ETag follows from what is sealed and from the
// question, within a run of the server and ten minutes: a browser that has the answer asks for
// nothing again, and the server keeps what it made. A list that reads much is made once for all who
// ask for it, and its rows are kept packed, for each page and order.
//
// A company's record of fees is sent (POST), and is kept in memory under a token for a while. What is
// done with it is again a page with an address: the settings by which it is read stand there.
//
//	form ─► receive ─► uploads ─► settings ─► desk ─► page, or the files of fees reconcile
//
// Each request is counted and logged by the pattern of its path and by what became of it. Paths and
// queries are in no log and no metric: they name accounts.
//
// A package that is checked again is the only work that outlives a request. It has a ledger of its own,
// ends with the server, and runs alone.
//
// # Before you change it
//
// There is no SQL, no rule and no rounding here: ask package app. Nothing is fetched from
// elsewhere, and pages work without JavaScript: the policy forbids both. What a path or a query
// has that is not known is an error, with its name: a mistyped filter must not show other figures.
package web
