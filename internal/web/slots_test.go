package web

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A ledger that does not answer keeps the others' expensive reads waiting for no longer than a slow read takes to move away, as
// long as few are slow. All are limited.
func TestSlowLedgers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of := newLedgerSlots(20, defaultAtOnce)
		var ledgers []ledgerSlots
		for range 20 {
			ledgers = append(ledgers, of())
		}
		atOnce := cap(ledgers[0].longOfAll.working)
		begin := func(ledger int, limit time.Duration) (leave func(), err error) {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			return ledgers[ledger].acquireLong(ctx)
		}
		var slow []func()
		for ledger := range atOnce + maxSlowReads {
			leave, err := begin(ledger, slowRead+time.Second) // waits at most until the first ones have moved
			require.NoError(t, err)
			slow = append(slow, leave)
		}
		time.Sleep(2 * slowRead)
		_, err := begin(atOnce+maxSlowReads, time.Minute)
		require.ErrorIs(t, err, errBusy, "no more than these at once")
		slow[0]() // one of the first, which moved
		leave, err := begin(19, time.Minute)
		require.NoError(t, err)
		leave()
		leave() // once is enough
		for _, leave := range slow {
			leave()
		}
		synctest.Wait()
		require.Empty(t, ledgers[0].longOfAll.working)
		require.Empty(t, ledgers[0].slowOfAll.working)
		for _, l := range ledgers {
			require.Empty(t, l.long.working)
		}
	})
}

// A read that ends in time moves nowhere.
func TestQuickReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of := newLedgerSlots(2, defaultAtOnce)
		l := of()
		for range 10 {
			leave, err := l.acquireLong(t.Context())
			require.NoError(t, err)
			time.Sleep(slowRead - time.Second)
			require.Len(t, l.longOfAll.working, 1)
			require.Empty(t, l.slowOfAll.working)
			leave()
		}
		time.Sleep(time.Minute)
		require.Empty(t, l.slowOfAll.working)
		require.Empty(t, l.longOfAll.working)
	})
}
