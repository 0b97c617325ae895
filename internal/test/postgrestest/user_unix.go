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

// user is who runs PostgreSQL: nil for ourselves.
type user struct{ credential *syscall.Credential }

// unprivileged is ourselves, or someone else where we are root, for whom PostgreSQL
// does not run.
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

// apart keeps a terminal's Ctrl-C from a process: whoever started it ends it.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
