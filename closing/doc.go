// Package closing keeps what was closed: a package, a directory with the reports of a
// period and a manifest of what they rest on, proved later against the ledger.
//
// A directory is whole or not there. [Begin] makes a draft beside it, [Draft.Install]
// puts the draft in its place. Where a package of the same period is there already, and
// any byte would be another, the new one becomes its next version:
//
//	manifest.json     what the package is, and the SHA-256 of every other file
//	report.json …     the files
//	changes.json      from version 2 on: what differs from the version before
//	versions/1/       the package as it was before, and so on
//
// The manifest of each version has the SHA-256 of the one before, so that whoever notes
// the newest has all of them. No clock is in any of it.
package closing
