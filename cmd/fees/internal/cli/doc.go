// Package cli has what the commands of fees share: flags, and how they are read; progress,
// records and files of output; what is said of a finding.
package cli
