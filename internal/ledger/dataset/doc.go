// Package dataset keeps what a ledger has sealed as Parquet files by network, year and month,
// for programs that work on columns: DuckDB, ClickHouse, Spark, Trino. docs/analytics.md says
// what is in them.
//
// A month of UTC is a file for each table, DIR/transactions/network=moonbeam/year=2026/month=01/
// transactions.parquet and so on, and a manifest, DIR/_manifests/network=moonbeam/2026-01.json,
// with the month's seal and the SHA-256 of each file. The files have what the seal is over, and
// nothing else: so a file whose month has the same seal is right, and is left alone.
//
// # Before you change it
//
// All files of a month are made in one pass over its blocks, in a scratch directory whose files
// no pattern for Parquet finds. What was read must give the month's seal; only then does a file
// get its name, when it is whole and on the disk. While they get them, the manifest says that
// the month is unfinished: where a program is killed then, the next one makes it again. The
// same ledger and program give the same bytes.
package dataset
