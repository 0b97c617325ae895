package users

import (
	"fmt"
	"slices"
	"strings"
)

// Role is what a user may do besides reading.
type Role string

// The roles. A user without one is a reader.
const (
	Preparer Role = "preparer" // prepares and closes packages
	Reviewer Role = "reviewer" // approves, returns and closes packages that others prepared
)

// ParseRoles parses a comma-separated list of distinct roles, of at least one.
func ParseRoles(text string) (list []Role, err error) {
	for name := range strings.SplitSeq(text, ",") {
		role := Role(name)
		if role != Preparer && role != Reviewer || slices.Contains(list, role) {
			return nil, fmt.Errorf("the roles must be %s, %s or both, separated by a comma", Preparer, Reviewer)
		}
		list = append(list, role)
	}
	return list, nil
}

func joinRoles(list []Role) string {
	names := make([]string, len(list))
	for i, role := range list {
		names[i] = string(role)
	}
	return strings.Join(names, ",")
}

// Roles returns the roles of a user; none for a reader or an unknown name.
func (u *Users) Roles(name string) []Role {
	if at, there := u.byName[name]; there {
		return slices.Clone(u.list[at].roles)
	}
	return nil
}

// Is reports whether a user has a role.
func (u *Users) Is(name string, role Role) bool { return slices.Contains(u.Roles(name), role) }
