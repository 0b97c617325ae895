package app_test

import (
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// dataHavenTreasury is "modlpc/trsry", then zeros.
const dataHavenTreasury = "0x6d6f646c70632f74727372790000000000000000"

// dataHaven is a recording of the real runtime 100 of DataHaven's test network behind the
// real gateway.
type dataHaven struct {
	directory string
	last      uint64
	charges   []map[string]string // what each transaction was charged, by its events: made without this program
	named     []string            // accounts
}

func eachDataHaven(t *testing.T, do func(*testing.T, *dataHaven)) {
	for _, name := range []string{"datahaven-100", "datahaven-100m"} {
		t.Run(name, func(t *testing.T) {
			d := &dataHaven{directory: pairs.Path(t, name)}
			file, err := os.Open(filepath.Join(d.gateway(), "charged.csv"))
			require.NoError(t, err)
			defer file.Close()
			rows, err := csv.NewReader(file).ReadAll()
			require.NoError(t, err)
			for _, row := range rows[1:] {
				charge := map[string]string{}
				for i, column := range rows[0] {
					charge[column] = row[i]
				}
				d.charges = append(d.charges, charge)
			}
			blocks, err := filepath.Glob(filepath.Join(d.gateway(), "blocks", "*.json"))
			require.NoError(t, err)
			d.last = uint64(len(blocks) - 1)
			accounts, err := os.ReadDir(filepath.Join(d.gateway(), "balance-info"))
			require.NoError(t, err)
			for _, account := range accounts {
				d.named = append(d.named, account.Name())
			}
			require.Len(t, d.named, 18)
			do(t, d)
		})
	}
}

func (d *dataHaven) gateway() string { return filepath.Join(d.directory, "gateway") }

func (d *dataHaven) reader(t testing.TB) *source.Reader {
	t.Helper()
	src, err := source.Open(d.gateway(), source.Options{})
	require.NoError(t, err)
	return &source.Reader{Source: src, Tables: network.BuiltIn()}
}

// read is a recorded answer about a height.
func (d *dataHaven) read(t testing.TB, directory string, height uint64, to any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.gateway(), directory, fmt.Sprint(height)+".json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, to))
}

// nodeAnswers are what the gateway's node answered to a method, by the parameters.
func (d *dataHaven) nodeAnswers(t testing.TB, method string) map[string]json.RawMessage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.directory, "node", method+".json"))
	require.NoError(t, err)
	var answers map[string]struct{ Result json.RawMessage }
	require.NoError(t, json.Unmarshal(text, &answers))
	results := map[string]json.RawMessage{}
	for parameters, answer := range answers {
		results[parameters] = answer.Result
	}
	return results
}

// node is that node.
func (d *dataHaven) node(t testing.TB) *rpc.Client {
	t.Helper()
	blocks := d.nodeAnswers(t, "chain_getBlock")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID             json.RawMessage
			Method, Params json.RawMessage
		}
		if json.NewDecoder(r.Body).Decode(&q) != nil || string(q.Method) != `"chain_getBlock"` {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, blocks[string(q.Params)])
	}))
	t.Cleanup(server.Close)
	client, err := rpc.New(server.URL, httpclient.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

// sum adds up a column of what was charged, of the rows that are wanted.
func (d *dataHaven) sum(t testing.TB, column string, wanted func(map[string]string) bool) (sum string, count uint64) {
	t.Helper()
	total := new(big.Int)
	for _, charge := range d.charges {
		if wanted(charge) {
			n, ok := new(big.Int).SetString(charge[column], 10)
			require.True(t, ok)
			total.Add(total, n)
			count++
		}
	}
	return total.String(), count
}

func all(map[string]string) bool { return true }

// The explanation of each fee has the share that it was divided by, as its block's parent left it:
// the recorded answer about that block, or the default where that is null.
func TestDataHavenProportionIsExplained(t *testing.T) {
	eachDataHaven(t, func(t *testing.T, d *dataHaven) {
		reader := d.reader(t)
		for _, charge := range d.charges {
			place := charge["height"] + "-" + charge["index"]
			which, err := app.ParseTransactionRef(place, "")
			require.NoError(t, err)
			v, err := app.Explain(t.Context(), reader, which)
			require.NoError(t, err)
			at := slices.IndexFunc(v.Cash.Inputs, func(in explain.Input) bool { return in.Name == "FeesTreasuryProportion" })
			require.NotEqual(t, -1, at, place)
			in := v.Cash.Inputs[at]
			require.Equal(t, "treasury", v.Cash.Inputs[at+1].Name, place)
			share, known := in.Value.Get()
			require.True(t, known, place)
			require.Equal(t, charge["proportion"], share.String(), place)
			var answer struct {
				Value *struct{ RuntimeConfig map[string]string }
			}
			d.read(t, "parameters", v.Block-1, &answer)
			from := fmt.Sprintf("state after block %d, in force for the next block", v.Block-1)
			if answer.Value != nil {
				require.Equal(t, answer.Value.RuntimeConfig["feesTreasuryProportion"], share.String(), place)
			}
			if share.String() == "200000000" { // operator/runtime/*/src/configs/runtime_params.rs
				from += "; equals the default if governance has set none"
			}
			require.Equal(t, from, in.From, place)
		}
	})
}

// trueFindings are those that the recording has: the tool that made it gave block 1 the
// time of the recording, later than block 2's, and set multipliers by hand. Each block of
// this runtime stores 1 (ConstFeeMultiplier).
func (d *dataHaven) trueFindings(t testing.TB) (findings []string) {
	t.Helper()
	before := int64(0)
	for height := uint64(1); height <= d.last; height++ {
		var b struct {
			Extrinsics []struct {
				Method struct{ Pallet string }
				Args   struct{ Now string }
			}
		}
		d.read(t, "blocks", height, &b)
		require.Equal(t, "timestamp", b.Extrinsics[0].Method.Pallet)
		now, err := strconv.ParseInt(b.Extrinsics[0].Args.Now, 10, 64)
		require.NoError(t, err)
		if now <= before {
			findings = append(findings, fmt.Sprint(height, " block.time"))
		}
		before = now
		var stored struct{ Value string }
		d.read(t, "multiplier", height, &stored)
		if stored.Value != "1000000000000000000" {
			findings = append(findings, fmt.Sprint(height, " block.multiplier"))
		}
	}
	return findings
}

// blocksWith counts the blocks that have an event.
func (d *dataHaven) blocksWith(t testing.TB, event string) (blocks int) {
	t.Helper()
	for height := range d.last + 1 {
		var text json.RawMessage
		if d.read(t, "blocks", height, &text); strings.Contains(string(text), `"`+event+`"`) {
			blocks++
		}
	}
	return blocks
}

// Every fee of DataHaven is what was charged, by its events, with every part of it, whatever
// share governance gave to the treasury; no transaction is missing; nothing is found but
// what is true; and a check that is not made cannot be.
func TestDataHavenIsCharged(t *testing.T) {
	eachDataHaven(t, func(t *testing.T, d *dataHaven) {
		left := map[string]map[string]string{}
		shares, senders := map[string]bool{}, map[string]bool{}
		for _, charge := range d.charges {
			left[charge["height"]+"-"+charge["index"]] = charge
			shares[charge["proportion"]], senders[charge["payer"]] = true, true
		}
		require.Len(t, left, len(d.charges))
		if strings.HasSuffix(d.directory, "m") { // there the multiplier moves
			require.Equal(t, []string{"200000000"}, slices.Sorted(maps.Keys(shares)))
			require.Len(t, d.trueFindings(t), 1+4)
		} else {
			require.Equal(t, []string{"0", "1000000000", "200000000", "333333333"}, slices.Sorted(maps.Keys(shares)))
			require.Len(t, d.trueFindings(t), 1)
		}
		var accounts []chain.Address
		for _, account := range d.named {
			accounts = append(accounts, address(t, account))
		}
		e := app.Examination{Reader: d.reader(t), Signatures: true, Node: d.node(t), Accounts: accounts}
		var found []string
		summary, err := app.Examine(t.Context(), chain.Heights{Last: d.last}, e, func(r *evidence.Report) error {
			for i := range r.Transactions {
				x := &r.Transactions[i]
				place := fmt.Sprintf("%d-%d", r.Number, x.Index)
				charge, is := left[place]
				require.True(t, is, place)
				delete(left, place)
				require.Equal(t, charge["charged"], known(t, x.Fee), place)
				require.Equal(t, []string{charge["family"], charge["payer"], charge["charged"], charge["treasury"], charge["author_credit"], charge["burned"]},
					[]string{string(x.Layer), strings.ToLower(known(t, x.Payer)), known(t, x.Charged), known(t, x.Treasury), known(t, x.Author), known(t, x.Burned)}, place)
			}
			for _, f := range r.Findings {
				found = append(found, fmt.Sprint(r.Number, " ", f.Check))
				if f.Check == "block.multiplier" {
					require.Contains(t, f.Message, ", but every block of this runtime stores 1000000000000000000")
				}
			}
			require.Equal(t, []string{`the gateway reports the token "HAVE", but the table of datahaven-testnet has MOCK: check that the gateway serves the right chain`}, r.Notes, "block %d", r.Number)
			return nil
		})
		require.NoError(t, err)
		require.Empty(t, left, "every transaction is there")
		require.Equal(t, d.trueFindings(t), found)

		require.Equal(t, map[evidence.Verdict]int{evidence.Match: len(d.charges)}, summary.Verdicts)
		for column, have := range map[string]chain.Optional[chain.Wei]{"charged": summary.Charged, "treasury": summary.Treasury, "author_credit": summary.Author, "burned": summary.Burned} {
			want, _ := d.sum(t, column, all)
			require.Equal(t, want, known(t, have), column)
		}
		require.Zero(t, summary.Uncertain+summary.Unaccounted+summary.Undetermined+summary.Unanswered)

		blocks := int(d.last) + 1
		natives := 0
		for _, c := range d.charges {
			if c["family"] == "native" {
				natives++
			}
		}
		_, waived := d.sum(t, "charged", func(c map[string]string) bool { return strings.HasPrefix(c["kind"], "sudo.sudo ") })
		want := map[string]int{
			"block.time":       1, // block 0 has no time
			"block.base_fee":   1, // and nothing was stored before it
			"block.multiplier": 1,
			"block.digest":     1,
			"block.nonce":      len(senders),                                    // the first transaction of each
			"block.treasury":   blocks - d.blocksWith(t, "UpdatedInactive") + 1, // and the first time that it tells
			"block.weight":     blocks,                                          // a constant multiplier follows from no weight,
			"block.weighed":    blocks,                                          // so it is not requested; it was not recorded
			"native.formula":   int(waived),                                     // root pays no fee
			"native.signature": natives,                                         // of what is encoded alone, it does not follow
		}
		dataHaven, _ := network.BuiltIn().Named("datahaven-testnet")
		notMade := map[string]int{}
		for i, check := range evidence.Checks() {
			if c := summary.Checks[i]; c.NotApplicable > 0 {
				require.NotEmpty(t, c.Why, check.ID)
				notMade[check.ID] = c.NotApplicable
			} else if check.ID == "block.dust" { // no account was left with less than the deposit
				require.Equal(t, d.blocksWith(t, "DustLost"), c.Held)
			} else if check.ID != "gateway.same" && check.ListedFor(dataHaven) { // no other gateway was asked
				require.Positive(t, c.Held, check.ID)
			}
		}
		require.Equal(t, want, notMade)
	})
}

// nodeBalances are what accounts had after each height, of whom the gateway's node told and
// the gateway was not asked: the treasury and a validator.
func (d *dataHaven) nodeBalances(t testing.TB) map[chain.Address]map[uint64]chain.Balance {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.directory, "node", "heights.json"))
	require.NoError(t, err)
	var heights []struct {
		Height uint64
		Hash   string
	}
	require.NoError(t, json.Unmarshal(text, &heights))
	at := map[string]uint64{}
	for _, h := range heights {
		at[h.Hash] = h.Height
	}
	told := map[chain.Address]map[uint64]chain.Balance{}
	for parameters, result := range d.nodeAnswers(t, "state_getStorage") {
		var key []string
		require.NoError(t, json.Unmarshal([]byte(parameters), &key))
		// system.account, by BLAKE2b-128 of the account, then the account
		account, is := strings.CutPrefix(key[0], "0x26aa394eea5630e07c48ae0c9558cef7b99d880ec681799c0cf30e8886371da9")
		if !is || len(account) != 2*(16+20) || slices.Contains(d.named, "0x"+account[32:]) || string(result) == "null" {
			continue
		}
		var value string
		require.NoError(t, json.Unmarshal(result, &value))
		info, err := hex.DecodeString(strings.TrimPrefix(value, "0x"))
		require.NoError(t, err)
		require.Len(t, info, 4*4+4*16, "nonce, consumers, providers, sufficients; free, reserved, frozen, flags")
		who := address(t, "0x"+account[32:])
		if told[who] == nil {
			told[who] = map[uint64]chain.Balance{}
		}
		told[who][at[key[1]]] = chain.Balance{Free: amount(t, info[16:32]), Reserved: amount(t, info[32:48])}
	}
	return told
}

// amount is a number of 128 bits, in SCALE.
func amount(t testing.TB, bytes []byte) chain.Wei {
	t.Helper()
	slices.Reverse(bytes)
	wei, err := chain.ParseWei(new(big.Int).SetBytes(bytes).String())
	require.NoError(t, err)
	return wei
}

// recordedBalance is what the gateway told that an account had after a height.
func (d *dataHaven) recordedBalance(t testing.TB, account string, height uint64) chain.Balance {
	t.Helper()
	var told struct{ Free, Reserved string }
	d.read(t, filepath.Join("balance-info", account), height, &told)
	free, err := chain.ParseWei(told.Free)
	require.NoError(t, err)
	reserved, err := chain.ParseWei(told.Reserved)
	require.NoError(t, err)
	return chain.Balance{Free: free, Reserved: reserved}
}

// The statements of the accounts lead from one recorded balance to the other, after each
// block, to the wei: of those that paid, by the gateway; of the treasury and of a
// validator, by its node. What each paid or got is what was charged.
func TestDataHavenStatements(t *testing.T) {
	eachDataHaven(t, func(t *testing.T, d *dataHaven) {
		reader, place := d.reader(t), file(t)
		_, err := app.Sync(t.Context(), place, blocks(t, fmt.Sprintf("0..%d", d.last)), app.FillOptions{Reader: reader})
		require.NoError(t, err)
		book := opened(t, place)
		ask := func(account chain.Address, first uint64, balances source.Source) *app.Statements {
			made, err := book.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(first, d.last), Accounts: []chain.Address{account}}, Balances: balances, EveryBlock: balances != nil})
			require.NoError(t, err)
			require.True(t, made.Holds(), account)
			require.Equal(t, "MOCK", made.Style.Symbol)
			return made
		}
		for _, account := range d.named {
			who := address(t, account)
			s := ask(who, 1, reader.Source).List[0]
			require.Equal(t, d.recordedBalance(t, account, 0), must(t, s.Opening), account)
			require.Equal(t, d.recordedBalance(t, account, d.last), must(t, s.Closing), account)
			require.Equal(t, d.last, s.Proved, account)
			require.Zero(t, must(t, s.Unexplained), account)
			paid := map[string]string{}
			for _, layer := range s.Fees {
				paid[string(layer.Layer)] = fmt.Sprint(layer.Charged, " for ", layer.Transactions)
			}
			want := map[string]string{}
			for _, family := range []string{"evm", "native"} {
				sum, count := d.sum(t, "charged", func(c map[string]string) bool { return c["payer"] == account && c["family"] == family })
				if count > 0 {
					want[family] = fmt.Sprint(sum, " for ", count)
				}
			}
			require.Equal(t, want, paid, account)
			for _, kind := range s.Kinds { // a refund of 0 has an event here, and is of the fee
				require.NotContains(t, []movement.Kind{movement.KindWithdrawal, movement.KindDeposit}, kind.Kind, account)
			}
		}

		told := d.nodeBalances(t)
		byNode := otherwise{Source: reader.Source, balance: func(account chain.Address, height uint64) (chain.Balance, error) {
			have, is := told[account][height]
			if !is {
				return have, chain.ErrNotKept
			}
			return have, nil
		}}
		require.Contains(t, told, address(t, dataHavenTreasury))
		for account, balances := range told {
			first := slices.Min(slices.Collect(maps.Keys(balances)))
			s := ask(account, first+1, byNode).List[0]
			require.Equal(t, balances[first], must(t, s.Opening))
			require.Equal(t, balances[d.last], must(t, s.Closing))
			require.Equal(t, d.last-first, s.Proved)
		}

		got := func(account string) string {
			sum := new(big.Int)
			for _, kind := range ask(address(t, account), 1, nil).List[0].Kinds {
				n, ok := new(big.Int).SetString(kind.Free.String(), 10)
				require.True(t, ok)
				sum.Add(sum, n)
			}
			return sum.String()
		}
		treasury, _ := d.sum(t, "treasury", all)
		require.Equal(t, treasury, got(dataHavenTreasury), "it gets only fees")
		authors := map[string]bool{}
		for _, charge := range d.charges {
			authors[charge["author"]] = true
		}
		require.Len(t, authors, 6)
		for author := range authors {
			credit, _ := d.sum(t, "author_credit", func(c map[string]string) bool { return c["author"] == author })
			require.Equal(t, credit, got(author), author)
		}
	})
}

// What the runtime calls itself finds the table, and nothing else is needed. Each network
// has prices of its own.
func TestDataHavenBySpecName(t *testing.T) {
	for _, c := range []struct {
		specName    string
		specVersion string
		rules       string
		symbol      string
		baseFee     string // at a multiplier of 1
	}{
		{"datahaven-testnet", "100", "datahaven-testnet/100", "MOCK", "312500000"},
		{"datahaven-testnet", "400", "datahaven-testnet/400", "MOCK", "312500000"},
		{"datahaven-mainnet", "400", "datahaven/400", "HAVE", "31250000000"},
		{"datahaven-stagenet", "400", "datahaven-stagenet/400", "STAGE", "312500000"},
	} {
		t.Run(c.specName+" "+c.specVersion, func(t *testing.T) {
			directory := pairs.Path(t, "datahaven-100", "gateway")
			recorded := gatewaytest.Handler(directory)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/runtime/spec" {
					recorded.ServeHTTP(w, r)
					return
				}
				answer := httptest.NewRecorder()
				recorded.ServeHTTP(answer, r)
				text := answer.Body.String()
				require.Contains(t, text, `"specName":"datahaven-testnet","specVersion":"100"`)
				io.WriteString(w, strings.Replace(text, `"datahaven-testnet","specVersion":"100"`, fmt.Sprintf("%q,\"specVersion\":%q", c.specName, c.specVersion), 1))
			}))
			defer server.Close()
			src, err := source.Open(server.URL, source.Options{})
			require.NoError(t, err)
			item, err := (&source.Reader{Source: src, Tables: network.BuiltIn()}).Read(t.Context(), source.Height(20))
			require.NoError(t, err)
			require.Equal(t, []string{c.rules, c.symbol}, []string{item.Rules.Name, item.Rules.Symbol})
			require.True(t, item.Rules.Certain)
			report := fee.Price(item.Block, &item.Rules, item.Multiplier)
			require.Equal(t, c.baseFee, known(t, report.BaseFeePerGas))
		})
	}
}

// A bid needs no headroom where the multiplier is constant: no block raises the base fee.
func TestDataHavenBids(t *testing.T) {
	eachDataHaven(t, func(t *testing.T, d *dataHaven) {
		var stored struct{ Value string }
		d.read(t, "multiplier", d.last, &stored)
		base := new(big.Int).Mul(number(t, stored.Value), number(t, "312500000"))
		base.Div(base, number(t, "1000000000000000000"))
		s, err := app.Suggest(t.Context(), app.SuggestRequest{Blocks: 20, Gateway: reads(d.reader(t))})
		require.NoError(t, err)
		require.Equal(t, base.String(), s.Market.BaseFeePerGas.String())
		require.Len(t, s.Bids, 3)
		for _, b := range s.Bids {
			sum := new(big.Int).Add(base, number(t, b.MaxPriorityFeePerGas.String()))
			require.Equal(t, sum.String(), b.MaxFeePerGas.String(), b.Speed)
		}
		reasons := reasonsOf(s)
		require.Contains(t, reasons["base fee"], fmt.Sprintf(" × 0.3125 Gwei, the multiplier stored at block %d, by datahaven-testnet/100", d.last))
		require.NotContains(t, reasons["max fee"], "raises the base fee")
	})
}
