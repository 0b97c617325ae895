package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

// A page of a ledger, and the blocks of a transaction.
const (
	pageSize  = 16 << 10
	batchSize = 250
)

// insert stores as many bytes as a ledger has, in a row for each block.
func insert(ctx context.Context, driver, place string, prepare []string, blocks uint64, bytes int64) (took time.Duration, err error) {
	db, err := sql.Open(driver, place)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	for _, statement := range prepare {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return 0, err
		}
	}
	body := make([]byte, bytes/int64(blocks))
	chance := rand.NewChaCha8([32]byte{})
	start := time.Now()
	for first := uint64(0); first < blocks; first += batchSize {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return 0, err
		}
		n := int(min(batchSize, blocks-first))
		values := make([]string, n)
		var arguments []any
		for i := range n {
			_, _ = chance.Read(body)
			values[i] = fmt.Sprintf("($%d, $%d)", 2*i+1, 2*i+2)
			arguments = append(arguments, int64(first)+int64(i), append([]byte{}, body...))
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO bare VALUES "+strings.Join(values, ", "), arguments...); err != nil {
			return 0, errors.Join(err, tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// insertFile is insert into a new SQLite file with a ledger's settings.
func insertFile(ctx context.Context, directory string, blocks uint64, bytes int64) (time.Duration, error) {
	place := filepath.Join(directory, "bare.db")
	if err := remove(place); err != nil {
		return 0, err
	}
	return insert(ctx, "sqlite", place, []string{
		fmt.Sprint("PRAGMA page_size = ", pageSize), "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "CREATE TABLE bare (height INTEGER PRIMARY KEY, body BLOB)",
	}, blocks, bytes)
}

// insertPostgres is insert into a new PostgreSQL table.
func insertPostgres(ctx context.Context, place string, blocks uint64, bytes int64) (time.Duration, error) {
	return insert(ctx, "pgx", place, []string{"DROP TABLE IF EXISTS bare", "CREATE TABLE bare (height bigint PRIMARY KEY, body bytea)"}, blocks, bytes)
}

// remove deletes a SQLite file with those beside it.
func remove(place string) error {
	list, err := filepath.Glob(place + "*")
	for _, name := range list {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// readBytes reads as many bytes of a file, by pages, from its beginning and again.
func readBytes(path string, bytes int64) (time.Duration, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	page := make([]byte, pageSize)
	start := time.Now()
	for at := int64(0); bytes > 0; {
		n, err := f.ReadAt(page, at)
		if bytes -= int64(n); n > 0 {
			at += int64(n)
			continue
		}
		if err != io.EOF || at == 0 {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		at = 0
	}
	return time.Since(start), nil
}

// readAll reads all files of a directory.
func readAll(directory string) (time.Duration, error) {
	start := time.Now()
	err := filepath.WalkDir(directory, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = os.ReadFile(path)
		}
		return err
	})
	return time.Since(start), err
}
