#!/usr/bin/env bash
# Workers that fill a ledger over a network: they and their PostgreSQL server run in network
# namespaces of their own, with a link between them. It wants root and ip.
#
#	internal/bench/ledger/namespaces.sh BLOCKS WORKERS LATENCY [SECONDS]
#
# The latency is that of a question and its answer together, such as 20ms. After ten seconds
# the link is taken down for so many seconds, if any.
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: $0 BLOCKS WORKERS LATENCY [SECONDS]" >&2; exit 2; }
cd "$(dirname "$0")/../../.."
blocks=$1 workers=$2 latency=$3 down=${4:-0}

bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -1)
directory=$(mktemp -d)
server=fees-server-$$ client=fees-client-$$
end() {
	[ -f "$directory/data/postmaster.pid" ] && kill -INT "$(head -1 "$directory/data/postmaster.pid")" && sleep 2
	ip netns delete "$server" 2>/dev/null || true
	ip netns delete "$client" 2>/dev/null || true
	rm -rf "$directory"
}
trap end EXIT

ip netns add "$server"
ip netns add "$client"
ip link add name fees0 netns "$server" type veth peer name fees1 netns "$client"
ip -n "$server" address add 10.77.0.1/24 dev fees0
ip -n "$client" address add 10.77.0.2/24 dev fees1
for name in "$server" "$client"; do ip -n "$name" link set lo up; done
ip -n "$server" link set fees0 up
ip -n "$client" link set fees1 up

chown postgres "$directory"
as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
as_postgres "$bin/initdb" -D "$directory/data" -A trust -U fees >/dev/null
echo 'host all all 10.77.0.0/24 trust' >>"$directory/data/pg_hba.conf"
ip netns exec "$server" setpriv --reuid=postgres --regid=postgres --clear-groups \
	"$bin/pg_ctl" -D "$directory/data" -w -l "$directory/log" \
	-o "-c listen_addresses=10.77.0.1 -c unix_socket_directories=$directory -c shared_buffers=512MB -c max_wal_size=4GB" start >/dev/null

go build -o "$directory/bench" ./internal/bench/ledger
if [ "$down" != 0 ]; then
	(sleep 10; ip -n "$client" link set fees1 down; sleep "$down"; ip -n "$client" link set fees1 up) &
fi
ip netns exec "$client" "$directory/bench" -n "$blocks" -workers "$workers" -latency "$latency" -ledger "postgres://fees@10.77.0.1:5432/postgres"
