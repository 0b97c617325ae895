package ledgertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Record is a decoded block record: values as in SQL, nil for null.
type Record struct {
	Head   []byte             // its version, the height, and the hashes
	Tables map[string][][]any // rows by table name; blocks has one
}

// Table is a part of a record, with its columns in order.
type Table struct {
	Name    string
	Columns []Column
}

// Column is a column of a table, with the encoding of its values.
type Column struct{ Name, Code string }

// Tables are the parts of a record in order.
var Tables = []Table{
	{"blocks", []Column{
		{"time_ms", "small"}, {"runtime", "small"}, {"rules", "text"}, {"certain", "number"}, {"base_fee_per_gas", "amount"}, {"multiplier_at", "small"}, {"multiplier", "amount"}, {"inherents", "number"},
	}},
	{"transactions", []Column{
		{"extrinsic", "number"}, {"layer", "text"}, {"type", "text"}, {"call", "text"}, {"hash", "hash"}, {"evm_hash", "some hash"}, {"sender", "account"}, {"recipient", "account"}, {"payer", "account"},
		{"nonce", "amount"}, {"gas_price", "amount"}, {"gas", "amount"}, {"weight", "amount"}, {"fee", "amount"}, {"method", "text"}, {"priority_fee", "amount"}, {"tip", "amount"},
		{"success", "small"}, {"outcome", "text"}, {"status", "text"}, {"error", "text"}, {"charged", "amount"}, {"verdict", "text"}, {"drift", "signed"}, {"burned", "amount"}, {"treasury", "amount"}, {"author", "amount"},
	}},
	{"movements", []Column{
		{"place", "place"}, {"event_index", "number"}, {"event", "text"}, {"kind", "text"}, {"account", "account"}, {"counterparty", "account"}, {"amount", "amount"}, {"free", "signed"}, {"reserved", "signed"},
	}},
	{"transfers", []Column{{"extrinsic", "number"}, {"token", "account"}, {"sender", "account"}, {"recipient", "account"}, {"amount", "amount"}}},
	{"unclassified", []Column{{"place", "place"}, {"event_index", "number"}, {"event", "text"}, {"data", "text"}, {"reason", "text"}}},
}

// usual are the predefined texts, which records do not contain.
var usual = []string{
	"evm", "native", "legacy", "eip2930", "eip1559", "eip7702", "ethereum.transact", "rule", "cash", "succeeded", "reverted", "out_of_gas", "failed",
	"match", "drift", "cash_only", "no_evidence", "Stopped", "Returned", "Reverted", "OutOfGas", "Suicided",
	"balances.Withdraw", "balances.Deposit", "balances.Transfer", "balances.Reserved", "balances.Unreserved", "balances.Endowed", "balances.Issued",
	"deposit", "withdrawal", "transfer-out", "transfer-in", "reserve", "unreserve", "mint", "burn",
}

const (
	headSize     = 1 + 8 + 32 + 32
	onInitialize = -1
	onFinalize   = 1<<31 - 1
)

// ReadRecord decodes a record.
func ReadRecord(t testing.TB, record []byte) Record {
	in := bytes.NewReader(record[headSize:])
	number := func() uint64 {
		n, err := binary.ReadUvarint(in)
		require.NoError(t, err)
		return n
	}
	take := func(n uint64) []byte {
		require.LessOrEqual(t, n, uint64(in.Len()))
		b := make([]byte, n)
		in.Read(b)
		return b
	}
	texts, accounts, amounts := slices.Clone(usual), [][]byte(nil), []*big.Int(nil)
	for n := number(); n > 0; n-- {
		texts = append(texts, string(take(number())))
	}
	for n := number(); n > 0; n-- {
		accounts = append(accounts, take(20))
	}
	for n := number(); n > 0; n-- {
		size := take(1)[0]
		x := new(big.Int).SetBytes(take(uint64(size & 127)))
		if size >= 128 {
			x.Mul(x, big.NewInt(1_000_000_000))
		}
		amounts = append(amounts, x)
	}
	value := func(code string) any {
		if code == "hash" {
			return take(32)
		}
		n := number()
		switch {
		case code == "number":
			return int64(n)
		case code == "place" && n == 0:
			return int64(onInitialize)
		case code == "place" && n == 1:
			return int64(onFinalize)
		case code == "place":
			return int64(n - 2)
		case n == 0:
			return nil
		case code == "small":
			return int64(n - 1)
		case code == "some hash":
			return take(32)
		case code == "text":
			return texts[n-1]
		case code == "account":
			return accounts[n-1]
		case code == "amount":
			return amounts[n-1].String()
		case n == 1:
			return "0"
		case n%2 == 1:
			return new(big.Int).Neg(amounts[n/2-1]).String()
		}
		return amounts[n/2-1].String()
	}
	r := Record{record[:headSize], map[string][][]any{}}
	for _, table := range Tables {
		n := uint64(1)
		if table.Name != "blocks" {
			n = number()
		}
		rows := make([][]any, n)
		for _, c := range table.Columns {
			for i := range rows {
				rows[i] = append(rows[i], value(c.Code))
			}
		}
		r.Tables[table.Name] = rows
	}
	require.Zero(t, in.Len())
	return r
}

// Bytes encodes the record.
func (r *Record) Bytes(t testing.TB) []byte {
	var texts, accounts, amounts []string
	var values []byte
	number := func(n uint64) { values = binary.AppendUvarint(values, n) }
	place := func(list *[]string, s string) uint64 {
		i := slices.Index(*list, s)
		if i < 0 {
			i, *list = len(*list), append(*list, s)
		}
		return uint64(i)
	}
	code := func(code string, v any) {
		switch n, isNumber := v.(int64); {
		case code == "hash":
			values = append(values, v.([]byte)...)
		case code == "number":
			number(uint64(n))
		case code == "place" && n == onInitialize:
			number(0)
		case code == "place" && n == onFinalize:
			number(1)
		case code == "place":
			number(uint64(n) + 2)
		case v == nil:
			number(0)
		case isNumber:
			number(uint64(n) + 1)
		case code == "some hash":
			number(1)
			values = append(values, v.([]byte)...)
		case code == "account":
			number(place(&accounts, string(v.([]byte))) + 1)
		case code == "amount":
			number(place(&amounts, v.(string)) + 1)
		case code == "signed" && v == "0":
			number(1)
		case code == "signed" && v.(string)[0] == '-':
			number(2*place(&amounts, v.(string)[1:]) + 3)
		case code == "signed":
			number(2*place(&amounts, v.(string)) + 2)
		case slices.Contains(usual, v.(string)):
			number(uint64(slices.Index(usual, v.(string))) + 1)
		default:
			number(uint64(len(usual)) + place(&texts, v.(string)) + 1)
		}
	}
	for _, table := range Tables {
		rows := r.Tables[table.Name]
		if table.Name != "blocks" {
			number(uint64(len(rows)))
		}
		for i, c := range table.Columns {
			for _, row := range rows {
				code(c.Code, row[i])
			}
		}
	}
	out := binary.AppendUvarint(slices.Clone(r.Head), uint64(len(texts)))
	for _, s := range texts {
		out = append(binary.AppendUvarint(out, uint64(len(s))), s...)
	}
	out = binary.AppendUvarint(out, uint64(len(accounts)))
	for _, s := range accounts {
		out = append(out, s...)
	}
	out = binary.AppendUvarint(out, uint64(len(amounts)))
	for _, s := range amounts {
		x, ok := new(big.Int).SetString(s, 10)
		require.True(t, ok && x.Sign() >= 0, s)
		billions, rest := new(big.Int).QuoRem(x, big.NewInt(1_000_000_000), new(big.Int))
		if rest.Sign() == 0 && x.Sign() > 0 && x.BitLen() <= 128 {
			out = append(append(out, 128|byte(len(billions.Bytes()))), billions.Bytes()...)
		} else {
			out = append(append(out, byte(len(x.Bytes()))), x.Bytes()...)
		}
	}
	return append(out, values...)
}

// Sum returns the sum of a row of the table blocks.
func Sum(record []byte, timeMS, flags int64, timed bool, known string) []byte {
	if !timed {
		timeMS = -1
	}
	digest := sha256.Sum256(record)
	text := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(digest[:], uint64(timeMS)), uint64(flags))
	sum := sha256.Sum256(append(text, known...))
	return sum[:]
}

// Cell returns the value of a row's column.
func Cell(table string, row []any, column string) *any {
	for _, t := range Tables {
		if t.Name == table {
			return &row[slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == column })]
		}
	}
	return nil
}
