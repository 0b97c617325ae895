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

const signManual = `Sign a draft of fees tx build or fees tx build-evm. No network is used: a machine
that keeps books should hold no key, so sign on another one, and carry the two
files over.

The key comes from one of these files, which nobody else may read (chmod 600):
  --key FILE         a private key, 64 hex digits
  --mnemonic FILE    a phrase of BIP-39; --index is the account's, at
                     m/44'/60'/0'/0/INDEX
  --keystore FILE    an Ethereum keystore, version 3; --password FILE opens it
A name of - asks for the secret instead, and shows nothing of what is typed. A
secret is never taken from an argument or from the environment, which others on
the machine can see.

What is signed is shown first, read back from the bytes that are signed, and a yes
is asked for; scripts pass --yes. Nothing is taken on the draft's word:

  - The chain is known by its genesis hash or EVM chain ID, which a table names;
    for another chain, state --genesis or --chain-id, and --symbol and --decimals
    to see amounts in its token.
  - The call is shown by the runtime's metadata. Those of the draft are accepted
    if their hash is built in, or if the chain refuses the signature where its own
    are others (CheckMetadataHash, RFC-0078). Otherwise name a file that you trust
    with --metadata. --trust-draft-metadata takes the draft's word: whoever made
    the draft then decides what the call is shown as.`

const signExamples = `  fees tx sign draft.json --mnemonic - -o signed.json
  fees tx sign draft.json --key alith.key --yes --metadata moonbeam-2100.scale -o signed.json
  fees tx sign draft.json --keystore UTC--2026-01-01.json --password - -o signed.json`

// keyFlags say where the key comes from.
type keyFlags struct {
	key, mnemonic, keystore, password string
	index                             uint32
}

func (f *keyFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.key, "key", "", "a file with a private key, or - to be asked for it")
	c.Flags().StringVar(&f.mnemonic, "mnemonic", "", "a file with a phrase of BIP-39, or - to be asked for it")
	c.Flags().Uint32Var(&f.index, "index", 0, "which account of the phrase")
	c.Flags().StringVar(&f.keystore, "keystore", "", "an Ethereum keystore file")
	c.Flags().StringVar(&f.password, "password", "-", "a file with the keystore's password, or - to be asked for it")
}

// read reads the key. Its caller wipes it.
func (f *keyFlags) read(c *cobra.Command) (*keys.Key, error) {
	named := 0
	for _, path := range []string{f.key, f.mnemonic, f.keystore} {
		if path != "" {
			named++
		}
	}
	if named != 1 {
		return nil, errors.New("whose key? name one file with --key, --mnemonic or --keystore; - asks for the secret")
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

// secretKey reads the secret that a flag names, or asks for what it is, and makes the key of it: an
// error in that is about a flag too.
func secretKey(c *cobra.Command, flag, path, what, about string, read func([]byte) (*keys.Key, error)) (*keys.Key, error) {
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
	key, err := read(s.Line())
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", about, err)
	}
	return key, nil
}

// prompt asks for a secret at a terminal, without showing it.
func prompt(ctx context.Context, stdin io.Reader, stderr io.Writer, what string) (*keys.Secret, error) {
	file, ok := cli.Terminal(stdin)
	if !ok {
		return nil, errors.New("there is no terminal to ask for the secret at: name a file that has it")
	}
	if err := keys.Guard(); err != nil {
		return nil, err
	}
	before, err := term.GetState(int(file.Fd()))
	if err != nil {
		return nil, err
	}
	defer term.Restore(int(file.Fd()), before) // a signal may end it while nothing is shown
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
		Use: "sign <draft>", Short: "Sign a draft, without a network", Long: signManual, Example: signExamples,
		Args: cli.Arg("one draft, a file that fees tx build wrote", &f.draft, inFile(app.ParseDraft)), RunE: f.sign,
	}, f.keyFlags.add, f.ChainFlags.Add)
	c.Flags().StringVar(&f.metadata, "metadata", "", "show the call by the metadata in this file, which you trust")
	c.Flags().BoolVar(&f.trust, "trust-draft-metadata", false, "show the call by the draft's own metadata, although nothing vouches for them")
	c.Flags().BoolVar(&f.yes, "yes", false, "sign without asking")
	addOutput(c, &f.out, "the signed transaction")
	return c
}

func (f *signFlags) sign(c *cobra.Command, args []string) (err error) {
	q := app.SignQuestion{Draft: f.draft, TrustDraft: f.trust}
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
	return write(c, f.out, s, "has the transaction %v; fees tx send %[1]s sends it", s.Hash)
}

// confirm asks at the terminal whether to sign.
func confirm(ctx context.Context, stdin io.Reader, stderr io.Writer) error {
	file, ok := cli.Terminal(stdin)
	if !ok {
		return errors.New("there is no terminal to ask for a yes at: check what is shown above, and pass --yes")
	}
	fmt.Fprint(stderr, "Sign this? Type yes: ")
	answer, err := cli.Await(ctx, func() (string, error) {
		line, _ := bufio.NewReader(file).ReadString('\n') // the end of the input is not a yes either
		return line, nil
	})
	if err == nil && strings.TrimSpace(answer) != "yes" {
		err = errors.New("nothing was signed: the answer was not yes")
	}
	return err
}
