package endpoints

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
)

// request is a subcommand that sends one request to a gateway or node through a client of type C.
type request[C any] struct {
	use, short  string
	minArgs     int
	maxArgs     int
	wants       string // describes the arguments
	unfinalized bool   // has the flag
	at          bool   // has the flag
	keys        bool   // has the flag
	percentiles bool   // has the flag
	ask         asking[C, cli.Record]
}

// arguments are the arguments and flags of a request.
type arguments struct {
	args        []string
	unfinalized bool
	at          chain.Optional[uint64]
	keys        []string
	percentiles []float64
}

// place selects the gateway or node by flags.
type place[C any] interface {
	Add(*cobra.Command)
	Client() (C, error)
}

func (q request[C]) command(where place[C]) *cobra.Command {
	var out cli.Output
	var input arguments
	var at int64
	c := cli.New(&cobra.Command{
		Use: q.use, Short: q.short,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < q.minArgs || len(args) > q.maxArgs {
				return fmt.Errorf("%s takes %s, got %d", c.CommandPath(), cmp.Or(q.wants, "no argument"), len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) (err error) {
			input.args = args
			if input.at, err = cli.At(c, at); err != nil {
				return err
			}
			client, err := where.Client()
			if err != nil {
				return err
			}
			r, err := q.ask(c.Context(), client, input)
			if err != nil {
				return err
			}
			return out.WriteRecord(r)
		},
	}, where.Add, out.Forms("table", "json"))
	if q.unfinalized {
		c.Flags().BoolVar(&input.unfinalized, "unfinalized", false, "use the newest block, final or not")
	}
	if q.at {
		c.Flags().Int64Var(&at, "at", 0, "at this height (default: the head)")
	}
	if q.percentiles {
		c.Flags().Float64SliceVar(&input.percentiles, "percentile", nil, "show the priority fee at this percentile of each block's gas; repeat in rising order")
	}
	if q.keys {
		c.Flags().StringArrayVar(&input.keys, "key", nil, "a key of a map; repeat for several")
	}
	return c
}

// asking sends a request through a client.
type asking[C, T any] func(context.Context, C, arguments) (T, error)

// bare adapts a request without arguments.
func bare[C, T any](ask func(C, context.Context) (T, error)) asking[C, T] {
	return func(ctx context.Context, c C, _ arguments) (T, error) { return ask(c, ctx) }
}

// with adapts a request that takes the argument that read returns.
func with[C, A, T any](read func(arguments) (A, error), ask func(C, context.Context, A) (T, error)) asking[C, T] {
	return func(ctx context.Context, c C, a arguments) (none T, err error) {
		about, err := read(a)
		if err != nil {
			return none, err
		}
		return ask(c, ctx, about)
	}
}

// as converts the response to a record.
func (ask asking[C, T]) as(record func(arguments, T) cli.Record) asking[C, cli.Record] {
	return func(ctx context.Context, c C, a arguments) (cli.Record, error) {
		answer, err := ask(ctx, c, a)
		if err != nil {
			return nil, err
		}
		return record(a, answer), nil
	}
}

// height parses the argument as a height.
func (a arguments) height() (uint64, error) { return cli.ParseHeight(a.args[0]) }

// account parses the argument as an account, of 20 or 32 bytes.
func (a arguments) account() (chain.Address, error) { return chain.ParseAccount(a.args[0]) }

// hash parses the argument as a hash, if there is one.
func (a arguments) hash() (hash chain.Optional[chain.Hash], err error) {
	if len(a.args) == 0 {
		return hash, nil
	}
	h, err := chain.ParseHash(a.args[0])
	return chain.Some(h), err
}
