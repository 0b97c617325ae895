//go:build !unix

package postgrestest

import "os/exec"

type user struct{}

func unprivileged() (user, error) { return user{}, nil }
func (user) run(*exec.Cmd)        {}
func (user) own(string) error     { return nil }
func apart(*exec.Cmd)             {}
