package ledgertest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/repository"
)

// Balances are account balances by height.
type Balances map[chain.Address]map[uint64]chain.Balance

// Balance returns an account's balance after a block, or an error if it is unknown.
func (b Balances) Balance(ctx context.Context, account chain.Address, height uint64) (chain.Balance, error) {
	have, ok := b[account][height]
	if !ok {
		return have, fmt.Errorf("no balance of %v at block %d", account, height)
	}
	return have, ctx.Err()
}

// Add records a balance of an account.
func (b Balances) Add(t testing.TB, who string, height uint64, free, reserved string) {
	t.Helper()
	account, err := chain.ParseAddress(who)
	require.NoError(t, err)
	var have chain.Balance
	have.Free, err = chain.ParseWei(free)
	require.NoError(t, err)
	have.Reserved, err = chain.ParseWei(reserved)
	require.NoError(t, err)
	if b[account] == nil {
		b[account] = map[uint64]chain.Balance{}
	}
	b[account][height] = have
}

// RecordedBalances returns the gateway's recorded balances of a chain's 18 accounts at every height.
func RecordedBalances(t testing.TB, recording string) Balances {
	t.Helper()
	file, err := os.Open(repository.Path("internal", "movement", "testdata", "balances", recording+".txt"))
	require.NoError(t, err)
	defer file.Close()
	told := Balances{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var who, free, reserved string
		var height uint64
		_, err := fmt.Sscan(lines.Text(), &who, &height, &free, &reserved)
		require.NoError(t, err, lines.Text())
		told.Add(t, who, height, free, reserved)
	}
	require.NoError(t, lines.Err())
	require.Len(t, told, 18)
	return told
}
