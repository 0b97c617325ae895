package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// A block that is stored by one of several programs has a row in the table unsealed until it
// is sealed: its additions. Who seals reads that row and the block's own, in place of all rows
// of its tables. Where it is not there, or not what was written, the rows are read.

var unsealedTable = table{name: "unsealed", key: 1, columns: []column{{"height", integer, state}, {"additions", data, state}, {"digest", data, state}}}

// unsealedRow is that of a block whose digest is this one.
func unsealedRow(height uint64, more *additions, digest Digest) row {
	encoded := more.encoded()
	sum := digestOfAdditions(height, encoded, digest)
	return row{int64(height), encoded, sum[:]}
}

func digestOfAdditions(height uint64, encoded []byte, digest Digest) Digest {
	return digestOf(row{int64(height), encoded, digest[:]})
}

// keepUnsealed writes the rows of entries that were stored.
func keepUnsealed(ctx context.Context, tx transaction, entries []*Entry) error {
	var rows []row
	for _, e := range entries {
		rows = append(rows, unsealedRow(e.Height(), additionsOf(&e.rows), e.digest))
	}
	if err := tx.insert(ctx, &unsealedTable, rows); err != nil {
		return fmt.Errorf("table unsealed: %w", err)
	}
	return nil
}

// dropUnsealed takes the rows of a span away.
func dropUnsealed(ctx context.Context, tx transaction, span chain.Heights) error {
	return tx.exec(ctx, "DELETE FROM unsealed WHERE height >= ? AND height <= ?", bounds(span)...)
}

// additionsVersion begins what encoded makes.
const additionsVersion byte = 1

// encoded has the version, the accounts, each with its two counts, and the hashes. Numbers of
// things are unsigned varints; an account is preceded by its length.
func (a *additions) encoded() []byte {
	out := binary.AppendUvarint([]byte{additionsVersion}, uint64(len(a.accounts)))
	for i := range a.accounts {
		x := &a.accounts[i]
		out = append(binary.AppendUvarint(out, uint64(len(x.account))), x.account...)
		out = binary.AppendUvarint(binary.AppendUvarint(out, x.movements), x.transfers)
	}
	for _, hash := range a.hashes {
		out = binary.BigEndian.AppendUint64(out, uint64(hash))
	}
	return out
}

var errAdditions = errors.New("not what a block adds")

// readAdditions reads what encoded made.
func readAdditions(encoded []byte) (*additions, error) {
	if len(encoded) == 0 || encoded[0] != additionsVersion {
		return nil, errAdditions
	}
	left, wrong := encoded[1:], false
	number := func() uint64 {
		n, size := binary.Uvarint(left)
		if size <= 0 {
			left, wrong = nil, true
			return 0
		}
		left = left[size:]
		return n
	}
	more := &additions{}
	for n := number(); n > 0 && !wrong; n-- {
		length := number()
		if length > uint64(len(left)) {
			return nil, errAdditions
		}
		x := accountRows{account: left[:length:length]}
		left = left[length:]
		x.movements, x.transfers = number(), number()
		more.accounts = append(more.accounts, x)
	}
	if wrong || len(left)%8 != 0 {
		return nil, errAdditions
	}
	for ; len(left) > 0; left = left[8:] {
		more.hashes = append(more.hashes, int64(binary.BigEndian.Uint64(left)))
	}
	return more, nil
}

// unsealedAtOnce is how many blocks are asked for at once, which are read one by one.
const unsealedAtOnce = 1_000

// Why no more blocks are added by the table unsealed.
var (
	errRows = errors.New("the block is to be read from its rows")
	errEnd  = errors.New("no block follows that can be sealed now")
)

// unsealedColumns are those of blocks, and after them those of the table unsealed.
var unsealedColumns = slices.Concat(tables[blocks].columns, unsealedTable.columns[1:])

// unsealedQuery asks for blocks of a span, with their rows of the table unsealed. Both tables are
// told the span, so that neither is read as a whole.
var unsealedQuery = "SELECT b." + strings.Join(names(tables[blocks].columns), ", b.") + ", u.additions, u.digest" +
	" FROM blocks b LEFT JOIN unsealed u ON u.height = b.height AND u.height >= ? AND u.height <= ?" +
	" WHERE b.height >= ? AND b.height <= ? ORDER BY b.height"

// addUnsealed adds the blocks that follow by the table unsealed, as many as are asked for at
// once. It is errRows where the next one has no row there, and errEnd where there is none.
func (s *sealing) addUnsealed(ctx context.Context, tx transaction) error {
	span := chain.Heights{First: s.next(), Last: s.next() + unsealedAtOnce - 1}
	err := list(ctx, tx, unsealedColumns, func(r row) error {
		if s.full() || r[0] != int64(s.next()) || r[finalColumn] != true {
			return errEnd
		}
		return s.addShort(r)
	}, unsealedQuery, append(bounds(span), bounds(span)...)...)
	if err == nil && s.next() <= span.Last {
		err = errEnd
	}
	return err
}

// addShort adds the next block by its own row, and that in the table unsealed.
func (s *sealing) addShort(r row) error {
	own := len(tables[blocks].columns)
	of := &rowsOf{height: s.next()}
	of.rows[blocks] = []row{r[:own]}
	if r[own] == nil {
		return errRows
	}
	if err := of.checked([]int{blocks}); err != nil {
		return err
	}
	x, err := of.block()
	if err != nil {
		return err
	}
	leaves, err := provedLeaves(of.height, x.leaves, x.costs)
	if err != nil {
		return err
	}
	encoded, _ := r[own].([]byte)
	if sum := digestOfAdditions(of.height, encoded, leaves.digest()); !equal(r[own+1], sum[:]) {
		return errRows
	}
	more, err := readAdditions(encoded)
	if err != nil {
		return errRows
	}
	if s.costs, err = s.packed.costs(s.costs[:0], x.costs, of.height); err != nil {
		return err
	}
	return s.addNext(x, s.costs, more, &leaves)
}
