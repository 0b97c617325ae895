-- Texts that rows have over and over, such as an event's name: a file has each of them once,
-- and its number in the rows. PostgreSQL has the texts themselves.
{{if files}}
CREATE TABLE words (
    number  INTEGER PRIMARY KEY,
    word    TEXT NOT NULL
){{strict}};
{{end}}
