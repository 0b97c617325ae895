#!/usr/bin/env bash
# Workers as processes of the program, over a PostgreSQL server of its own: blocks stored and sealed a second, and the CPU
# of each part, by the number of workers and of nodes.
#
#	internal/bench/ledger/workers.sh BLOCKS ROUNDS
#
# All share this machine's cores. The nodes have generated their blocks before the first request.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: $0 BLOCKS ROUNDS" >&2; exit 2; }
cd "$(dirname "$0")/../../.."
blocks=$1 rounds=$2

bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -1)
directory=$(mktemp -d) nodes=() addresses=() server=
end() {
	for pid in "${nodes[@]}" $server; do kill -INT "$pid"; done
	while [ -e "$directory/server/data/postmaster.pid" ]; do sleep 0.1; done
	rm -rf "$directory"
}
trap end EXIT

go build -o "$directory/" ./cmd/fees ./internal/bench/limits
chmod 711 "$directory"
mkdir "$directory/server"
as=()
if [ "$(id -u)" = 0 ]; then
	chown postgres "$directory/server"
	as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi
(cd / && "${as[@]}" "$bin/initdb" -D "$directory/server/data" -A trust -U fees >/dev/null &&
	"${as[@]}" "$bin/pg_ctl" -D "$directory/server/data" -w -l "$directory/server/log" \
		-o "-c listen_addresses= -c unix_socket_directories=$directory/server -c shared_buffers=512MB -c max_wal_size=4GB" start >/dev/null)
server=$(head -1 "$directory/server/data/postmaster.pid")
place="postgres:///postgres?host=$directory/server&user=fees"
for i in 0 1 2 3; do
	"$directory/limits" -serve -n "$blocks" >"$directory/node$i" &
	nodes+=($!)
done
for i in 0 1 2 3; do
	until [ -s "$directory/node$i" ]; do sleep 0.1; done
	addresses+=("ws://$(cat "$directory/node$i")")
done

# CPU of processes and of their children that have ended, in ticks of 10 ms.
ticks() {
	local sum=0 pid
	for pid in "$@"; do
		sum=$((sum + $(sed 's/.*) //' "/proc/$pid/stat" | awk '{ print $12 + $13 + $14 + $15 }')))
	done
	echo "$sum"
}
printf '%5s %7s %9s   µs of CPU a block: %7s %5s %10s\n' nodes workers blocks/s workers nodes PostgreSQL
for round in $(seq "$rounds"); do
	for from in 1 4; do
		for workers in 1 2 4 8; do
			psql -q "$place" -c "SET client_min_messages = warning; DROP SCHEMA IF EXISTS bench CASCADE; CREATE SCHEMA bench"
			at=(--signatures=false --ledger "$place&search_path=bench")
			"$directory/fees" sync "1..$blocks" --enqueue "${at[@]}" --gateway "${addresses[0]}" >/dev/null
			before=($(ticks $$) $(ticks "${nodes[@]}") $(ticks "$server")) started=$(date +%s%N) list=()
			for i in $(seq "$workers"); do
				"$directory/fees" worker --until-done --quiet "${at[@]}" --gateway "${addresses[$((i % from))]}" &
				list+=($!)
			done
			wait "${list[@]}"
			took=$((($(date +%s%N) - started) / 1000))
			after=($(ticks $$) $(ticks "${nodes[@]}") $(ticks "$server"))
			printf '%5d %7d %9d %22s %6d %5d %10d\n' "$from" "$workers" $((blocks * 1000000 / took)) "" \
				$(((after[0] - before[0]) * 10000 / blocks)) $(((after[1] - before[1]) * 10000 / blocks)) $(((after[2] - before[2]) * 10000 / blocks))
		done
	done
done
