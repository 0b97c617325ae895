// Package dataset exports the sealed blocks of a ledger as Parquet files by network, year and month, for
// columnar tools: DuckDB, ClickHouse, Spark, Trino. docs/analytics.md describes their contents.
//
// Each UTC month has one file per table, DIR/transactions/network=moonbeam/year=2026/month=01/
// transactions.parquet and so on, and a manifest, DIR/_manifests/network=moonbeam/2026-01.json, with the
// month's seal and the SHA-256 of each file. The files contain exactly what the seal covers. Files with the
// ledger's seal are therefore current, and are not rewritten. An interrupted export is redone. The same ledger and
// program give the same bytes.
package dataset
