#!/bin/sh
# Stops the services when the package is removed (Debian passes "remove", RPM 0). Keeps ledgers and settings.
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now fees-follow.service fees-worker.service fees-serve.service
	fi
	;;
esac
