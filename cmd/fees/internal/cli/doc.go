// Package cli implements what the commands of fees share. A command consists of flags, a request and
// the formats of its answer:
//
//	var f statusFlags // groups of flags, and the command's own
//	return cli.New(&cobra.Command{Use: "status", ..., RunE: f.show}, f.LedgerFlags.Add, f.Forms("table", "json"))
//
// Its run function reads the flags, calls internal/app, and shows the [Answer] with [Output.Show].
package cli
