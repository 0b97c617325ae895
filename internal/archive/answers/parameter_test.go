package answers_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/test/crashtest"
	"github.com/feeledger/fees/internal/test/pairs"
)

const parameterKey = "0x0004"

func withKey(chain.AtBlock[chain.Runtime]) string { return parameterKey }

// newGoverned returns a chain whose runtime has the parameter from height 5 on: unset at first, and set at 7 to a third.
func newGoverned(last uint64) partial {
	g := partial{chainTo(last, map[uint64]int{0: 1, 5: 2})}
	for n := uint64(5); n <= last; n++ {
		value := "null"
		if n >= 7 {
			value = `{"runtimeConfig":{"feesTreasuryProportion":"333333333"}}`
		}
		g.synthetic[sidecar.ProportionPath(parameterKey, n)] = fmt.Sprintf(
			`{"at":{"hash":"%s","height":"%d"},"pallet":"parameters","palletIndex":"35","storageItem":"parameters","keys":["0x0004"],"value":%s}`, hashOf(n), n, value)
	}
	return g
}

// An archive keeps the parameter where the runtime has it, in plain files and in segments,
// and answers for it, also when it is served again.
func TestParameters(t *testing.T) {
	ctx := context.Background()
	gateway := newGoverned(23)
	for name, options := range map[string]answers.RecordOptions{
		"plain":    {First: 4, Last: 22, ParameterKey: withKey},
		"segments": answers.WithSegments(answers.RecordOptions{First: 4, Last: 22, ParameterKey: withKey}, 10),
		"later":    answers.WithSegments(answers.RecordOptions{First: 8, Last: 22, ParameterKey: withKey}, 10),
	} {
		t.Run(name, func(t *testing.T) {
			directory := recordedWith(t, gateway, options)
			a := opened(t, directory)
			client, _ := served(t, a)
			for at := options.First - 1; at <= options.Last; at++ {
				for _, from := range []interface {
					FeesTreasuryProportion(context.Context, string, uint64) (chain.AtBlock[chain.Optional[chain.Perbill]], error)
				}{a, client} {
					p, err := from.FeesTreasuryProportion(ctx, parameterKey, at)
					if at < 5 {
						require.Error(t, err)
						require.Equal(t, from == a, isLacking(err), "%v", err)
						require.Equal(t, from != a, isFinal(err), "%v", err)
						continue
					}
					require.NoError(t, err)
					hash, _ := p.AtHash.Get()
					require.Equal(t, hashOf(at), hash.String())
					require.Equal(t, at >= 7, p.Value.Known(), "at %d", at)
					if value, set := p.Value.Get(); set {
						require.Equal(t, "333333333", value.String())
					}
				}
				if at >= 5 {
					answer := get(a, http.MethodGet, sidecar.ProportionPath(parameterKey, at))
					require.Equal(t, gateway.synthetic[sidecar.ProportionPath(parameterKey, at)], body(t, answer))
				}
			}
			_, err := answers.Verify(ctx, directory, nil)
			require.NoError(t, err)

			// By another key it is another parameter, and in JSON it is none.
			_, err = a.FeesTreasuryProportion(ctx, "0x0000", 9)
			require.ErrorIs(t, err, answers.ErrLacks)
			require.ErrorContains(t, err, "recorded with key 0x0004, not 0x0000")
			_, err = client.FeesTreasuryProportion(ctx, "0x0000", 9)
			require.ErrorIs(t, err, chain.ErrUnsupported)
			_, err = client.FeesTreasuryProportion(ctx, `{"RuntimeConfig":"FeesTreasuryProportion"}`, 9)
			require.ErrorIs(t, err, chain.ErrUnsupported)
			require.ErrorContains(t, err, "Cannot map Enum JSON")

			// From its copy: the same, except what the gateway did not offer.
			require.Equal(t, crashtest.Tree(t, directory), crashtest.Tree(t, recordedWith(t, client, options)))

			if name == "plain" { // which asks again for what the gateway did not know
				return
			}
			// What is there is not asked for again: without the gateway the same comes out, also
			// where the tables have another key by now.
			options.ParameterKey = func(chain.AtBlock[chain.Runtime]) string { return "0x0000" }
			want := crashtest.Tree(t, directory)
			_, err = answers.Record(ctx, gone{}, directory, options)
			require.NoError(t, err)
			require.Equal(t, want, crashtest.Tree(t, directory))
		})
	}
}

func isLacking(err error) bool {
	return strings.Contains(err.Error(), answers.ErrLacks.Error()) && !isFinal(err)
}

func isFinal(err error) bool {
	return strings.Contains(err.Error(), chain.ErrUnsupported.Error())
}

// gone is a gateway that is away.
type gone struct{}

func (gone) Get(context.Context, string) (string, error) {
	return "", &httpclient.UnreachableError{Place: httpclient.Place{What: httpclient.Gateway, Address: "http://gateway"}, Err: context.DeadlineExceeded}
}

// Which key is asked for, the last runtime tells: where the gateway fails to, nothing is
// recorded. Where it has no runtimes at all, the parameter is not asked for.
func TestParametersWithoutARuntime(t *testing.T) {
	ctx := context.Background()
	gateway := newGoverned(9)
	path := "/runtime/spec?at=9"
	gateway.synthetic[path] = "x"
	directory := t.TempDir()
	_, err := answers.Record(ctx, gateway, directory, answers.RecordOptions{First: 6, Last: 9, ParameterKey: withKey})
	require.ErrorContains(t, err, path)
	require.Empty(t, crashtest.Tree(t, directory))

	manifest, err := answers.Record(ctx, chainTo(9, nil), directory, answers.RecordOptions{First: 6, Last: 9, ParameterKey: withKey})
	require.NoError(t, err)
	require.Empty(t, manifest.ParameterKey)
	require.Empty(t, only(crashtest.Tree(t, directory), "parameters/"))
}

// The real gateway's answers on a real runtime are read where they lie, and kept.
func TestRecordedParameters(t *testing.T) {
	directory := pairs.Path(t, "datahaven-100", "gateway")
	ctx := context.Background()
	recorded := opened(t, directory)
	gateway, _ := served(t, recorded)
	_, last, err := recorded.Range()
	require.NoError(t, err)
	copied := opened(t, recordedWith(t, gateway, answers.RecordOptions{First: 1, Last: last, ParameterKey: withKey}))
	seen := map[string]bool{}
	for at := range last + 1 {
		want, err := recorded.FeesTreasuryProportion(ctx, parameterKey, at)
		require.NoError(t, err)
		have, err := copied.FeesTreasuryProportion(ctx, parameterKey, at)
		require.NoError(t, err)
		require.Equal(t, want, have)
		value, set := want.Value.Get()
		seen[fmt.Sprint(set, " ", value)] = true
		text, err := os.ReadFile(filepath.Join(directory, "parameters", fmt.Sprint(at)+".json"))
		require.NoError(t, err)
		require.Equal(t, string(text), body(t, get(copied, http.MethodGet, sidecar.ProportionPath(parameterKey, at))))
	}
	require.Equal(t, []string{"false 0", "true 0", "true 1000000000", "true 333333333"}, slices.Sorted(maps.Keys(seen)))
}
