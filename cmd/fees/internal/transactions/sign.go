package transactions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/tx/keys"
)

const signManual = `Sign a draft from fees tx build or fees tx build-evm. No network is used: keep
the key on a separate machine, and copy the draft and the signed file between
machines.

The key is in one of these files, which only you may read (chmod 600):
  --key FILE         a private key, 64 hex digits
  --mnemonic FILE    a BIP-39 phrase; --index selects the account at
                     m/44'/60'/0'/0/INDEX
  --keystore FILE    an Ethereum keystore, version 3, opened with --password FILE
Use - instead of a file to type the secret, which is not shown. Secrets are
never taken from arguments or environment variables, which others on the
machine can see.

Before signing, the command shows what the signed bytes contain and asks for a
yes; scripts pass --yes. The draft itself is not trusted:

  - The chain is identified by its genesis hash or EVM chain ID from a network
    table. For another chain, pass --genesis or --chain-id, and --symbol and
    --decimals to see amounts in its token.
  - The call is decoded with the runtime's metadata. The draft's metadata is
    accepted if its hash is built in, or if the chain refuses signatures with
    other metadata (CheckMetadataHash, RFC-0078). Otherwise pass a trusted file
    with --metadata. --trust-draft-metadata accepts the draft's metadata: its
    author then decides what the call is shown as.`

const signExamples = `  fees tx sign draft.json --mnemonic - -o signed.json
  fees tx sign draft.json --key alith.key --yes --metadata moonbeam.scale -o signed.json
  fees tx sign draft.json --keystore UTC--2026-01-01.json --password - -o signed.json`

// keyFlags select the key.
type keyFlags struct {
	key, mnemonic, keystore, password string
	index                             uint32
}

func (f *keyFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.key, "key", "", "a file with a private key, or - to type it")
	c.Flags().StringVar(&f.mnemonic, "mnemonic", "", "a file with a BIP-39 phrase, or - to type it")
	c.Flags().Uint32Var(&f.index, "index", 0, "the index of the phrase's account")
	c.Flags().StringVar(&f.keystore, "keystore", "", "an Ethereum keystore file")
	c.Flags().StringVar(&f.password, "password", "-", "a file with the keystore's password, or - to type it")
}

// read reads the key. The caller wipes it.
func (f *keyFlags) read(c *cobra.Command) (*keys.Key, error) {
	named := 0
	for _, path := range []string{f.key, f.mnemonic, f.keystore} {
		if path != "" {
			named++
		}
	}
	if named != 1 {
		return nil, errors.New("name one key with --key, --mnemonic or --keystore; use - to type the secret")
	}
	switch {
	case f.key != "":
		return secretKey(c, "key", f.key, "Private key", "key", keys.ParseHex)
	case f.mnemonic != "":
		return secretKey(c, "mnemonic", f.mnemonic, "Mnemonic phrase", "mnemonic", func(phrase []byte) (*keys.Key, error) { return keys.FromMnemonic(phrase, "", f.index) })
	}
	store, err := keys.ReadSecret(f.keystore)
	if err != nil {
		return nil, fmt.Errorf("--keystore: %w", err)
	}
	defer store.Wipe()
	return secretKey(c, "password", f.password, "Password of the keystore", "keystore", func(password []byte) (*keys.Key, error) { return keys.FromKeystore(store.Bytes, password) })
}

// secretKey reads the secret of a flag, or prompts for what, and parses the key. The flag about is named
// in errors of parse.
func secretKey(c *cobra.Command, flag, path, what, about string, parse func([]byte) (*keys.Key, error)) (*keys.Key, error) {
	var s *keys.Secret
	var err error
	if path == "-" {
		s, err = prompt(c.Context(), c.InOrStdin(), c.ErrOrStderr(), what)
	} else if s, err = keys.ReadSecret(path); err != nil {
		err = fmt.Errorf("--%s: %w", flag, err)
	}
	if err != nil {
		return nil, err
	}
	defer s.Wipe()
	key, err := parse(s.Line())
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", about, err)
	}
	return key, nil
}

// prompt asks for a secret on a terminal without echo.
func prompt(ctx context.Context, stdin io.Reader, stderr io.Writer, what string) (*keys.Secret, error) {
	file, ok := cli.Terminal(stdin)
	if !ok {
		return nil, errors.New("cannot ask for the secret because standard input is not a terminal; name a file that contains it")
	}
	if err := keys.Guard(); err != nil {
		return nil, err
	}
	before, err := term.GetState(int(file.Fd()))
	if err != nil {
		return nil, err
	}
	defer term.Restore(int(file.Fd()), before) // a signal may arrive while echo is off
	fmt.Fprint(stderr, what+": ")
	defer fmt.Fprintln(stderr)
	bytes, err := cli.Await(ctx, func() ([]byte, error) { return term.ReadPassword(int(file.Fd())) })
	if err != nil {
		return nil, err
	}
	return &keys.Secret{Bytes: bytes}, nil
}

// signFlags are the flags of fees tx sign.
type signFlags struct {
	keyFlags
	cli.ChainFlags
	draft         *app.Draft
	out, metadata string
	trust, yes    bool
}

func newSign() *cobra.Command {
	var f signFlags
	c := cli.New(&cobra.Command{
		Use: "sign <draft>", Short: "Sign a draft, offline", Long: signManual, Example: signExamples,
		Args: cli.Arg("a draft, the file that fees tx build wrote", &f.draft, inFile(app.ParseDraft)), RunE: f.sign,
	}, f.keyFlags.add, f.ChainFlags.Add)
	c.Flags().StringVar(&f.metadata, "metadata", "", "decode the call with the metadata in this file, which you trust")
	c.Flags().BoolVar(&f.trust, "trust-draft-metadata", false, "decode the call with the draft's own metadata, without verification")
	c.Flags().BoolVar(&f.yes, "yes", false, "sign without asking")
	addOutput(c, &f.out, "the signed transaction")
	return c
}

func (f *signFlags) sign(c *cobra.Command, args []string) (err error) {
	q := app.SignRequest{Draft: f.draft, TrustDraft: f.trust}
	if q.Chain, q.Tables, err = f.Chain(c); err != nil {
		return err
	}
	if f.metadata != "" {
		if q.Metadata, err = readMetadata(f.metadata); err != nil {
			return err
		}
	}
	p, err := app.Prepare(q)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if err := show(c.ErrOrStderr(), p); err != nil {
		return err
	}
	if !f.yes {
		if err := confirm(c.Context(), c.InOrStdin(), c.ErrOrStderr()); err != nil {
			return err
		}
	}
	key, err := f.read(c)
	if err != nil {
		return err
	}
	defer key.Wipe()
	s, err := p.Sign(key)
	if err != nil {
		return err
	}
	return write(c, f.out, s, "wrote transaction %[2]v to %[1]s; send it with fees tx send %[1]s", s.Hash)
}

// confirm asks on the terminal whether to sign.
func confirm(ctx context.Context, stdin io.Reader, stderr io.Writer) error {
	file, ok := cli.Terminal(stdin)
	if !ok {
		return errors.New("cannot ask for confirmation because standard input is not a terminal; check the transaction above and pass --yes")
	}
	fmt.Fprint(stderr, "Sign this? Type yes: ")
	answer, err := cli.Await(ctx, func() (string, error) {
		line, _ := bufio.NewReader(file).ReadString('\n') // end of input is not a yes
		return line, nil
	})
	if err == nil && strings.TrimSpace(answer) != "yes" {
		err = errors.New("nothing was signed, because the answer was not yes")
	}
	return err
}
