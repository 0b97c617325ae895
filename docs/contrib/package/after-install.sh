#!/bin/sh
# Makes the user of the services, and has those that run take the new program. None is enabled.
set -e
if command -v systemd-sysusers >/dev/null; then
	systemd-sysusers fees.conf
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart fees-follow.service fees-worker.service fees-serve.service
fi
