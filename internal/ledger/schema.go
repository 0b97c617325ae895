package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/feeledger/fees/internal/failure"
)

// relation is a table, a partition or a view, as the database describes it.
type relation struct {
	// like is the name of the table or view that it must equal; for a partition, that of its table with a suffix.
	like  string
	parts map[string]string // definitions of its columns, keys, indexes, triggers, rules and the like, by kind and name
}

// schema contains relations by name.
type schema map[string]*relation

// add adds a part of a relation.
func (s schema) add(name, like, part, definition string) {
	if s[name] == nil {
		s[name] = &relation{like, map[string]string{}}
	}
	s[name].parts[part] = definition
}

// partitionLike is the suffix of the name that partitions of a table are compared by.
const partitionLike = "_N"

// ErrSchemaUnread reports that this program's schema could not be created for comparison.
var ErrSchemaUnread = failure.New(failure.NotCovered, "the database's schema was not compared")

// intendedSchemas are the schemas that this program creates, by engine, schema version and decimals of the token.
var intendedSchemas sync.Map

// compareSchema reports how the database's tables and views differ from those that this program creates: other columns,
// keys, indexes, triggers, rules or row security, or further tables and views.
func (b *Book) compareSchema(ctx context.Context, found func(Damage)) error {
	c, err := readBookRow(ctx, b.engine.shared())
	switch {
	case errors.Is(err, ErrDamaged): // which is reported, and what to expect depends on it
		return nil
	case err != nil && !errors.Is(err, ErrNone):
		return err
	}
	have, version, err := b.engine.schema(ctx)
	if err != nil {
		return err
	}
	key := fmt.Sprint(version, " ", len(migrations), " ", decimalsOf(c.Decimals))
	want, known := intendedSchemas.Load(key)
	if !known {
		if want, err = b.engine.intendedSchema(ctx, c.Decimals); err != nil {
			return err
		}
		intendedSchemas.Store(key, want)
	}
	have.compare(want.(schema), func(table, format string, values ...any) {
		found(Damage{Table: table, Message: fmt.Sprintf(format, values...)})
	})
	return nil
}

// compare reports the differences from another schema.
func (s schema) compare(want schema, report func(table, format string, values ...any)) {
	like := map[string]*relation{}
	for name, r := range want {
		like[r.like] = r
		if s[name] == nil && !strings.HasSuffix(r.like, partitionLike) {
			report(name, "it is missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		have, want := s[name].parts, like[s[name].like]
		if want == nil {
			report(name, "it is not the program's; keep it in another schema or file")
			continue
		}
		for _, part := range slices.Sorted(maps.Keys(have)) {
			switch now, there := want.parts[part]; {
			case !there:
				report(name, "its %s is not the program's%s", part, inMessage(have[part]))
			case now != have[part]:
				report(name, "its %s was altered%s", part, inMessage(have[part]))
			}
		}
		for _, part := range slices.Sorted(maps.Keys(want.parts)) {
			if _, there := have[part]; !there {
				report(name, "its %s is missing", part)
			}
		}
	}
}

// inMessage returns a definition for a message, unless it is long.
func inMessage(definition string) string {
	const maxInMessage = 200
	if text := strings.Join(strings.Fields(definition), " "); text != "" && len(text) <= maxInMessage {
		return ": " + text
	}
	return ""
}
