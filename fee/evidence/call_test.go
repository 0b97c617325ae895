package evidence_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/pairs"
)

const (
	caller  = "0x5a3f019E03FB6e2097B19ea78bE1252842c883A0"
	payee   = "0xa671AEAa6F278d7B05C45Dae2c86160B9AfeDfAB"
	another = "0xe455418A4133Ba37a57B3b5efE4A3CD159d08fa0"
)

// signedCall returns a block with one signed extrinsic. Each event is "pallet.Name [data]".
func signedCall(t *testing.T, call, args, frame string, events ...string) *chain.Block {
	pallet, name, _ := strings.Cut(call, ".")
	hash := `"0x` + strings.Repeat("11", 32) + `"`
	var list []string
	for _, e := range append(events, fmt.Sprintf(`transactionPayment.TransactionFeePaid ["%s","7","0"]`, caller)) {
		event, data, _ := strings.Cut(e, " ")
		of, named, _ := strings.Cut(event, ".")
		list = append(list, fmt.Sprintf(`{"method":{"pallet":%q,"method":%q},"data":%s}`, of, named, data))
	}
	b, err := sidecar.DecodeBlock(fmt.Sprintf(`{"number":"7","hash":%s,"parentHash":%s,"extrinsics":[{"method":{"pallet":%q,"method":%q},"signature":{"signature":"0x","signer":%q},%s,"args":%s,"tip":"0","hash":%s,"events":[%s]}]}`,
		hash, hash, pallet, name, caller, frame, args, hash, strings.Join(list, ",")))
	require.NoError(t, err)
	return b
}

const (
	well     = `system.ExtrinsicSuccess [{"weight":{"refTime":"1","proofSize":"1"},"class":"Normal","paysFee":"Yes"}]`
	ordinary = `"nonce":"5","era":{"mortalEra":["64","12"]}`
	transfer = `{"dest":"` + payee + `","value":"1000"}`
)

func failed(with string) string {
	return `system.ExtrinsicFailed [` + with + `,{"weight":{"refTime":"1","proofSize":"1"},"class":"Normal","paysFee":"Yes"}]`
}

func moved(from, to, amount string) string {
	return fmt.Sprintf(`balances.Transfer [%q,%q,%q]`, from, to, amount)
}

func TestCall(t *testing.T) {
	badOrigin := failed(`{"badOrigin":null}`)
	proxied := `proxy.ProxyExecuted [{"ok":null}]`
	for _, c := range []struct {
		call, args, frame string
		events            []string
		want              string
	}{
		{"balances.transferAllowDeath", transfer, ordinary, []string{moved(caller, payee, "1000"), well}, ""},
		{"balances.transferKeepAlive", `{"dest":{"id":"` + payee + `"},"value":1000}`, ordinary, []string{moved(caller, strings.ToLower(payee), "1000"), well}, ""},
		{"balances.transfer", transfer, ordinary, []string{failed(`{"token":"FundsUnavailable"}`)}, ""},
		{"balances.transfer", `{"dest":"` + payee + `","value":"0"}`, ordinary, []string{well}, ""},
		{"balances.transfer", `{"dest":"` + caller + `","value":"1"}`, ordinary, []string{well}, ""},
		{"balances.transfer", `{"dest":{"index":"4"},"value":"1"}`, ordinary, []string{well}, ""},
		{"balances.transferAll", `{"dest":"` + payee + `"}`, ordinary, []string{well}, ""},
		{"balances.transferAllowDeath", transfer, ordinary, []string{moved(caller, another, "1000"), well}, "no balances.Transfer moved 1000 wei from " + caller + " to " + payee},
		{"balances.transferAllowDeath", transfer, ordinary, []string{moved(another, payee, "1000"), well}, "no balances.Transfer moved"},
		{"balances.transferAllowDeath", transfer, ordinary, []string{moved(caller, payee, "1001"), well}, "no balances.Transfer moved"},
		{"balances.transferAllowDeath", transfer, ordinary, []string{well}, "no balances.Transfer moved"},
		{"balances.transferAllowDeath", transfer, ordinary, []string{moved(caller, payee, "1000"), proxied, well}, "balances.transferAllowDeath cannot emit proxy.ProxyExecuted"},

		{"system.setStorage", `{"items":[]}`, ordinary, []string{badOrigin}, ""},
		{"system.setCode", `{}`, ordinary, []string{failed(`"BadOrigin"`)}, ""},
		{"system.setCode", `{}`, ordinary, []string{failed(`{"module":{"index":"0","error":"0x05000000"}}`)}, ""}, // its call filter
		{"system.setStorage", `{"items":[]}`, ordinary, []string{well}, "a signer cannot call system.setStorage"},
		{"system.setStorage", `{"items":[]}`, ordinary, []string{failed(`{"module":{"index":"4","error":"0x02000000"}}`)}, "a signer cannot call system.setStorage"},
		{"system.authorizeUpgradeWithoutChecks", `{}`, ordinary, []string{failed(`{"arithmetic":"Underflow"}`)}, "a signer cannot call"},
		{"parachainSystem.setValidationData", `{}`, ordinary, []string{well}, "a signer cannot call"},
		{"timestamp.set", `{"now":"1"}`, ordinary, []string{failed(`{"token":"Frozen"}`)}, "a signer cannot call"},
		{"balances.forceTransfer", `{}`, ordinary, []string{well}, "a signer cannot call"},

		{"system.remark", `{"remark":"0x"}`, ordinary, []string{well}, ""},
		{"system.remark", `{"remark":"0x"}`, ordinary, []string{failed(`{"arithmetic":"Underflow"}`)}, "system.remark cannot fail as the extrinsic did"},
		{"system.remark", `{"remark":"0x"}`, ordinary, []string{`utility.BatchCompleted []`, well}, "system.remark cannot emit utility.BatchCompleted"},
		{"system.remark", `{"remark":"0x"}`, ordinary, []string{`system.Remarked ["` + caller + `","0x"]`, well}, "system.remark cannot emit system.Remarked"},
		{"system.remarkWithEvent", `{"remark":"0x"}`, ordinary, []string{`system.Remarked ["` + caller + `","0x"]`, well}, ""},
		{"system.remarkWithEvent", `{"remark":"0x"}`, ordinary, []string{well}, "system.remarkWithEvent succeeded without the event system.Remarked"},

		{"proxy.proxy", `{}`, ordinary, []string{proxied, well}, ""},
		{"proxy.proxy", `{}`, ordinary, []string{badOrigin}, ""},
		{"proxy.proxy", `{}`, ordinary, []string{well}, "proxy.proxy succeeded without the event proxy.ProxyExecuted"},
		{"utility.batch", `{}`, ordinary, []string{`utility.ItemCompleted []`, `utility.BatchInterrupted ["1",{}]`, well}, ""},
		{"utility.batchAll", `{}`, ordinary, []string{`utility.BatchInterrupted ["1",{}]`, well}, "utility.batchAll succeeded without"},
		{"unknown.call", `{}`, ordinary, []string{proxied, well}, ""},

		{"unknown.call", `{}`, `"nonce":"4294967295","era":{"immortalEra":"0x00"}`, []string{well}, ""},
		{"unknown.call", `{}`, `"nonce":"4294967296","era":{"immortalEra":"0x00"}`, []string{well}, "no account can have the nonce 4294967296"},
		{"unknown.call", `{}`, `"nonce":"5","era":{"mortalEra":["64","64"]}`, []string{well}, "no era has the period 64 and the phase 64"},
		{"unknown.call", `{}`, `"nonce":"5","era":{"mortalEra":["2","1"]}`, []string{well}, "no era has the period 2"},
		{"unknown.call", `{}`, `"nonce":"5","era":{"mortalEra":["48","1"]}`, []string{well}, "no era has the period 48"},
		{"unknown.call", `{}`, `"nonce":"5","era":{"mortalEra":["131072","1"]}`, []string{well}, "no era has the period 131072"},
		{"unknown.call", `{}`, `"nonce":"5","era":{"mortalEra":["65536","65535"]}`, []string{well}, ""},
		{"unknown.call", `{}`, `"nonce":"5"`, []string{well}, ""},
	} {
		r := proved(signedCall(t, c.call, c.args, c.frame, c.events...), rulesOf(t, "moonbeam", 2100), evidence.Options{})
		what := fmt.Sprint(c.call, c.frame, c.events)
		if c.want == "" {
			require.Equal(t, "held", outcome(t, r, "native.call"), what)
			continue
		}
		require.Contains(t, outcome(t, r, "native.call"), c.want, what)
		require.Contains(t, outcome(t, r, "native.call"), "--gateway ws://HOST", what)
	}
}

// Sidecar 18.0.0 without VFlow's types named a different call for each of these: all are found. With the types
// there are no findings.
func TestMisreadCalls(t *testing.T) {
	right, wrong := pairs.Path(t, "vflow-2000", "gateway/blocks"), pairs.Path(t, "vflow-2000-sidecar18-no-types", "blocks")
	files, err := os.ReadDir(wrong)
	require.NoError(t, err)
	misread, natives := 0, 0
	for _, file := range files {
		read := func(directory string) *chain.Block {
			text, err := os.ReadFile(filepath.Join(directory, file.Name()))
			require.NoError(t, err)
			b, err := sidecar.DecodeBlock(string(text))
			if err != nil {
				var refused *sidecar.RefusalError
				require.ErrorAs(t, err, &refused)
				require.True(t, sidecar.CannotDecode(refused.Message))
			}
			return b
		}
		want := read(right)
		have := read(wrong)
		for _, b := range []*chain.Block{want, have} {
			if b == nil {
				continue
			}
			r := proved(b, rulesOf(t, "moonbeam", 2100), evidence.Options{})
			for i := range r.Transactions {
				x := r.Transactions[i]
				if x.Layer != fee.Native {
					continue
				}
				natives++
				same := want.Extrinsics[x.Index].Hash == b.Extrinsics[x.Index].Hash
				if !same {
					misread++
				}
				found := slices.ContainsFunc(r.Findings, func(f evidence.Finding) bool {
					return f.Check == "native.call" && f.Extrinsic == chain.Some(x.Index)
				})
				require.Equal(t, !same, found, "%s, extrinsic %d", file.Name(), x.Index)
			}
		}
	}
	require.Equal(t, 10, misread)
	require.Equal(t, 55+10, natives)
}
