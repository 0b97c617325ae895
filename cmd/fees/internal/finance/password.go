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

var passwordManual = fmt.Sprintf(`Set a password for a user of fees serve: in the file of users, which is made
where it is not there. The password is asked for twice, or read from standard
input where that is no terminal. It has %d to %d bytes.

The file has a line NAME:HASH for each user, as htpasswd -B of Apache writes it;
a line that begins with # is a comment. A hash is bcrypt's: nobody reads the
password from it. Still keep the file to yourself. A user whose line is removed
cannot log in any more. fees serve reads the file when it starts: restart it
after a change.`, users.LeastPassword, users.MostPassword)

const passwordExamples = `  fees serve password anna --users users.txt
  fees serve password anna --users users.txt <secret.txt`

func newPassword() *cobra.Command {
	var path string
	return cli.New(&cobra.Command{
		Use: "password NAME", Short: "Set a user's password for fees serve", Long: passwordManual, Example: passwordExamples, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return setPassword(c.Context(), path, args[0], c.InOrStdin(), c.ErrOrStderr())
		},
	}, func(c *cobra.Command) { addUsers(c, &path) })
}

func setPassword(ctx context.Context, path, name string, stdin io.Reader, stderr io.Writer) error {
	if path == "" {
		return errors.New("which file? name it with --users, such as --users users.txt")
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
		fmt.Fprintf(stderr, "fees: the password of %s is set in %s; fees serve --users reads it when it starts\n", name, path)
	}
	return err
}

// readPassword asks for a password twice, or reads it where nobody can be asked. It ends with its
// context.
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
	defer term.Restore(int(file.Fd()), before) // a signal may end it while nothing is echoed
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
	second, err := ask("The same again: ")
	if err == nil && first != second {
		err = errors.New("the two passwords differ: run it again")
	}
	return first, err
}
