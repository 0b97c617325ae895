//go:build unix

package postgrestest

import (
	"fmt"
	"os"
	"os/exec"
	osuser "os/user"
	"strconv"
	"syscall"
)

// user is the user who runs PostgreSQL; nil for the current user.
type user struct{ credential *syscall.Credential }

// unprivileged returns the current user, or another one for root, because PostgreSQL does not run as root.
func unprivileged() (user, error) {
	if os.Getuid() != 0 {
		return user{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := osuser.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(found.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(found.Gid, 10, 32)
		if errUID == nil && errGID == nil {
			return user{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
		}
	}
	return user{}, fmt.Errorf("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

func (u user) run(cmd *exec.Cmd) {
	cmd.SysProcAttr.Credential = u.credential
}

func (u user) own(path string) error {
	if u.credential == nil {
		return nil
	}
	return os.Chown(path, int(u.credential.Uid), int(u.credential.Gid))
}

// apart protects a process from a terminal's Ctrl-C, because its parent ends it.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
