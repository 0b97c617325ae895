// Package closing keeps what was closed: a package, which is a directory with the reports of
// a period and a manifest of what they rest on. It can be proved later against the ledger.
//
// A directory is whole or not there. [Begin] makes a draft beside it, and [Draft.Install]
// puts the draft in its place. Where a package of the same period is there already, and any
// byte would differ, the new one becomes its next version:
//
//	manifest.json     what the package is, and the SHA-256 of every other file
//	manifest.json.sig the signatures of the manifest, where somebody signed it
//	manifest.json.tsr its timestamp, where an authority gave one
//	report.json …     the files
//	changes.json      from version 2 on: what differs from the version before
//	versions/1/       the package as it was before, and so on
//
// The manifest of each version has the SHA-256 of the one before. So whoever notes the sum
// of the newest has all of them, and whoever signs it signs all of them. There is no clock in any of it.
//
// # Before you change it
//
// A new file needs no more than [Draft.Add]. Package app decides what the files are.
//
// Between the two renames of [Draft.Install] the old package waits in the scratch directory.
// If the program is killed there, the next one puts the old package back ([Begin], [Mend]).
package closing
