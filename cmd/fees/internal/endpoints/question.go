package endpoints

import (
	"cmp"
	"context"
	"fmt"

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
	ask         asking[C, cli.Record]
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

func (q question[C]) command(where place[C]) *cobra.Command {
	var out cli.Output
	var said asked
	var at int64
	c := cli.New(&cobra.Command{
		Use: q.use, Short: q.short,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < q.args || len(args) > q.most {
				return fmt.Errorf("%s wants %s, and has %d arguments", c.Name(), cmp.Or(q.wants, "no argument"), len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) (err error) {
			said.args = args
			if said.at, err = cli.At(c, at); err != nil {
				return err
			}
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
	}, where.Add, out.Forms("table", "json"))
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

// asking is how a question is asked of a client.
type asking[C, T any] func(context.Context, C, asked) (T, error)

// plain asks what needs no argument.
func plain[C, T any](ask func(C, context.Context) (T, error)) asking[C, T] {
	return func(ctx context.Context, c C, _ asked) (T, error) { return ask(c, ctx) }
}

// with reads an argument, and asks about that.
func with[C, A, T any](read func(asked) (A, error), ask func(C, context.Context, A) (T, error)) asking[C, T] {
	return func(ctx context.Context, c C, a asked) (none T, err error) {
		about, err := read(a)
		if err != nil {
			return none, err
		}
		return ask(c, ctx, about)
	}
}

// as shows the answer as a record.
func (ask asking[C, T]) as(record func(asked, T) cli.Record) asking[C, cli.Record] {
	return func(ctx context.Context, c C, a asked) (cli.Record, error) {
		answer, err := ask(ctx, c, a)
		if err != nil {
			return nil, err
		}
		return record(a, answer), nil
	}
}

// height is the height that the argument is.
func (a asked) height() (uint64, error) { return cli.ParseHeight(a.args[0]) }

// account is the address that the argument is.
func (a asked) account() (chain.Address, error) { return chain.ParseAddress(a.args[0]) }

// hash is the hash that the argument is, if there is one.
func (a asked) hash() (hash chain.Optional[chain.Hash], err error) {
	if len(a.args) == 0 {
		return hash, nil
	}
	h, err := chain.ParseHash(a.args[0])
	return chain.Some(h), err
}
