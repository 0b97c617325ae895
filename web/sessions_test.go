package web

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// There are so many sessions at most: those that are over go first, then that which was not used
// for longest.
func TestMostSessions(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	s := newSessions(func() time.Time { return now })
	var cookies []string
	for i := range mostSessions {
		now = now.Add(time.Second)
		cookies = append(cookies, s.begin(fmt.Sprint("user", i)))
	}
	require.Equal(t, "user0", s.userOf(cookies[0], true), "it is used")
	now = now.Add(time.Second)
	last := s.begin("last")
	require.Len(t, s.kept, mostSessions)
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

// So many names and addresses are remembered at most: that goes which failed the longest ago.
func TestMostFailing(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	f := newFailures(func() time.Time { return now })
	for range mostFailures {
		f.add(nameFails("anna"))
	}
	for i := range mostFailing {
		now = now.Add(time.Millisecond)
		f.add(nameFails(fmt.Sprint("user", i)))
		if i == mostFailing-2 {
			wait, left := f.wait(nameFails("anna"))
			require.Positive(t, wait)
			require.Zero(t, left)
		}
	}
	require.Len(t, f.kept, mostFailing)
	wait, left := f.wait(nameFails("anna"))
	require.Zero(t, wait)
	require.Equal(t, mostFailures, left)
}

// Addresses of IPv6 count by the network that somebody has, those of IPv4 each alone, and a name is
// no address.
func TestFailing(t *testing.T) {
	of := func(text string) failing { return addressFails(netip.MustParseAddr(text)) }
	require.Equal(t, of("2001:db8::1"), of("2001:db8::ffff:1"))
	require.NotEqual(t, of("2001:db8::1"), of("2001:db8:0:1::1"))
	require.NotEqual(t, of("192.0.2.1"), of("192.0.2.2"))
	require.NotEqual(t, of("192.0.2.1"), nameFails("192.0.2.1/32"))
	require.Equal(t, addressFails(netip.Addr{}), addressFails(netip.Addr{}))
	require.NotEqual(t, addressFails(netip.Addr{}), of("192.0.2.1"))
}

// A wait is told as people say it, and is never told too short.
func TestInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Millisecond: "1 second", 58*time.Second + time.Nanosecond: "59 seconds", time.Minute: "1 minute", time.Minute + 1: "2 minutes", 15 * time.Minute: "15 minutes", 2 * time.Second: "2 seconds",
	} {
		require.Equal(t, want, inWords(d))
	}
}

// A page that asks for news by itself is no use of a session.
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
