package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// advisedErrors returns errors with advice.
func advisedErrors() []error {
	span := chain.Some(chain.Heights{First: 3, Last: 7})
	lacks := chain.Some(app.Lacks{Gap: span, After: chain.Some[uint64](9)})
	list := []error{
		&httpclient.UnreachableError{Place: httpclient.Place{What: httpclient.Gateway, Address: "http://127.0.0.1:8080"}, Err: httpclient.ErrTooLarge},
		&httpclient.UnreachableError{Place: httpclient.Place{What: httpclient.Gateway, Address: "http://127.0.0.1:8080"}, Err: errors.New("refused")},
		&httpclient.UnreachableError{Place: httpclient.Place{What: httpclient.Node, Address: "ws://127.0.0.1:9944"}, Err: errors.New("refused")},
		&httpclient.StatusError{Code: 500, Message: "WebSocket is not connected"}, &httpclient.StatusError{Code: 401}, &httpclient.StatusError{Code: 402}, &httpclient.StatusError{Code: 429},
		&httpclient.StatusError{Code: 500}, &httpclient.StatusError{Code: 524}, chain.ErrPruned, &httpclient.InterruptedError{Next: 7, Err: &httpclient.StatusError{Code: 502}}, &rpc.DecodeError{Err: errors.New("x")}, rpc.ErrNoMethod, chain.ErrSyncing, chain.ErrNoBlock,
		&source.ForkError{}, source.ErrNotFinal, archive.ErrNotFinal, app.ErrUnanswered, chain.ErrNotOffered, answers.ErrDamaged,
		ledger.ErrNone, &app.NotHeldError{Period: "2026-01", Lacks: []string{"its end"}, Fill: span},
		&app.NotHeldError{Period: "2026-01", Lacks: []string{"its end"}, Compared: chain.Some(app.PeriodInput{Month: "2026-01"})},
		&app.NotThereError{Lacks: lacks}, ledger.ErrOlder, &ledger.DiffersError{}, &ledger.DamageError{}, &money.MissingError{},
		&app.WithoutLedgerError{Err: errors.New("x"), Blocks: span}, network.ErrUnknownNetwork, ledger.ErrNoCut, ledger.ErrOtherChain,
		ledger.ErrLocked, ledger.ErrLost, &ledger.ForkError{}, &sidecar.DecodeError{Err: errors.New("x")}, chain.ErrOverflow,
	}
	for _, field := range []app.Field{
		app.FieldMonth, app.FieldYear, app.FieldFrom, app.FieldTo, app.FieldTimezone, app.FieldBlock, app.FieldAccounts, app.FieldProgram, app.FieldWith,
		app.FieldNames, app.FieldLabels, app.FieldLedger, app.FieldPrices, app.FieldFiat, app.FieldNetworkFile, app.FieldBefore, app.FieldCompare,
		app.FieldClasses, app.FieldDecimal, app.FieldThousands, app.FieldSeparator, app.FieldTolerance, app.FieldMap, app.FieldFix,
	} {
		list = append(list, &app.InputError{Format: "%v: x", Args: []any{field}})
	}
	return list
}

// Every flag named in a message exists in the failed command, and every command line in it has an existing
// command and flags, for any flags of the failed command.
func TestAdviceFitsTheCommand(t *testing.T) {
	t.Parallel()
	root := newRoot(io.Discard, io.Discard)
	advised := map[string]bool{} // literals of exit.go and provider.go found in a message
	literals := append(messages(t, "exit.go"), messages(t, "provider.go")...)
	for c := range commands(root) {
		for _, given := range []bool{false, true} {
			for _, name := range []string{"ledger", "gateway", "network", "network-file", "trust", "api-key-file", "api-key-header", "ca-file", "month", "timezone", "signatures", "node"} {
				if f := c.Flags().Lookup(name); given && f != nil && f.Value.Type() != "bool" {
					require.NoError(t, c.Flags().Set(name, "ws://127.0.0.1:9944"))
				}
			}
			for _, err := range advisedErrors() {
				text := explainError(t.Context(), c, fmt.Errorf("x: %w", err))
				for _, wrong := range unknownFlags(root, c, text) {
					t.Errorf("%s, %T: %s: %q", c.CommandPath(), err, wrong, text)
				}
				for _, l := range literals {
					advised[l.text] = advised[l.text] || strings.Contains(text, strings.TrimSpace(l.text))
				}
			}
		}
	}
	for _, l := range literals {
		require.True(t, advised[l.text], "%s: no error in advisedErrors gives the advice %q; add one", l.place, l.text)
	}
}

// The advice on a closed port names the flag or variable of the address.
func TestAdviceNamesWhereTheAddressCameFrom(t *testing.T) {
	t.Parallel()
	const none = "http://127.0.0.1:1" // no port of this number is ever open
	for args, want := range map[string]string{
		"block 25 --gateway ws://127.0.0.1:1":                    ". Start it, or name another with --gateway or FEES_GATEWAY.\n",
		"sync 1..2 --ledger x.db --gateway ws://127.0.0.1:1":     ". Start it, or name another with --gateway or FEES_GATEWAY.\n",
		"block 25 --gateway " + none:                             ". Start it, or name another with --gateway or FEES_GATEWAY (--gateway demo needs none).\n",
		"gateway spec 24 --gateway " + none:                      ". Start it, or name another with --gateway or FEES_GATEWAY.\n",
		"node header --node ws://127.0.0.1:1":                    ". Start it, or name another with --node or FEES_NODE.\n",
		"verify 24..25 --gateway demo --node ws://127.0.0.1:1":   ". Start it, or name another with --node or FEES_NODE.\n",
		"verify 24..25 --gateway demo --quiet --against " + none: ". Start it, or name another with --against.\n",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel() // they mostly wait
			_, stderr, code := fees(append(strings.Fields(args), "--timeout", "1s")...)
			require.Equal(t, exitGateway, code, stderr)
			require.Contains(t, stderr, want)
		})
	}
}

// literal is a string literal that names a flag or a command line.
type literal struct{ place, text string }

// namesFlags matches flags and command lines.
var namesFlags = regexp.MustCompile(`(^|[ ("])(--[a-z]|fees [a-z])`)

var isFlag = regexp.MustCompile(`^--[a-z]`)

// messages returns the string literals in a file or below a directory that name flags or command lines.
func messages(t *testing.T, path string) (list []literal) {
	files := token.NewFileSet()
	require.NoError(t, filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(files, path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				text, err := strconv.Unquote(l.Value)
				require.NoError(t, err)
				if namesFlags.MatchString(text) {
					list = append(list, literal{files.Position(l.Pos()).String(), text})
				}
			}
			return true
		})
		return nil
	}))
	return list
}

// otherPrograms lists flags of other programs.
var otherPrograms = []string{"--help", "--state-pruning", "--blocks-pruning", "--user"}

// unknownFlags returns the flags in a text that do not exist: in a command line, those that its command
// lacks; elsewhere, those that c lacks.
func unknownFlags(root, c *cobra.Command, text string) (wrong []string) {
	for line := range strings.SplitSeq(text, "\n") {
		asked, inLine := c, false
		for word := range strings.FieldsSeq(line) {
			bare := strings.Trim(word, `"'(),;:.…?`)
			name, _, _ := strings.Cut(bare, "=")
			switch next := subcommand(asked, bare); {
			case bare == "fees":
				asked, inLine = root, true
			case inLine && next != nil:
				asked = next
			case inLine && asked == root: // the noun, not the program
				asked, inLine = c, false
			case isFlag.MatchString(name) && !slices.Contains(otherPrograms, name) && asked.Flags().Lookup(name[2:]) == nil && asked.InheritedFlags().Lookup(name[2:]) == nil:
				wrong = append(wrong, name)
			}
			if strings.ContainsAny(word[len(word)-1:], `,;:.)"`) {
				asked, inLine = c, false // the command line ends here
			}
		}
	}
	return wrong
}

func subcommand(c *cobra.Command, name string) *cobra.Command {
	for _, sub := range c.Commands() {
		if sub.Name() == name {
			return sub
		}
	}
	return nil
}

// shownBy lists the commands that show texts with flags, by package. Texts of other packages can appear in any
// command, and name flags only in command lines.
var shownBy = map[string][]string{
	"internal/app/archive.go":           {"archive record"},
	"internal/app/archive_stamp.go":     {"archive verify"},
	"internal/app/finality.go":          {"archive record"},
	"internal/app/chain_known.go":       {"tx sign", "tx build", "tx build-evm", "estimate"},
	"internal/app/prepare.go":           {"tx sign"},
	"internal/tx/extrinsic/argument.go": {"tx build", "estimate"},
	"internal/app/variance.go":          {"variance"},
	"internal/app/statement.go":         {"statement", "rollforward", "close"},
	"internal/app/suggest.go":           {"suggest"},
	"internal/app/same_chain.go":        {"follow", "watch", "verify", "networks check"},
	"internal/app/rollforward.go":       {"rollforward"},
	"internal/app/package_check.go":     {"close"},
	"fee/evidence/encoded.go":           {"verify", "networks check"},
	"fee/evidence/diagnosis.go":         {"block", "verify", "explain", "sync"},
	"fee/evidence/call.go":              {"block", "verify", "explain", "watch", "sync", "follow", "worker"},
	"fee/evidence/checks.go":            {"verify"},
	"internal/finance/dataset/":         {"export"},
	"internal/reconcile/":               {"reconcile", "close"},
	"internal/archive/relay/":           {"archive record"},
	"internal/money/":                   {"report", "export", "close"},
	"internal/finance/journal/":         {"export"},
	"network/":                          {"block", "verify", "explain", "watch", "sync", "follow", "worker", "report", "statement", "reconcile", "serve", "suggest", "networks check"},
	"internal/finance/explain/":         {"explain"},
	"internal/web/users/":               {"serve"},
}

// Flags and command lines in all texts exist: in the program's own texts and on pages, in some command; in
// other packages, in every command that shows the text.
func TestTextsNameFlagsThatExist(t *testing.T) {
	t.Parallel()
	root := newRoot(io.Discard, io.Discard)
	root.InitDefaultHelpCmd()
	for _, l := range messages(t, "../..") {
		path := strings.TrimPrefix(l.place, "../../")
		var wrong []string
		switch {
		case strings.HasPrefix(path, "internal/test/"), strings.HasPrefix(path, "internal/bench/"):
			continue
		case strings.HasPrefix(path, "cmd/"), strings.HasPrefix(path, "internal/web/"):
			for i, c := range slices.Collect(commands(root)) {
				unknown := unknownFlags(root, c, l.text)
				if i == 0 {
					wrong = unknown
				}
				wrong = slices.DeleteFunc(wrong, func(flag string) bool { return !slices.Contains(unknown, flag) })
			}
		default:
			by := []string{"version"} // has no flags
			for prefix, commands := range shownBy {
				if strings.HasPrefix(path, prefix) {
					by = commands
				}
			}
			for _, name := range by {
				c, _, err := root.Find(strings.Fields(name))
				require.NoError(t, err)
				wrong = append(wrong, unknownFlags(root, c, l.text)...)
			}
		}
		if len(wrong) > 0 {
			t.Errorf("%s: %v: %q", path, wrong, l.text)
		}
	}
}

// The error on a path that is not a directory of recordings describes it.
func TestNotAnArchive(t *testing.T) {
	t.Parallel()
	blocks := filepath.Join(recordings(t), "moonbeam-2100", "blocks")
	block, note := filepath.Join(blocks, "25.json"), filepath.Join(t.TempDir(), "note.txt")
	require.NoError(t, os.WriteFile(note, []byte("hello"), 0o600))
	ofBlock := block + " contains only block 25; its fees also need the multiplier and the runtime of block 24. " +
		"Name a gateway's URL, or a directory with blocks/25.json, multiplier/24.json and runtime-spec.json."
	for place, c := range map[string]struct {
		code int
		says string
	}{
		"nowhere":  {exitLedger, "there is no directory nowhere"},
		block:      {exitUsage, ofBlock},
		note:       {exitUsage, note + " is a file. Name the directory that contains blocks/, or a gateway's URL."},
		os.DevNull: {exitUsage, os.DevNull + " is a file. Name the directory that contains blocks/, or a gateway's URL."},
		blocks:     {exitLedger, blocks + " is not a directory of recordings: it contains no directory blocks"},
	} {
		for _, command := range []string{"block 25 --gateway %s", "explain 25-7 --gateway %s", "verify 25..25 --gateway %s", "sync 25..25 --ledger x.db --gateway %s",
			"report 25..25 --gateway %s", "suggest --gateway %s", "watch --gateway %s", "follow --ledger x.db --gateway %s", "serve --gateway %s", "archive serve %s", "archive verify %s"} {
			if command == "archive verify %s" && place == blocks {
				continue // it has no manifest
			}
			_, stderr, code := fees(strings.Fields(fmt.Sprintf(command, place))...)
			require.Equal(t, "fees: "+c.says+"\n", stderr, command)
			require.Equal(t, c.code, code, command)
		}
	}
	for _, command := range []string{"verify 24..25 --gateway demo --against nowhere", "archive join nowhere nowhere -o x", "close --check nowhere"} {
		_, stderr, _ := fees(strings.Fields(command)...)
		require.Contains(t, stderr, "there is no directory nowhere", command)
	}
}
