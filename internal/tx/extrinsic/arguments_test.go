package extrinsic_test

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// madeUp returns a runtime that is always available.
func madeUp(t testing.TB) (*extrinsic.Runtime, []byte) {
	answer, err := chaingen.New(chaingen.Options{Seed: 19, Head: 1}).Node().Methods["state_getMetadata"](nil)
	require.NoError(t, err)
	bytes := unhex(t, strings.Trim(string(answer), `"`))
	m, err := metadata.Parse(bytes)
	require.NoError(t, err)
	r, err := extrinsic.NewRuntime(m, extrinsic.Token{Symbol: "GLMR", Decimals: 18})
	require.NoError(t, err)
	return r, bytes
}

const alith = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"

func TestArguments(t *testing.T) {
	r, _ := madeUp(t)
	keepAlive := "0a03" + strings.ToLower(alith[2:])
	for line, want := range map[string]string{
		// pallet 10, call 3, the account, the amount as a compact integer
		"balances.transferKeepAlive " + alith + " 1":                                                  keepAlive + "04",
		"Balances.transfer_keep_alive " + alith + " 0":                                                keepAlive + "00",
		"balances.transferKeepAlive " + alith + " 1.5GLMR":                                            keepAlive + "130000167b0d12d114", // 1.5 × 10^18
		"balances.transferKeepAlive " + alith + " 1GLMR":                                              keepAlive + "13000064a7b3b6e00d",
		"system.remark 0x1234":                                                                        "0001081234",
		"utility.batch [\"0x0001081234\",\"0x0001081234\"]":                                           "1e000800010812340001081234",
		`utility.batch [{"method":{"pallet":"system","method":"remark"},"args":{"remark":"0x1234"}}]`: "1e00040001081234",
	} {
		words := strings.SplitN(line, " ", 3)
		if words[0] == "utility.batch" {
			words = strings.SplitN(line, " ", 2)
		}
		call, err := r.Call(words[0], words[1:])
		require.NoError(t, err, line)
		// The index of a call in its pallet is the runtime's: the rest was computed by hand.
		require.Equal(t, want[4:], hex.EncodeToString(call)[4:], line)
		_, err = r.ReadCall(call)
		require.NoError(t, err)
	}
	for line, says := range map[string]string{
		"balances":                                                           "want PALLET.CALL",
		"nowhere.remark 1":                                                   "the runtime has no pallet",
		"balances.nothing 1":                                                 `the pallet balances has no call "nothing": it has transfer`,
		"balances.transferKeepAlive " + alith:                                "needs 2 arguments, got 1",
		"balances.transferKeepAlive " + alith + " -1":                        "argument value (Compact<u128>): want an",
		"balances.transferKeepAlive " + alith + " 1.5":                       "or an amount of the token such as 1.5GLMR",
		"balances.transferKeepAlive " + alith + " 1.5DEV":                    "the chain's token is GLMR",
		"balances.transferKeepAlive " + alith + " 0.0000000000000000001GLMR": "has 19 decimals",
		"balances.transferKeepAlive " + alith + " 340282366920938463463374607431768211456": "128 bits",
		"balances.transferKeepAlive 0xF24FF3a9CF04c71Dbc94D0b566f7A27B94566cac 1":          "argument dest (AccountId20): want an address",
		"system.remark hello":                  "argument remark (Vec<u8>): want 0x and pairs of hex digits",
		"balances.transferAll " + alith + " 2": "argument keep_alive (bool): want true or false",
		"utility.batch [\"0x00010812\"]":       "want the bytes of a call of the runtime",
	} {
		words := strings.Fields(line)
		_, err := r.Call(words[0], words[1:])
		require.ErrorContains(t, err, says, line)
	}
}

// Eras, computed by hand.
func TestEra(t *testing.T) {
	for _, c := range []struct{ period, at, phase, of, birth, death uint64 }{
		{64, 6, 6, 64, 6, 70},
		{64, 70, 6, 64, 70, 134},
		{5, 42, 2, 8, 42, 50},
		{1, 42, 2, 4, 42, 46},
		{65536, 1_000_003, 16960, 65536, 1_000_000, 1_065_536}, // in steps of 16 blocks
	} {
		e, err := extrinsic.NewEra(c.period, c.at)
		require.NoError(t, err)
		require.Equal(t, extrinsic.Era{Period: c.of, Phase: c.phase}, e)
		require.Equal(t, c.birth, e.Birth(c.at))
		require.False(t, e.Immortal())
		require.Equal(t, c.death, e.Birth(c.at)+e.Period)
	}
	_, err := extrinsic.NewEra(65537, 1)
	require.Error(t, err)
}

// TestNothingPanics uses ten thousand damaged arguments, calls and metadata (FEES_FAULTS overrides the
// number).
func TestNothingPanics(t *testing.T) {
	runtime, bytes := madeUp(t)
	m, err := metadata.Parse(bytes)
	require.NoError(t, err)
	faults := tier.Count(t, "FEES_FAULTS", 10_000, 10_000)
	r := rand.New(rand.NewPCG(19, 1))
	pieces := []string{"0x", "null", "{", "}", "[", "]", "\"", ":", ",", "1", "0", "-", ".", "GLMR", alith, "true", "raw", "call", "method", "args", "\x00", "ü", "99999999999999999999", " "}
	var calls []extrinsic.Called
	for _, p := range m.Pallets {
		list, err := runtime.Calls(p.Name)
		require.NoError(t, err)
		calls = append(calls, list...)
	}
	made := 0
	for range faults * 8 / 10 {
		c := calls[r.IntN(len(calls))]
		arguments := make([]string, len(c.Arguments))
		for i := range arguments {
			for range 1 + r.IntN(6) {
				arguments[i] += pieces[r.IntN(len(pieces))]
			}
		}
		call, err := runtime.Call(c.Pallet+"."+c.Name, arguments)
		if err == nil {
			made++
			v, err := runtime.ReadCall(call)
			require.NoError(t, err)
			again, err := runtime.CallOf(v)
			require.NoError(t, err)
			require.Equal(t, call, again)
		}
	}
	for range faults * 19 / 100 { // bytes of calls and extrinsics
		raw := make([]byte, r.IntN(80))
		for i := range raw {
			raw[i] = byte(r.Uint32())
		}
		if len(raw) > 2 && r.IntN(2) == 0 {
			raw[0] = m.Pallets[r.IntN(len(m.Pallets))].Index
			raw[1] %= 20
		}
		_, _ = runtime.ReadCall(raw)
		_, _ = runtime.Read(raw)
		_, _ = runtime.ReadCost(raw)
	}
	for range max(faults/100, 1) { // metadata
		damaged := append([]byte(nil), bytes...)
		for range 1 + r.IntN(8) {
			damaged[5+r.IntN(len(damaged)-5)] ^= byte(1 << r.IntN(8))
		}
		if m, err := metadata.Parse(damaged); err == nil {
			if damagedRuntime, err := extrinsic.NewRuntime(m, extrinsic.Token{}); err == nil {
				_, _ = damagedRuntime.Call("balances.transferKeepAlive", []string{alith, "1"})
				_, _ = damagedRuntime.Payload([]byte{0}, &extrinsic.Signing{})
			}
		}
	}
	require.Positive(t, made)
	t.Logf("%d faults, %d of which made a call", faults, made)
}
