#!/bin/sh
# Creates the services' user and restarts running services. Enables none.
set -e
if command -v systemd-sysusers >/dev/null; then
	systemd-sysusers fees.conf
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart fees-follow.service fees-worker.service fees-serve.service
fi
