package endpoints

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
)

// question is a subcommand that asks something of a gateway or a node, through a
// Client of type C.
type question[C any] struct {
	use, short  string
	args        int    // how many it wants at least
	most        int    // and at most
	wants       string // what they are
	unfinalized bool   // has the flag
	at          bool   // has the flag
	keys        bool   // has the flag
	percentiles bool   // has the flag
	ask         func(context.Context, C, asked) (cli.Record, error)
}

// asked is what the user said.
type asked struct {
	args        []string
	unfinalized bool
	at          chain.Optional[uint64]
	keys        []string
	percentiles []float64
}

// place is who is asked: it has the flags that say so.
type place[C any] interface {
	Add(*cobra.Command)
	Client() (C, error)
}

func (q question[C]) command(stdout io.Writer, where place[C]) *cobra.Command {
	out := cli.Output{Stdout: stdout}
	var said asked
	var at int64
	c := &cobra.Command{
		Use:   q.use,
		Short: q.short,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < q.args || len(args) > q.most {
				return fmt.Errorf("%s wants %s, and has %d arguments", c.Name(), cmp.Or(q.wants, "no argument"), len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := out.Check(); err != nil {
				return err
			}
			height, err := cli.At(c, at)
			if err != nil {
				return err
			}
			said.at = height
			said.args = args
			client, err := where.Client()
			if err != nil {
				return err
			}
			r, err := q.ask(c.Context(), client, said)
			if err != nil {
				return err
			}
			return out.WriteRecord(r)
		},
	}
	where.Add(c)
	out.Add(c, "table", "json")
	if q.unfinalized {
		c.Flags().BoolVar(&said.unfinalized, "unfinalized", false, "the newest of all, final or not")
	}
	if q.at {
		c.Flags().Int64Var(&at, "at", 0, "at this height (default: the head)")
	}
	if q.percentiles {
		c.Flags().Float64SliceVar(&said.percentiles, "percentile", nil, "show the priority fee at this percentile of each block's gas; once for each, rising")
	}
	if q.keys {
		c.Flags().StringArrayVar(&said.keys, "key", nil, "a key of a map; once for each")
	}
	return c
}
