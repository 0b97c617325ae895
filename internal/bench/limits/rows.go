package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// rows prepares all measurements. end ends what they need.
func (o *options) rows(ctx context.Context, directory string, fees *program) (rows []*row, end func(), err error) {
	node, stop, err := startNode(o.blocks)
	if err != nil {
		return nil, func() {}, err
	}
	filling, err := o.filling(ctx, directory, node, fees)
	if err != nil {
		return nil, stop, err
	}
	rows = append([]*row{{what: "start of the program", now: func(p *program) (measured, error) { return p.run("version") }}}, filling...)
	ledgers, err := o.ledgersOf(directory)
	if err != nil {
		return nil, stop, err
	}
	for _, place := range ledgers {
		asking, err := o.asking(directory, place, fees)
		if err != nil {
			return nil, stop, err
		}
		rows = append(rows, asking...)
	}
	return rows, stop, nil
}

// filling returns the measurements that read and store blocks.
func (o *options) filling(ctx context.Context, directory, node string, fees *program) ([]*row, error) {
	blocks, unsigned := fmt.Sprintf("1..%d", o.blocks), "--signatures=false"
	place, kept := filepath.Join(directory, "fees.db"), filepath.Join(directory, "archive")
	sync := func(p *program, place, from string, arguments ...string) (measured, error) {
		return p.run(append([]string{"sync", blocks, "--gateway", from, "--ledger", place, "--quiet"}, arguments...)...)
	}
	toFile := func(from string, arguments ...string) func(p *program) (measured, error) {
		return func(p *program) (measured, error) {
			if err := remove(place); err != nil {
				return measured{}, err
			}
			return sync(p, place, from, arguments...)
		}
	}
	if err := another("-make", kept, "-n", fmt.Sprint(o.blocks)).Run(); err != nil {
		return nil, fmt.Errorf("make an archive: %w", err)
	}
	prove := func(p *program, from string) (measured, error) {
		return p.run("verify", blocks, "--gateway", from, unsigned, "--quiet")
	}
	asked, err := record(ctx, node, func(address string) error {
		_, err := prove(fees, "ws://"+address)
		return err
	})
	if err != nil {
		return nil, err
	}
	if _, err := toFile("ws://"+node, unsigned)(fees); err != nil {
		return nil, err
	}
	info, err := os.Stat(place)
	if err != nil {
		return nil, err
	}
	stored := info.Size()
	answers := func(measured) (time.Duration, error) { return asked.ask(ctx, node) }
	inserts := func(measured) (time.Duration, error) { return insertFile(ctx, directory, o.blocks, stored) }
	list := []*row{
		{what: "read and prove from a node", bound: "the same messages, bare", blocks: o.blocks, limit: answers, now: func(p *program) (measured, error) { return prove(p, "ws://"+node) }},
		{what: "the same, stored in SQLite", bound: "messages, and bare inserts", blocks: o.blocks, limit: sum(answers, inserts), now: toFile("ws://"+node, unsigned)},
		{what: "the same with signatures", bound: "messages, and bare inserts", blocks: o.blocks, limit: sum(answers, inserts), now: toFile("ws://" + node)},
		{what: "from an archive into SQLite", bound: "reading it, and bare inserts", blocks: o.blocks, now: toFile(kept, unsigned),
			limit: sum(func(measured) (time.Duration, error) { return readAll(kept) }, inserts)},
	}
	if o.postgres == "" {
		return list, nil
	}
	return slices.Insert(list, 3, &row{what: "from a node into PostgreSQL", bound: "messages, and bare inserts", blocks: o.blocks,
		limit: sum(answers, func(measured) (time.Duration, error) { return insertPostgres(ctx, o.postgres, o.blocks, stored) }),
		now: func(p *program) (measured, error) {
			place, err := o.newSchema(ctx)
			if err != nil {
				return measured{}, err
			}
			return sync(p, place, "ws://"+node, unsigned)
		}}), nil
}

// sum adds limits.
func sum(list ...func(measured) (time.Duration, error)) func(measured) (time.Duration, error) {
	return func(now measured) (all time.Duration, err error) {
		for _, limit := range list {
			took, failed := limit(now)
			all, err = all+took, errors.Join(err, failed)
		}
		return all, err
	}
}

// newSchema returns the place of a ledger in a new PostgreSQL schema.
func (o *options) newSchema(ctx context.Context) (place string, err error) {
	db, err := sql.Open("pgx", o.postgres)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "DROP SCHEMA IF EXISTS bench_limits CASCADE; CREATE SCHEMA bench_limits"); err != nil {
		return "", err
	}
	mark := "?"
	if strings.Contains(o.postgres, "?") {
		mark = "&"
	}
	return o.postgres + mark + "search_path=bench_limits", nil
}

// asking returns the measurements of reports and pages of a ledger.
func (o *options) asking(directory, place string, fees *program) ([]*row, error) {
	month := []string{"--month", o.month, "--ledger", place}
	busiest, quiet, err := accountsOf(fees, append(month, "--partial"))
	if err != nil {
		return nil, err
	}
	out, accounts := filepath.Join(directory, "close"), filepath.Join(directory, "accounts.csv")
	if err := os.WriteFile(accounts, []byte("address,label\n"+quiet+",Quiet\n"), 0o600); err != nil {
		return nil, err
	}
	of := ", " + strings.TrimSuffix(filepath.Base(place), ".db")
	reading := func(now measured) (time.Duration, error) { return readBytes(place, now.read) }
	command := func(what string, arguments ...string) *row {
		return &row{what: what + of, bound: "reading as many bytes", limit: reading, now: func(p *program) (measured, error) {
			if err := os.RemoveAll(out); err != nil {
				return measured{}, err
			}
			return p.run(append(arguments, month...)...)
		}}
	}
	list := []*row{
		command("month by account", "report", "--by", "account", "--partial"),
		command("the busiest account's statement", "statement", busiest, "--no-balances", "--partial"),
		command("close", "close", "--accounts", accounts, "--no-balances", "--partial", "-o", out),
	}
	for _, path := range []string{"/overview", "/fees?period=" + o.month, "/fees?by=account&period=" + o.month, "/account/" + busiest} {
		name := strings.Replace(path, busiest, "BUSIEST", 1)
		list = append(list, &row{what: "cold page " + name + of, bound: "reading as many bytes", limit: reading, now: func(p *program) (measured, error) { return page(p, place, path) }})
	}
	return list, nil
}

// accountsOf returns the account that paid the most fees, and the one that paid the least.
func accountsOf(fees *program, period []string) (busiest, quiet string, err error) {
	c := fees.command(append([]string{"report", "--by", "account", "--format", "csv"}, period...)...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return "", "", err
	}
	rows, at := csv.NewReader(out), 0
	for number := 0; ; number++ {
		row, err := rows.Read()
		if err != nil {
			break
		}
		switch number {
		case 0:
			at = slices.Index(row, "account")
		case 1:
			busiest = row[at]
		}
		quiet = row[at]
	}
	if err := c.Wait(); err != nil && c.ProcessState.ExitCode() != exitFinding || busiest == "" {
		return "", "", fmt.Errorf("fees report found no accounts: %w: %s", err, said.String())
	}
	return busiest, quiet, nil
}
