package finance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/web/users"
)

var passwordManual = fmt.Sprintf(`Set the password of a user of fees serve in a file of users, which is created
if necessary. The password is asked for twice, or read from standard input if
that is not a terminal. It must have %d to %d bytes.

The file has a line NAME:HASH per user, as written by Apache's htpasswd -B;
lines that start with # are comments. Passwords cannot be recovered from the
bcrypt hashes, but keep the file private. Remove a line to lock out a user.
fees serve reads the file at startup: restart it after a change.`, users.LeastPassword, users.MaxPassword)

const passwordExamples = `  fees serve password anna --users users.txt
  fees serve password anna --users users.txt <secret.txt`

func newPassword() *cobra.Command {
	var path string
	return cli.New(&cobra.Command{
		Use: "password NAME", Short: "Set a user's password for fees serve", Long: passwordManual, Example: passwordExamples, Args: cli.OneArg("the name of a user"),
		RunE: func(c *cobra.Command, args []string) error {
			return setPassword(c.Context(), path, args[0], c.InOrStdin(), c.ErrOrStderr())
		},
	}, func(c *cobra.Command) { addUsers(c, &path) })
}

func setPassword(ctx context.Context, path, name string, stdin io.Reader, stderr io.Writer) error {
	if path == "" {
		return errors.New("--users is missing; name the file of users, such as --users users.txt")
	}
	if err := users.CheckName(name); err != nil {
		return err
	}
	password, err := readPassword(ctx, stdin, stderr)
	if err != nil {
		return err
	}
	text, err := users.Set(path, name, password)
	if err != nil {
		return err
	}
	err = cli.ReplaceSecretFile(ctx, "--users", path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err == nil {
		fmt.Fprintf(stderr, "fees: set the password of %s in %s; restart fees serve to use it\n", name, path)
	}
	return err
}

// readPassword asks for a password twice, or reads it from standard input if that is not a terminal. It
// ends with its context.
func readPassword(ctx context.Context, stdin io.Reader, stderr io.Writer) (string, error) {
	file, ok := cli.Terminal(stdin)
	if !ok {
		return cli.Await(ctx, func() (string, error) {
			text, err := io.ReadAll(io.LimitReader(stdin, 1<<10))
			return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), err
		})
	}
	before, err := term.GetState(int(file.Fd()))
	if err != nil {
		return "", err
	}
	defer term.Restore(int(file.Fd()), before) // a signal may arrive while echo is off
	ask := func(what string) (string, error) {
		fmt.Fprint(stderr, what)
		defer fmt.Fprintln(stderr)
		return cli.Await(ctx, func() (string, error) {
			text, err := term.ReadPassword(int(file.Fd()))
			return string(bytes.TrimRight(text, "\r")), err
		})
	}
	first, err := ask("Password: ")
	if err != nil {
		return "", err
	}
	if err := users.CheckPassword(first); err != nil {
		return "", err
	}
	second, err := ask("Repeat password: ")
	if err == nil && first != second {
		err = errors.New("the two passwords differ; run it again")
	}
	return first, err
}
