// Package cli has what the commands of fees share. A command is its flags, its question and the
// forms of its answer:
//
//	var f statusFlags // groups of flags, and its own
//	return cli.New(&cobra.Command{Use: "status", ..., RunE: f.show}, f.LedgerFlags.Add, f.Forms("table", "json"))
//
// Its run reads the flags ([Steps], [Read], [Get]), asks the question of internal/app, and shows the
// [Answer] ([Output.Show]), which is a finding where something in it does not hold.
package cli
