package sidecar

import "github.com/feeledger/fees/internal/jsonscan"

// InSidecarForm returns arguments of ethereum.transact in Sidecar's form.
func InSidecarForm(args string) (string, error) {
	v, err := jsonscan.Parse(args)
	if err == nil {
		v, err = inSidecarForm(v)
	}
	return v.Raw(), err
}
