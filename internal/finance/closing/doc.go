// Package closing stores close packages: directories with the reports of a period and a manifest of their
// basis, which can be verified later against the ledger.
//
// Directories are replaced atomically. [Begin] creates a draft next to the package, [Draft.Add] writes its files, and
// [Draft.Install] moves it into place. If a package of the same period exists and any byte would differ, the new one
// becomes its next version:
//
//	manifest.json     the package's contents and basis, and the SHA-256 of every other file
//	manifest.json.sig signatures of the manifest, if it was signed
//	manifest.json.tsr its timestamp, if an authority issued one
//	report.json …     the files
//	changes.json      from version 2 on: the differences from the previous version
//	versions/1/       the earlier versions
//
// The manifest of each version contains the SHA-256 of the previous one. Recording or signing the newest
// manifest therefore covers all versions. Nothing in a package depends on the clock.
package closing
