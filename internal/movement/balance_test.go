package movement_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/test/pairs"
)

func amount(t testing.TB, text string) chain.Wei {
	t.Helper()
	w, err := chain.ParseWei(text)
	require.NoError(t, err)
	return w
}

// A case is what ALICE has, the events, and what she has then, as free/reserved.
func TestBalanceAfter(t *testing.T) {
	const largest = "340282366920938463463374607431768211455"
	for name, test := range map[string]struct {
		opening string
		events  []string
		closing string
		err     string
	}{
		"nothing":             {"10/5", nil, "10/5", ""},
		"of another":          {"10/5", []string{`Withdraw ["BOB","7"]`, `Slashed ["BOB","7"]`}, "10/5", ""},
		"fee and refund":      {"10/5", []string{`Withdraw ["ALICE","7"]`, `Deposit ["ALICE","2"]`}, "5/5", ""},
		"out":                 {"10/5", []string{`Transfer ["ALICE","BOB","7"]`}, "3/5", ""},
		"in":                  {"10/5", []string{`Transfer ["BOB","ALICE","7"]`}, "17/5", ""},
		"to oneself":          {"10/5", []string{`Transfer ["ALICE","ALICE","7"]`}, "10/5", ""},
		"to oneself, all":     {"10/5", []string{`Transfer ["ALICE","ALICE","10"]`}, "10/5", ""},
		"reserved":            {"10/5", []string{`Reserved ["ALICE","7"]`}, "3/12", ""},
		"unreserved":          {"10/5", []string{`Unreserved ["ALICE","5"]`}, "15/0", ""},
		"endowed counts once": {"0/0", []string{`Endowed ["ALICE","7"]`, `Transfer ["BOB","ALICE","7"]`}, "7/0", ""},
		"dust":                {"10/0", []string{`Transfer ["ALICE","BOB","7"]`, `DustLost ["ALICE","3"]`}, "0/0", ""},
		"set":                 {"10/5", []string{`Deposit ["ALICE","1"]`, `BalanceSet ["ALICE","7"]`, `Deposit ["ALICE","2"]`}, "9/5", ""},
		"set, old":            {"10/5", []string{`BalanceSet ["ALICE","7","3"]`, `Reserved ["ALICE","2"]`}, "5/5", ""},
		"set, then dust":      {"10/0", []string{`BalanceSet ["ALICE","7"]`, `DustLost ["ALICE","7"]`}, "0/0", ""},
		"all spent":           {"10/5", []string{`Withdraw ["ALICE","10"]`}, "0/5", ""},
		"below 0 in between":  {"10/5", []string{`Withdraw ["ALICE","11"]`, `Deposit ["ALICE","1"]`}, "0/5", ""},
		"below 0":             {"10/5", []string{`Withdraw ["ALICE","11"]`}, "", "free -1 wei, reserved 5 wei: a balance below 0"},
		"reserved below 0":    {"10/5", []string{`Unreserved ["ALICE","6"]`}, "", "free 16 wei, reserved -1 wei: a balance below 0"},
		"largest":             {"0/0", []string{`Deposit ["ALICE","` + largest + `"]`}, largest + "/0", ""},
		"above 128 bits":      {"1/0", []string{`Deposit ["ALICE","` + largest + `"]`}, "", "extrinsic 3, event 0, balances.Deposit: overflow"},
		"slashed":             {"10/5", []string{`Deposit ["ALICE","1"]`, `Slashed ["ALICE","7"]`}, "", "extrinsic 3, event 1, balances.Slashed: the event does not state how much the balance changed"},
		"on hold, from":       {"10/5", []string{`TransferOnHold ["x","ALICE","BOB","5"]`}, "10/0", ""},
		"on hold, refunded":   {"10/5", []string{`TransferOnHold [{"revive":"AddressMapping"},"BOB","ALICE","5"]`}, "15/5", ""},
		"held, burned":        {"10/5", []string{`BurnedHeld [{"revive":"StorageDepositReserve"},"ALICE","5"]`}, "10/0", ""},
		"on hold, to":         {"10/5", []string{`TransferOnHold ["x","BOB","ALICE","5"]`}, "", "extrinsic 3, event 0, balances.TransferOnHold: the event does not state how much the balance changed"},
	} {
		t.Run(name, func(t *testing.T) {
			x := chain.Extrinsic{Index: 3}
			for _, text := range test.events {
				event, data, _ := strings.Cut(text, " ")
				x.Events = append(x.Events, balancesEvent(t, event, data))
			}
			movements, unclassified := movement.Of(&chain.Block{Extrinsics: []chain.Extrinsic{x}}, chain.AddressSize)
			require.Empty(t, unclassified)
			closing, err := movement.After(balance(t, test.opening), account(t, "ALICE"), movements)
			if test.err != "" {
				require.EqualError(t, err, test.err)
				require.Equal(t, chain.Balance{}, closing)
				return
			}
			require.NoError(t, err)
			require.Equal(t, balance(t, test.closing), closing)
		})
	}
}

// balance reads free/reserved.
func balance(t testing.TB, text string) chain.Balance {
	t.Helper()
	free, reserved, ok := strings.Cut(text, "/")
	require.True(t, ok, text)
	return chain.Balance{Free: amount(t, free), Reserved: amount(t, reserved)}
}

// A chain that was recorded: its blocks, and the balances that a gateway said
// its accounts had when each was done.
type recordedChain struct {
	size     int // of an account, in bytes
	blocks   []*chain.Block
	balances map[chain.Address][]chain.Balance // by height
}

func readChain(t testing.TB, name string) recordedChain {
	t.Helper()
	r := recordedChain{size: chain.AddressSize, balances: map[chain.Address][]chain.Balance{}}
	r.readBlocks(t, filepath.Join("../../testdata/recordings", name, "blocks"))
	file, err := os.Open(filepath.Join("testdata/balances", name+".txt"))
	require.NoError(t, err)
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var who, free, reserved string
		var height int
		_, err := fmt.Sscan(lines.Text(), &who, &height, &free, &reserved)
		require.NoError(t, err, lines.Text())
		a := account(t, who)
		require.Len(t, r.balances[a], height, "the heights are in order: %s", lines.Text())
		r.balances[a] = append(r.balances[a], balance(t, free+"/"+reserved))
	}
	return r
}

// readPair reads a recorded pair, with a balance of each account and height.
func readPair(t testing.TB, name string) recordedChain {
	t.Helper()
	r := recordedChain{size: chain.LongAddressSize, balances: map[chain.Address][]chain.Balance{}}
	r.readBlocks(t, pairs.Path(t, name, "gateway", "blocks"))
	accounts, err := os.ReadDir(pairs.Path(t, name, "gateway", "balance-info"))
	require.NoError(t, err)
	for _, a := range accounts {
		who, err := chain.ReadAddress(a.Name())
		require.NoError(t, err)
		for height := range r.blocks {
			text, err := os.ReadFile(pairs.Path(t, name, "gateway", "balance-info", a.Name(), strconv.Itoa(height)+".json"))
			require.NoError(t, err)
			var said struct{ Free, Reserved string }
			require.NoError(t, json.Unmarshal(text, &said))
			r.balances[who] = append(r.balances[who], balance(t, said.Free+"/"+said.Reserved))
		}
	}
	return r
}

// readBlocks reads the blocks from 0 on.
func (r *recordedChain) readBlocks(t testing.TB, directory string) {
	t.Helper()
	for height := 0; ; height++ {
		text, err := os.ReadFile(filepath.Join(directory, strconv.Itoa(height)+".json"))
		if os.IsNotExist(err) {
			break
		}
		require.NoError(t, err)
		b, err := sidecar.DecodeBlock(string(text))
		require.NoError(t, err)
		require.EqualValues(t, height, b.Number)
		r.blocks = append(r.blocks, b)
	}
}

// differences are the accounts whose balance at a height is not what the balance
// before and the block's movements make of it, with how many figures were compared.
func (r *recordedChain) differences(height int) (wrong []string, compared int) {
	movements, unclassified := movement.Of(r.blocks[height], r.size)
	if len(unclassified) > 0 {
		wrong = append(wrong, fmt.Sprintf("unclassified: %v", unclassified))
	}
	for a, balances := range r.balances {
		closing, err := movement.After(balances[height-1], a, movements)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%v: %v", a, err))
			continue
		}
		if want := balances[height]; closing != want {
			wrong = append(wrong, fmt.Sprintf("%v: have %v, want %v", a, closing, want))
		}
		compared += 2 // free and reserved
	}
	return wrong, compared
}

var recordedChains = map[string]struct {
	paired    bool // one of testdata/pairs
	accounts  int
	heights   int
	movements int // counted in the JSON: an event each, two for one of two accounts; none for Endowed and the issuance
	moved     int // accounts and heights with movements
	visible   int // events among those that name an account whose balance was recorded
	nothing   int // visible events of an amount of 0
}{
	"moonbeam-1701":    {accounts: 18, heights: 21, movements: 225, moved: 65, visible: 124},
	"moonbeam-2100":    {accounts: 18, heights: 27, movements: 304, moved: 79, visible: 163},
	"passet-1019002":   {paired: true, accounts: 12, heights: 39, movements: 448, moved: 104, visible: 265, nothing: 14},
	"stack-template-3": {paired: true, accounts: 20, heights: 37, movements: 679, moved: 165, visible: 572, nothing: 10},
}

// Opening + movements = closing, to the unit: every account, every height, free and reserved.
func TestRecordedBalances(t *testing.T) {
	balances := 0
	for name, recording := range recordedChains {
		t.Run(name, func(t *testing.T) {
			r := read(t, name)
			require.Len(t, r.blocks, recording.heights+1)
			require.Len(t, r.balances, recording.accounts)
			sum, moved := 0, 0
			for height := range r.blocks {
				movements, unclassified := movement.Of(r.blocks[height], r.size)
				require.Empty(t, unclassified)
				sum += len(movements)
				if height == 0 {
					continue
				}
				wrong, compared := r.differences(height)
				require.Empty(t, wrong, "block %d", height)
				require.Equal(t, 2*recording.accounts, compared)
				balances += compared
				for a := range r.balances {
					if slices.ContainsFunc(movements, func(m movement.Movement) bool { return m.Account == a }) {
						moved++
					}
				}
			}
			require.Equal(t, recording.movements, sum)
			require.Equal(t, recording.moved, moved)
		})
	}
	t.Logf("%d balances", balances)
}

func read(t testing.TB, name string) recordedChain {
	t.Helper()
	if recordedChains[name].paired {
		return readPair(t, name)
	}
	return readChain(t, name)
}

// What is held of each reason is the sum of its movements: those of an account add up to all that is reserved of it.
func TestRecordedHolds(t *testing.T) {
	for name, want := range map[string]map[chain.HoldReason]int{ // movements by reason, counted in the JSON
		"passet-1019002":   {"revive.StorageDepositReserve": 16, "revive.CodeUploadDepositReserve": 3, "revive.AddressMapping": 1},
		"stack-template-3": {"revive.StorageDepositReserve": 40, "revive.CodeUploadDepositReserve": 11, "revive.AddressMapping": 4},
	} {
		t.Run(name, func(t *testing.T) {
			r := read(t, name)
			have := map[chain.HoldReason]int{}
			type hold struct {
				account chain.Address
				reason  chain.HoldReason // "" for a reserve
			}
			held := map[hold]chain.SignedWei{}
			for height, b := range r.blocks {
				movements, _ := movement.Of(b, r.size)
				for i := range movements {
					m := &movements[i]
					reason, known := m.Reason.Get()
					if known {
						have[reason]++
					}
					by, _ := m.Reserved.Get()
					sum, err := held[hold{m.Account, reason}].Add(by)
					require.NoError(t, err)
					require.GreaterOrEqual(t, sum.Sign(), 0)
					held[hold{m.Account, reason}] = sum
				}
				for a, balances := range r.balances {
					sum := balances[0].Reserved.Signed()
					for h, amount := range held {
						if h.account == a {
							var err error
							sum, err = sum.Add(amount)
							require.NoError(t, err)
						}
					}
					require.Equal(t, balances[height].Reserved.Signed(), sum, "block %d, %v", height, a)
				}
			}
			require.Equal(t, want, have)
		})
	}
}

// One unit more in any event about a recorded account, or the event left out,
// breaks the equality: the comparison sees each of them.
func TestRecordedBalancesSeeEveryEvent(t *testing.T) {
	for name, recording := range recordedChains {
		t.Run(name, func(t *testing.T) {
			r := read(t, name)
			seen, nothing := 0, 0
			for height := 1; height < len(r.blocks); height++ {
				b := r.blocks[height]
				lists := [][]chain.Event{b.OnInitialize, b.OnFinalize}
				for i := range b.Extrinsics {
					lists = append(lists, b.Extrinsics[i].Events)
				}
				for _, events := range lists {
					for j := range events {
						if !r.visible(&events[j]) {
							continue
						}
						seen++
						original := events[j]
						events[j].Data = oneMore(t, original)
						r.requireDifferent(t, height, "one unit more in", original)
						events[j] = chain.Event{Pallet: "system", Name: "Remarked"}
						if original.Data[len(original.Data)-1] == chain.Uint64Value(0) {
							nothing++
						} else {
							r.requireDifferent(t, height, "without", original)
						}
						events[j] = original
					}
				}
				wrong, _ := r.differences(height)
				require.Empty(t, wrong, "the block is as it was")
			}
			require.Equal(t, recording.visible, seen)
			require.Equal(t, recording.nothing, nothing)
		})
	}
}

func (r *recordedChain) requireDifferent(t *testing.T, height int, what string, e chain.Event) {
	t.Helper()
	wrong, _ := r.differences(height)
	require.NotEmpty(t, wrong, "block %d: %s %s %s goes unnoticed", height, what, e.Name, e.Data)
}

// visible reports whether a balances event moves something of a recorded account.
func (r *recordedChain) visible(e *chain.Event) bool {
	if e.Pallet != "balances" || e.Name == "Endowed" {
		return false
	}
	for _, v := range e.Data {
		if a, err := v.Account(); err == nil && r.balances[a] != nil {
			return true
		}
	}
	return false
}

// oneMore is the event's data with one unit more in its last value, the amount.
func oneMore(t *testing.T, e chain.Event) chain.Values {
	t.Helper()
	data := slices.Clone(e.Data)
	last := len(data) - 1
	n, err := data[last].Wei()
	require.NoError(t, err)
	n, err = n.Add(chain.NewWei(1))
	require.NoError(t, err)
	data[last] = chain.NumberValue(n.Word())
	return data
}
