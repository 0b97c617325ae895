#!/bin/sh
# Ends the services when the package goes (Debian says remove, RPM 0). Ledgers and settings stay.
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now fees-follow.service fees-worker.service fees-serve.service
	fi
	;;
esac
