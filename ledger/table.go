package ledger

// table is one with the rows of blocks: its columns in the order of the digest,
// those of its key first, the height being the first of all.
type table struct {
	name    string
	key     int // how many columns
	columns []column
	later   map[string]byte // the columns that a later layout than the first brought, with that layout
}

// The tables of a block's rows, in the order of the leaves. From firstOutside on they say
// how well a block is known, which may change, and are outside of its digest.
const (
	blocks = iota
	transactions
	movements
	unclassified
	transfers
	diagnoses
	findings
	unanswered
	tableCount

	firstOutside = diagnoses
)

var tables = [tableCount]table{
	blocks: {name: "blocks", key: 1, columns: []column{
		{"height", integer, fact},
		{"hash", data, fact},
		{"parent_hash", data, fact},
		{"time_ms", integer, fact},
		{"runtime", integer, fact},
		{"rules", text, judgement},
		{"certain", boolean, judgement},
		{"base_fee_per_gas", amount, judgement},
		{"multiplier_at", integer, judgement},
		{"multiplier", amount, judgement},
		{"evm", integer, fact},
		{"native", integer, fact},
		{"inherents", integer, fact},
		{"undetermined", integer, judgement},
		{"fee", amount, judgement},
		{"evm_fee", amount, judgement},
		{"native_fee", amount, judgement},
		{"charged", amount, judgement},
		{"burned", amount, judgement},
		{"treasury", amount, judgement},
		{"author", amount, judgement},
		{"costs", data, state},
		{"final", boolean, state},
		{"leaves", data, state},
	}},
	transactions: {name: "transactions", key: 2, columns: []column{
		{"height", integer, fact},
		{"extrinsic", integer, fact},
		{"layer", text, fact},
		{"type", text, fact},
		{"call", text, fact},
		{"hash", data, fact},
		{"evm_hash", data, fact},
		{"sender", data, fact},
		{"recipient", data, fact},
		{"payer", data, judgement},
		{"nonce", amount, fact},
		{"gas_price", amount, judgement},
		{"gas", amount, judgement},
		{"weight", amount, fact},
		{"fee", amount, judgement},
		{"method", text, judgement},
		{"priority_fee", amount, judgement},
		{"tip", amount, judgement},
		{"success", boolean, fact},
		{"outcome", text, judgement},
		{"status", text, fact},
		{"error", text, judgement},
		{"charged", amount, judgement},
		{"verdict", text, judgement},
		{"drift", amount, judgement},
		{"burned", amount, judgement},
		{"treasury", amount, judgement},
		{"author", amount, judgement},
	}},
	movements: {name: "movements", key: 2, columns: []column{
		{"height", integer, fact},
		{"position", integer, fact},
		{"place", integer, fact},
		{"event_index", integer, fact},
		{"event", text, fact},
		{"kind", text, judgement},
		{"account", data, fact},
		{"counterparty", data, fact},
		{"amount", amount, fact},
		{"free", amount, judgement},
		{"reserved", amount, judgement},
	}},
	unclassified: {name: "unclassified", key: 2, columns: []column{
		{"height", integer, fact},
		{"position", integer, fact},
		{"place", integer, fact},
		{"event_index", integer, fact},
		{"event", text, fact},
		{"data", text, fact},
		{"reason", text, judgement},
	}},
	transfers: {name: "transfers", key: 2, columns: []column{
		{"height", integer, fact},
		{"position", integer, fact},
		{"extrinsic", integer, fact},
		{"token", data, fact},
		{"sender", data, fact},
		{"recipient", data, fact},
		{"amount", amount, fact},
	}},
	diagnoses: {name: "diagnoses", key: 2, columns: []column{
		{"height", integer, fact},
		{"extrinsic", integer, fact},
		{"class", text, judgement},
	}},
	findings: {name: "findings", key: 2, columns: []column{
		{"height", integer, fact},
		{"position", integer, fact},
		{"check_id", text, judgement},
		{"extrinsic", integer, judgement},
		{"message", text, judgement},
	}},
	unanswered: {name: "unanswered", key: 2, columns: []column{
		{"height", integer, fact},
		{"position", integer, fact},
		{"about", text, judgement},
		{"at", integer, judgement},
		{"why", text, judgement},
	}},
}

// row is a row of a table: a value for each column.
type row []value

// of is the position of a column, which is there.
func (t *table) of(name string) int {
	for i, c := range t.columns {
		if c.name == name {
			return i
		}
	}
	panic("ledger: no column " + t.name + "." + name)
}

// names are those of all columns.
func names(columns []column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name
	}
	return list
}
