package finance

import (
	"io"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

// proved is what is made of a ledger and of balances: it holds, or the balances say otherwise.
type proved interface {
	Holds() bool
	Explain(err error) error
}

// showProved asks for what is proved, with the progress on stderr, and writes it. It is
// [cli.ErrFinding] where that does not hold.
func showProved[P proved](o *cli.Output, quiet bool, stderr io.Writer, ask func(app.Progress) (P, error), write func(io.Writer, P) error) error {
	p := cli.NewProgress(stderr, "balances", quiet)
	defer p.End()
	made, err := ask(p.Asked())
	if err != nil {
		return err
	}
	return made.Explain(show(o, p, made, write))
}

// show writes what was made where the progress ends. It is [cli.ErrFinding] where that does not hold.
func show[M interface{ Holds() bool }](o *cli.Output, p *cli.Progress, made M, write func(io.Writer, M) error) error {
	p.End()
	if err := o.Stream(func(w io.Writer) error { return write(w, made) }); err != nil {
		return err
	}
	if !made.Holds() {
		return cli.ErrFinding
	}
	return nil
}
