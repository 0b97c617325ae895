//go:build !unix

package keys

// noCoreFile does nothing: these systems write no core file by default.
func noCoreFile() error { return nil }
