package web

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The number of sessions is limited: expired ones are dropped first, then the least recently used
// one.
func TestMostSessions(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	s := newSessions(func() time.Time { return now })
	var cookies []string
	for i := range maxSessions {
		now = now.Add(time.Second)
		cookies = append(cookies, s.begin(fmt.Sprint("user", i)))
	}
	require.Equal(t, "user0", s.userOf(cookies[0], true), "it is used")
	now = now.Add(time.Second)
	last := s.begin("last")
	require.Len(t, s.kept, maxSessions)
	require.Equal(t, "user0", s.userOf(cookies[0], true))
	require.Empty(t, s.userOf(cookies[1], true))
	require.Equal(t, "user2", s.userOf(cookies[2], true))
	require.Equal(t, "last", s.userOf(last, true))
	now = now.Add(unusedTime)
	next := s.begin("next")
	require.Len(t, s.kept, 1)
	require.Equal(t, "next", s.userOf(next, true))
	require.Empty(t, s.userOf(last, true))
	seen := map[string]bool{}
	for _, c := range cookies {
		require.Len(t, c, 43)
		require.False(t, seen[c])
		seen[c] = true
	}
}

// The number of counters is limited: the oldest is dropped.
func TestMostFailing(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	f := newFailures(func() time.Time { return now })
	from := client{netip.MustParseAddr("192.0.2.1"), true}
	anna := from.failing("anna")
	for range maxFailures {
		f.add(anna)
	}
	for i := range maxFailing {
		now = now.Add(time.Millisecond)
		f.add(from.failing(fmt.Sprint("user", i)))
		if i == maxFailing-2 {
			found, hold := f.slow(anna)
			require.NotNil(t, found)
			require.Positive(t, hold)
		}
	}
	require.Len(t, f.kept, maxFailing)
	found, _ := f.slow(anna)
	require.Nil(t, found)
}

// IPv6 addresses count by the client's network, IPv4 addresses individually, each together with names. A shared
// address counts only together with names.
func TestFailing(t *testing.T) {
	of := func(text, name string) []failing { return client{address: netip.MustParseAddr(text)}.failing(name) }
	require.Equal(t, of("2001:db8::1", "anna"), of("2001:db8::ffff:1", "anna"))
	for _, other := range [][]failing{of("2001:db8:0:1::1", "anna"), of("192.0.2.1", "anna")} {
		require.NotEqual(t, of("2001:db8::1", "anna")[0].key, other[0].key)
		require.NotEqual(t, of("2001:db8::1", "anna")[1].key, other[1].key)
	}
	anna, bob := of("192.0.2.1", "anna"), of("192.0.2.1", "bob")
	require.NotEqual(t, anna[0].key, bob[0].key)
	require.Equal(t, anna[1], bob[1])
	require.NotEqual(t, of("192.0.2.1", "")[0].key, anna[1].key)
	require.Equal(t, anna[:1], client{netip.MustParseAddr("192.0.2.1"), true}.failing("anna"))
	require.Equal(t, client{}.failing("anna"), client{}.failing("anna"))
	require.NotEqual(t, client{}.failing("anna")[1], anna[1])
}

// Each failure beyond the free ones doubles the delay, up to four times.
func TestHold(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	f := newFailures(func() time.Time { return now })
	anna := client{netip.MustParseAddr("192.0.2.1"), true}.failing("anna")
	for i, want := range []struct {
		left int
		hold time.Duration
	}{{4, 0}, {3, 0}, {2, 0}, {1, 0}, {0, time.Second}, {0, 2 * time.Second}, {0, 4 * time.Second}, {0, 4 * time.Second}} {
		left, hold := f.add(anna)
		require.Equal(t, want.left, left, i)
		require.Equal(t, want.hold, hold, i)
	}
	now = now.Add(forgottenTime)
	left, _ := f.add(anna)
	require.Equal(t, 4, left)
	f.forget(anna)
	require.Empty(t, f.kept)
}

// A delay is given in words, and never rounded down.
func TestInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Millisecond: "1 second", 58*time.Second + time.Nanosecond: "59 seconds", time.Minute: "1 minute", time.Minute + 1: "2 minutes", 15 * time.Minute: "15 minutes", 2 * time.Second: "2 seconds",
	} {
		require.Equal(t, want, inWords(d))
	}
}

// Background polling of a page does not extend a session.
func TestUnusedSessions(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	s := newSessions(func() time.Time { return now })
	cookie := s.begin("anna")
	now = now.Add(unusedTime - 1)
	require.Equal(t, "anna", s.userOf(cookie, false))
	now = now.Add(1)
	require.Empty(t, s.userOf(cookie, false))
	require.Empty(t, s.kept)
}
