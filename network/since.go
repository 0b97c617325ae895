package network

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Since is a feature that a network's runtimes have from some runtime on.
type Since struct {
	Field   string // in the network's table
	What    string // short description
	Runtime uint32 // 0 if all have it
	Source  string // "" if the table names none
}

// Since lists the features that the network's runtimes have from some runtime on.
func (n *Network) Since() []Since {
	list := []Since{
		{Field: "first_withdraw_event", What: "balances.Withdraw", Runtime: n.FirstWithdrawEvent},
		{Field: "first_fee_event", What: "TransactionFeePaid", Runtime: n.FirstFeeEvent},
		{Field: "first_exact_digest", What: "exact digest", Runtime: n.FirstExactDigest},
		{Field: "first_exact_hold", What: "exact withdrawal", Runtime: n.FirstExactHold},
		{Field: "first_actual_pays_fee", What: "actual paysFee", Runtime: n.FirstActualPaysFee},
		{Field: "first_set_code", What: "code of signers", Runtime: n.FirstSetCode},
	}
	for i := range list {
		list[i].Source = n.Sources[list[i].Field]
	}
	return list
}

// checkSources checks that each source belongs to a figure that the table contains.
func (n *Network) checkSources() error {
	has := map[string]bool{
		"treasury": n.Treasury != nil, "last_block": n.LastBlock != nil, "genesis": n.Genesis != nil, "evm_chain_id": n.EVMChainID > 0, "short_name": n.ShortName != "", "parachain": n.Parachain > 0, "first_metadata_hash": n.FirstMetadataHash > 0,
		"account_mapping": n.AccountMapping != "", "ss58_prefix": n.SS58Prefix != nil, "decimals": n.Decimals > 0, "equal_times_from": n.EqualTimesFrom != nil,
	}
	for _, s := range n.Since() {
		has[s.Field] = s.Runtime > 0
	}
	for _, field := range slices.Sorted(maps.Keys(n.Sources)) {
		if !has[field] || n.Sources[field] == "" {
			return fmt.Errorf("sources: %q: want the name of a figure of the network, such as treasury", field)
		}
	}
	return nil
}

// Where describes the network's runtimes for which holds returns true: "all", "none", or a list such as "900
// to 1200, 2000 and later".
func (n *Network) Where(holds func(*Rules) bool) string {
	var spans []string
	begins := n.begins()
	for i := 0; i < len(begins); i++ {
		if !n.holds(begins[i], holds) {
			continue
		}
		from := begins[i]
		for i++; i < len(begins) && n.holds(begins[i], holds); i++ {
		}
		switch {
		case i == len(begins) && from == begins[0]:
			return "all"
		case i == len(begins):
			spans = append(spans, fmt.Sprintf("%d and later", from))
		case begins[i]-1 == from:
			spans = append(spans, fmt.Sprint(from))
		default:
			spans = append(spans, fmt.Sprintf("%d to %d", from, begins[i]-1))
		}
	}
	return cmp.Or(strings.Join(spans, ", "), "none")
}

func (n *Network) holds(runtime uint32, what func(*Rules) bool) bool {
	rules, _ := n.Rules(runtime) // no element of begins is older than the first row
	return what(&rules)
}

// begins returns the runtimes at which some rule changes, in order.
func (n *Network) begins() []uint32 {
	var list []uint32
	for _, row := range n.ListedRows() {
		list = append(list, row.From)
	}
	for _, s := range n.Since() {
		list = append(list, s.Runtime)
	}
	if n.EqualTimesFrom != nil {
		list = append(list, *n.EqualTimesFrom)
	}
	list = slices.DeleteFunc(list, func(runtime uint32) bool { return runtime < n.Rows[0].FromRuntime })
	slices.Sort(list)
	return slices.Compact(list)
}
