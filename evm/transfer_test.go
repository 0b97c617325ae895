package evm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/test/blocktest"
)

const (
	token    = "0x962c0940d72E7Db6c9a5F81f1cA87D8DB2B82A23"
	transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	approval = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"
	padding  = "0x000000000000000000000000"
	ten      = "0x000000000000000000000000000000000000000000000000000000000000000a"
)

var (
	fromTopic = padding + strings.ToLower(alice[2:])
	toTopic   = padding + bob[2:]
)

func log(address, data string, topics ...string) string {
	quoted := `"` + strings.Join(topics, `", "`) + `"`
	if len(topics) == 0 {
		quoted = ""
	}
	return `[{"address": "` + address + `", "topics": [` + quoted + `], "data": "` + data + `"}]`
}

func logs(t *testing.T, data ...string) *chain.Extrinsic {
	t.Helper()
	x := &chain.Extrinsic{}
	for _, d := range data {
		x.Events = append(x.Events, blocktest.Event(t, "evm.Log", d))
	}
	return x
}

func TestTransfers(t *testing.T) {
	largest := "0x" + strings.Repeat("f", 64)
	x := logs(t,
		log(token, ten, transfer, fromTopic, toTopic),
		log(token, ten, approval, fromTopic, toTopic),
		log(strings.ToLower(token), largest, strings.ToUpper(transfer[2:])+"no", fromTopic, toTopic),
		log(strings.ToLower(token), largest, "0x"+strings.ToUpper(transfer[2:]), toTopic, fromTopic),
	)
	x.Events = append(x.Events,
		blocktest.Event(t, "evm.Created", log(token, ten, transfer, fromTopic, toTopic)),
		blocktest.Event(t, "other.Log", log(token, ten, transfer, fromTopic, toTopic)),
	)
	have := evm.Transfers(x)
	require.Len(t, have, 2)
	require.Equal(t, token, have[0].Token.String())
	require.Equal(t, alice, have[0].From.String())
	require.Equal(t, bob, have[0].To.String())
	require.Equal(t, "10", have[0].Amount.String())
	require.Equal(t, token, have[1].Token.String())
	require.Equal(t, bob, have[1].From.String())
	require.Equal(t, alice, have[1].To.String())
	require.Equal(t, maxWord.String(), have[1].Amount.String())
}

func TestTransfersIgnoresOtherLogs(t *testing.T) {
	id := padding + strings.Repeat("0", 39) + "7"
	for name, data := range map[string]string{
		"of an ERC-721, with the token in a fourth topic": log(token, "0x", transfer, fromTopic, toTopic, id),
		"of four topics and an amount":                    log(token, ten, transfer, fromTopic, toTopic, id),
		"two topics":                                      log(token, ten, transfer, fromTopic),
		"one topic":                                       log(token, ten, transfer),
		"no topics":                                       log(token, ten),
		"another signature":                               log(token, ten, approval, fromTopic, toTopic),
		"signature without 0x":                            log(token, ten, transfer[2:], fromTopic, toTopic),
		"sender not padded":                               log(token, ten, transfer, alice, toTopic),
		"sender padded with ones":                         log(token, ten, transfer, "0x111111111111111111111111"+alice[2:], toTopic),
		"sender not hex":                                  log(token, ten, transfer, padding+strings.Repeat("g", 40), toTopic),
		"recipient too short":                             log(token, ten, transfer, fromTopic, toTopic[:64]),
		"recipient too long":                              log(token, ten, transfer, fromTopic, toTopic+"00"),
		"no amount":                                       log(token, "0x", transfer, fromTopic, toTopic),
		"amount too short":                                log(token, ten[:64], transfer, fromTopic, toTopic),
		"amount and more":                                 log(token, ten+strings.Repeat("0", 64), transfer, fromTopic, toTopic),
		"amount not hex":                                  log(token, "0x"+strings.Repeat("g", 64), transfer, fromTopic, toTopic),
		"amount in 66 decimal digits":                     log(token, strings.Repeat("1", 66), transfer, fromTopic, toTopic),
		"address too short":                               log("0x962c", ten, transfer, fromTopic, toTopic),
		"no values":                                       `[]`,
		"a value of another kind":                         `["0x00"]`,
		"an empty log":                                    `[{}]`,
		"topics null":                                     `[{"address": "` + token + `", "topics": null, "data": "` + ten + `"}]`,
		"topics of another kind":                          `[{"address": "` + token + `", "topics": [1, 2, 3], "data": "` + ten + `"}]`,
		"data null":                                       `[{"address": "` + token + `", "topics": ["` + transfer + `", "` + fromTopic + `", "` + toTopic + `"], "data": null}]`,
		"address missing":                                 `[{"topics": ["` + transfer + `", "` + fromTopic + `", "` + toTopic + `"], "data": "` + ten + `"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			have := evm.Transfers(logs(t, data))
			require.NotNil(t, have, "no transfers are an empty list in JSON, not null")
			require.Empty(t, have)
		})
	}
}
