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

The file has a line NAME:HASH per user, as written by Apache's htpasswd -B, or
NAME:HASH:ROLES; lines that start with # are comments. Passwords cannot be
recovered from the bcrypt hashes, but keep the file private. Remove a line to
lock out a user. Restart fees serve after a change.

--role sets the user's roles. Without it they stay; --role none removes them.`, users.LeastPassword, users.MaxPassword)

const passwordExamples = `  fees serve password anna --users users.txt
  fees serve password anna --users users.txt <secret.txt
  fees serve password bob --users users.txt --role reviewer`

func newPassword() *cobra.Command {
	var path, role string
	return cli.New(&cobra.Command{
		Use: "password NAME", Short: "Set a user's password for fees serve", Long: passwordManual, Example: passwordExamples, Args: cli.OneArg("the name of a user"),
		RunE: func(c *cobra.Command, args []string) error {
			return setPassword(c.Context(), path, args[0], role, c.InOrStdin(), c.ErrOrStderr())
		},
	}, func(c *cobra.Command) {
		addUsers(c, &path)
		c.Flags().StringVar(&role, "role", "", "what the user may do besides reading: preparer, reviewer, both with a comma, or none")
	})
}

func setPassword(ctx context.Context, path, name, role string, stdin io.Reader, stderr io.Writer) error {
	if path == "" {
		return errors.New("--users is missing; name the file of users, such as --users users.txt")
	}
	if err := users.CheckName(name); err != nil {
		return err
	}
	roles, err := rolesOf(role)
	if err != nil {
		return err
	}
	password, err := readPassword(ctx, stdin, stderr)
	if err != nil {
		return err
	}
	text, err := users.Set(path, name, password, roles)
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

// rolesOf parses --role; nil keeps the user's roles.
func rolesOf(text string) ([]users.Role, error) {
	switch text {
	case "":
		return nil, nil
	case "none":
		return []users.Role{}, nil
	}
	list, err := users.ParseRoles(text)
	if err != nil {
		return nil, fmt.Errorf("--role %q: %w, or none", text, err)
	}
	return list, nil
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
