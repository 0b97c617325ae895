package evidence_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// Where accounts have 20 bytes, none is claimed: one of 32 bytes in its place is a contradiction.
func TestNoClaimsOnChainsOfOneSize(t *testing.T) {
	h := load(t, 2100)
	other := chain.Address32([32]byte{31: 1}).String()
	const height = 7
	block := h.blocks[height]
	place := regexp.MustCompile(`"method":"transfer"\}.*?"dest":"(0x[0-9a-fA-F]{40})"`).FindStringSubmatchIndex(block)
	require.NotNil(t, place)
	altered := block[:place[2]] + other + block[place[3]:]
	requireCaught(t, h.judge(t, height, altered, h.multipliers[height-1]), []string{"native.call"}, "the recipient of a transfer")
}
