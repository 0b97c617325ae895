package addressbook_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
)

const (
	first  = "0x0000000000000000000000000000000000000001"
	second = "0x0000000000000000000000000000000000000002"
	cased  = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac" // as EIP-55 wants it
)

func read(t *testing.T, text string) []addressbook.Entry {
	t.Helper()
	book, err := addressbook.Read(strings.NewReader(text))
	require.NoError(t, err)
	return book.Entries()
}

func TestRead(t *testing.T) {
	one, two := chain.Address20([20]byte{19: 1}), chain.Address20([20]byte{19: 2})
	for name, test := range map[string]struct {
		text string
		want []addressbook.Entry
	}{
		"empty":             {"", nil},
		"a list":            {"# ours\n\n" + second + "\n " + first + " \n", []addressbook.Entry{{two, "", "", "", 3}, {one, "", "", "", 4}}},
		"labels":            {"address,label\n" + first + ",Ours\r\n\n# theirs\n" + second + ", \"Them, Inc.\"  ", []addressbook.Entry{{one, "Ours", "", "", 2}, {two, "Them, Inc.", "", "", 5}}},
		"names, accounts":   {first + ",A,Assets:Cold: A\n" + second + ",,Assets:B", []addressbook.Entry{{one, "A", "", "Assets:Cold: A", 1}, {two, "", "", "Assets:B", 2}}},
		"byte order mark":   {"\ufeffAddress,Name\n" + first + ",\"Them, \"\"Inc.\"\"\"\n", []addressbook.Entry{{one, `Them, "Inc."`, "", "", 2}}},
		"another order":     {"Asset Account,kind,NAME,Address\nAssets:A,hot,A," + first + "\n,,," + second, []addressbook.Entry{{one, "A", "", "Assets:A", 2}, {two, "", "", "", 3}}},
		"a named account":   {"address,account\n" + first + ",4711", []addressbook.Entry{{one, "", "", "4711", 2}}},
		"a list of fees":    {"account,label,group,book_account\n" + first + ",A,ours,Assets:A\n" + second + ",,,4711", []addressbook.Entry{{one, "A", "ours", "Assets:A", 2}, {two, "", "", "4711", 3}}},
		"a short header":    {"address\n" + first + ",A,Assets:A\n", []addressbook.Entry{{one, "A", "", "Assets:A", 2}}},
		"semicolons":        {"address;label\n" + first + ";Them, Inc.\n", []addressbook.Entry{{one, "Them, Inc.", "", "", 2}}},
		"later semicolons":  {first + "\n" + second + ";\"a;b\"\n", []addressbook.Entry{{one, "", "", "", 1}, {two, "a;b", "", "", 2}}},
		"tabs":              {first + "\t\tAssets:A\n" + second + "\tB, b\n", []addressbook.Entry{{one, "", "", "Assets:A", 1}, {two, "B, b", "", "", 2}}},
		"empty columns":     {first + ",A,,,,\n,,,\n" + second + ",,,,", []addressbook.Entry{{one, "A", "", "", 1}, {two, "", "", "", 3}}},
		"twice":             {first + ",a\n" + first + "\n" + second + "\n" + first + ",a\n" + second + ",b,Assets:B\n", []addressbook.Entry{{one, "a", "", "", 1}, {two, "b", "", "Assets:B", 3}}},
		"hostile":           {first + ",=cmd|' /C calc'!A0\u202e\n", []addressbook.Entry{{one, "=cmd|' /C calc'!A0\u202e", "", "", 1}}},
		"groups":            {"address;Group;label;account\n" + first + ";payroll;A;Assets:A\n" + second + "; ours ;\n", []addressbook.Entry{{one, "A", "payroll", "Assets:A", 2}, {two, "", "ours", "", 3}}},
		"a group later":     {"address,label,group\n" + first + ",A\n" + first + ",,ours\n", []addressbook.Entry{{one, "A", "ours", "", 2}}},
		"marks":             {first + ",Mu\u0308ller,Assets:Mu\u0308ller\n" + first + ",Müller\n" + second + ",पेरोल\n", []addressbook.Entry{{one, "Müller", "", "Assets:Müller", 1}, {two, "पेरोल", "", "", 3}}},
		"a note, no labels": {"address,group,Note\n" + first + ",ours,x\n", []addressbook.Entry{{one, "", "ours", "", 2}}},
		"a label address":   {first + ",Address\n", []addressbook.Entry{{one, "Address", "", "", 1}}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, read(t, test.text)) })
	}
	require.Equal(t, read(t, cased), read(t, strings.ToLower(cased)))
}

func TestReadErrors(t *testing.T) {
	for name, test := range map[string]struct{ text, err string }{
		"all at once": {
			"x,y\n" + first + ",a\n" + first + ",b\n" + second + "\n" + second + ",\"a\n" + second + ",c\n" + first + ",a,Assets:A\n" + first + ",a,Assets:B\n" + second + ",d\n" + cased[:41] + "C\naddress\n",
			`line 1: "x" is not an address: want 0x and 40 hex digits, or SS58 of 32 bytes
line 3: ` + first + ` has the label "b" here, but "a" on line 2
line 5: extraneous or missing " in quoted-field
line 8: ` + first + ` has the account "Assets:B" here, but "Assets:A" on line 7
line 9: ` + second + ` has the label "d" here, but "c" on line 6
line 10: "` + cased[:41] + `C" has an invalid EIP-55 checksum. If every digit is correct, write ` + cased + `
line 11: "address" is not an address: want 0x and 40 hex digits, or SS58 of 32 bytes`,
		},
		"bare quote":          {first + `,a"b`, `line 1: bare " in non-quoted-field`},
		"over two lines":      {first + ",\"a\n" + second + ",b\"", "line 1: extraneous or missing \" in quoted-field\nline 2: bare \" in non-quoted-field"},
		"long":                {first + "," + strings.Repeat("x", 201), "line 1: the label has 201 bytes, more than the limit of 200"},
		"long account":        {first + ",,A:" + strings.Repeat("x", 200), "line 1: the account has 202 bytes, more than the limit of 200"},
		"two groups":          {"address,group\n" + first + ",a\n" + first + ",b", "line 3: " + first + ` has the group "b" here, but "a" on line 2`},
		"a long group":        {"address,group\n" + first + "," + strings.Repeat("x", 201), "line 2: the group has 201 bytes, more than the limit of 200"},
		"no text":             {first + ",\xff", "line 1: the label is not valid UTF-8"},
		"a long line":         {"# " + strings.Repeat("x", 1<<20) + "\n" + first + strings.Repeat(",", 1<<20), "line 2: longer than 65536 bytes"},
		"an open comma":       {first + ",Them, Inc.", `line 1: "Inc." is not an account such as Assets:Wallet; quote text that contains a separator`},
		"four fields":         {first + ",a,Assets:A,b", "line 1: 4 fields, more than 3; quote text that contains a separator"},
		"more than named":     {"address,label\n" + first + ",Them, Inc.", "line 2: 3 fields, more than 2; quote text that contains a separator"},
		"another separator":   {first + ";a\n" + second + ",b", `line 2: "` + second + `,b" is not an address: want 0x and 40 hex digits, or SS58 of 32 bytes`},
		"a column twice":      {"address,name,kind,label\n" + first + ",a,b,c", `line 1: the columns "name" and "label" contain the same field`},
		"labels unknown":      {"address,Wallet,group\n" + first + ",a,b", `line 1: no column is named label. Name the column "Wallet" label if it has the labels, or note if not`},
		"no address":          {"label,address\nA,\n", `line 2: "" is not an address: want 0x and 40 hex digits, or SS58 of 32 bytes`},
		"Macintosh":           {first + ",a\r" + second + ",b\r", "line 1: contains a carriage return; lines must end with LF or CRLF"},
		"no header of a list": {"wallet\n" + first, `line 1: "wallet" is not an address: want 0x and 40 hex digits, or SS58 of 32 bytes`},
	} {
		t.Run(name, func(t *testing.T) {
			book, err := addressbook.Read(strings.NewReader(test.text))
			require.EqualError(t, err, test.err)
			require.Nil(t, book)
		})
	}
	_, err := addressbook.Read(strings.NewReader(strings.Repeat("x,y\n", 1000)))
	require.Equal(t, 101, strings.Count(err.Error(), "\n")+1)
	away := errors.New("away")
	_, err = addressbook.Read(iotest.ErrReader(away))
	require.ErrorIs(t, err, away)
	_, err = addressbook.Read(io.LimitReader(forever{}, 65<<20))
	require.EqualError(t, err, "the file is larger than 67108864 bytes")
	if testing.Short() {
		return
	}
	var many bytes.Buffer
	for n := range 1_000_001 {
		fmt.Fprintf(&many, "0x%040x\n", n)
	}
	_, err = addressbook.Read(&many)
	require.EqualError(t, err, "line 1000001: more than 1000000 addresses")
}

// forever is an endless file of empty lines.
type forever struct{}

func (forever) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = '\n'
	}
	return len(into), nil
}

// A nil book is empty, and adding to a book reports contradictions.
func TestBook(t *testing.T) {
	var none *addressbook.Book
	require.Empty(t, none.Entries())
	require.Empty(t, none.Addresses())
	_, known := none.Label(chain.Address{})
	require.False(t, known)

	book, one, two := &addressbook.Book{}, chain.Address20([20]byte{19: 1}), chain.Address20([20]byte{19: 2})
	require.NoError(t, book.Add(addressbook.Entry{Address: two}))
	require.NoError(t, book.Add(addressbook.Entry{Address: one, Label: "One"}))
	require.NoError(t, book.Add(addressbook.Entry{Address: two, Label: "Two"}))
	require.EqualError(t, book.Add(addressbook.Entry{Address: two, Label: "2"}), second+` has the label "2" here, but "Two" earlier`)
	require.Equal(t, []chain.Address{two, one}, book.Addresses())
	label, known := book.Label(two)
	require.True(t, known)
	require.Equal(t, "Two", label)
	_, known = book.Label(chain.Address20([20]byte{19: 3}))
	require.False(t, known)
	require.NoError(t, book.Add(addressbook.Entry{Address: chain.Address20([20]byte{19: 3})}))
	_, known = book.Label(chain.Address20([20]byte{19: 3}))
	require.False(t, known)
}

// Labels and groups match exactly, or else ignoring case.
func TestFind(t *testing.T) {
	one, two, three := chain.Address20([20]byte{19: 1}), chain.Address20([20]byte{19: 2}), chain.Address20([20]byte{19: 3})
	book := &addressbook.Book{}
	for _, e := range []addressbook.Entry{{Address: one, Label: "Hot", Group: "ours"}, {Address: two, Label: "hot", Group: "Ours"}, {Address: three, Label: "Hot", Group: "payroll"}, {Address: chain.Address20([20]byte{19: 4})}} {
		require.NoError(t, book.Add(e))
	}
	require.Equal(t, []chain.Address{one, three}, book.Labelled("Hot"))
	require.Equal(t, []chain.Address{two}, book.Labelled("hot"))
	require.Equal(t, []chain.Address{one, two, three}, book.Labelled("HOT"))
	require.Equal(t, []chain.Address{one}, book.InGroup("ours"))
	require.Equal(t, []chain.Address{three}, book.InGroup("Payroll"))
	require.Equal(t, []string{"Ours", "ours", "payroll"}, book.Groups())
	require.Empty(t, book.Labelled(""))
	require.Empty(t, book.InGroup("nobody's"))
	group, known := book.Group(three)
	require.True(t, known)
	require.Equal(t, "payroll", group)
	require.Equal(t, chain.Some("payroll"), book.GroupOf(chain.Some(three)))
	require.Equal(t, chain.Some("Hot"), book.LabelOf(chain.Some(three)))
	for _, unknown := range []chain.Optional[chain.Address]{{}, chain.Some(chain.Address20([20]byte{19: 4})), chain.Some(chain.Address20([20]byte{19: 5}))} {
		require.False(t, book.LabelOf(unknown).Known())
		require.False(t, book.GroupOf(unknown).Known())
	}
	_, known = book.Group(chain.Address20([20]byte{19: 4}))
	require.False(t, known)
	require.Equal(t, addressbook.Entry{Address: chain.Address{}}, book.Entry(chain.Address{}))

	var none *addressbook.Book
	require.Empty(t, none.Groups())
	require.False(t, none.LabelOf(chain.Some(one)).Known())
	require.Empty(t, none.Labelled("Hot"))
	require.Equal(t, addressbook.Entry{Address: one}, none.Entry(one))
}

// Parsed files are within the limits, and are unchanged when written and parsed again.
func FuzzRead(f *testing.F) {
	f.Add("address,label\n" + first + ",Ours\n")
	f.Add(first + ",\"a\n" + second + ",b")
	f.Add("address\tgroup\n" + second + "\tours\n")
	f.Add("\ufeffname;asset account;address\r\n\"x;\"\"y\";Assets:A;" + cased + "\r\n# no\r\n")
	f.Add(first + "\t\tAssets:A:B\n" + first + "\tA\n,,\n")
	f.Fuzz(func(t *testing.T, text string) {
		book, err := addressbook.Read(strings.NewReader(text))
		if err != nil {
			require.Nil(t, book)
			return
		}
		var again bytes.Buffer
		out := csv.NewWriter(&again)
		require.NoError(t, out.Write([]string{"address", "label", "group", "account"}))
		seen := map[chain.Address]bool{}
		for _, e := range book.Entries() {
			require.False(t, seen[e.Address])
			seen[e.Address] = true
			require.Contains(t, strings.ToLower(text), strings.ToLower(e.Address.String()))
			for _, s := range []string{e.Label, e.Group, e.Account} {
				require.True(t, utf8.ValidString(s) && len(s) <= 200 && s == strings.TrimSpace(s), "%q", s)
			}
			label, known := book.Label(e.Address)
			require.Equal(t, e.Label, label)
			require.Equal(t, e.Label != "", known)
			require.NoError(t, out.Write([]string{e.Address.String(), e.Label, e.Group, e.Account}))
		}
		out.Flush()
		second, err := addressbook.Read(&again)
		require.NoError(t, err)
		require.Len(t, second.Entries(), len(book.Entries()))
		for i, e := range second.Entries() {
			e.Line = book.Entries()[i].Line
			require.Equal(t, book.Entries()[i], e)
		}
	})
}

// Where accounts have 32 bytes, the EVM address and the account that it stands for share an entry, whichever is listed.
func TestEntryOfTheSameAccount(t *testing.T) {
	evm, err := chain.ParseAddress(cased)
	require.NoError(t, err)
	const account = "5Fghzk1AJt88PeFEzuRfXzbPchiBbsVGTTXcdx599VdZzkTA" // of cased, on the recorded chain creditcoin3-87
	for _, listed := range []string{cased, account, "0xa02a00e549cb104f710d3fe6f2f83e91524d2a40c4ed831658a120883077f9a9"} {
		book, err := addressbook.Read(strings.NewReader("address,label\n" + first + ",Other\n" + listed + ",Ours\n"))
		require.NoError(t, err)
		for _, asked := range []chain.Address{evm, evm.Hashed()} {
			e, found := book.Find(asked)
			require.True(t, found)
			require.Equal(t, addressbook.Entry{Address: book.Addresses()[1], Label: "Ours", Line: 3}, e)
			require.Equal(t, addressbook.Entry{Address: asked, Label: "Ours", Line: 3}, book.Entry(asked))
		}
		_, found := book.Find(chain.Address32([32]byte{1}))
		require.False(t, found)
		require.NoError(t, book.Add(addressbook.Entry{Address: chain.Address20([20]byte{9}), Label: "Later"}))
		label, _ := book.Label(chain.Address20([20]byte{9}).Hashed())
		require.Equal(t, "Later", label)
	}
	_, found := (*addressbook.Book)(nil).Find(evm)
	require.False(t, found)
	require.Len(t, read(t, account+",address\n"), 1, "no header")
}

// An address may name its chain (EIP-3770). A book is refused on another chain, with the line.
func TestChains(t *testing.T) {
	one := chain.Address20([20]byte{19: 1})
	book, err := addressbook.Read(strings.NewReader("address,label\n" + second + ",B\nmbeam:" + first + ",A\n"))
	require.NoError(t, err)
	require.Equal(t, addressbook.Entry{Address: one, Label: "A", Line: 3}, book.Entry(one))
	require.NoError(t, book.CheckChain("mbeam"))
	require.EqualError(t, book.CheckChain("mriver"), `line 3: the address is on the chain "mbeam", not on "mriver". Remove the line, or correct the address`)
	require.EqualError(t, book.CheckChain(""), `line 3: the address names the chain "mbeam", and the short name of this chain is not known. Remove mbeam: before the address if it is on this chain`)
	both := &addressbook.Book{}
	both.TakeChains(nil)
	require.NoError(t, both.CheckChain("mriver"))
	both.TakeChains(book)
	require.Error(t, both.CheckChain("mriver"))
	for _, text := range []string{"mbeam:", "mbeam:0x01", ":" + first, "a b:" + first, "mbeam:mbeam:" + first} {
		_, err := addressbook.Read(strings.NewReader(text))
		require.Error(t, err, text)
	}
	made, _, err := addressbook.Edit([]byte("mbeam:"+first+",A\n"), addressbook.Entry{Address: one, Label: "B"}, first)
	require.NoError(t, err)
	require.Equal(t, "mbeam:"+first+",B\n", string(made))
}

// Of several chains, an address that names its chain is on that one only, and any other on all.
func TestOnChain(t *testing.T) {
	book, err := addressbook.Read(strings.NewReader("address,label\nmbeam:0x0000000000000000000000000000000000000001,One\n0x0000000000000000000000000000000000000002,Two\n" +
		"MRIVER:0x0000000000000000000000000000000000000003,Three\nmbeam:0x0000000000000000000000000000000000000003,Three\n"))
	require.NoError(t, err)
	require.True(t, book.NamesChains())
	labels := func(short string) (list []string) {
		on := book.On(short)
		require.NoError(t, on.CheckChain(short))
		for _, e := range on.Entries() {
			require.True(t, book.IsOn(e.Address, short))
			list = append(list, e.Label)
		}
		return list
	}
	require.Equal(t, []string{"One", "Two", "Three"}, labels("mbeam"))
	require.Equal(t, []string{"Two", "Three"}, labels("mriver"))
	require.Equal(t, []string{"Two"}, labels(""), "a chain without a short name")
	require.False(t, book.IsOn(chain.Address20([20]byte{19: 1}), "mriver"))
	var none *addressbook.Book
	require.Nil(t, none.On("mbeam"))
	require.True(t, none.IsOn(chain.Address{}, "mbeam"))
	without := &addressbook.Book{}
	require.Same(t, without, without.On("mbeam"))
}
