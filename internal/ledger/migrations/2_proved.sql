-- Which blocks are proved, and by which trusted block: outside of the digests, so that seals
-- do not depend on it. Spans do not overlap; those that touch have other trusted blocks.
CREATE TABLE proved (
    first           {{integer}} NOT NULL PRIMARY KEY,
    last            {{integer}} NOT NULL,
    trusted_height  {{integer}} NOT NULL,
    trusted_hash    {{data}} NOT NULL,
    digest          {{data}} NOT NULL     -- of this row
){{clustered}};

CREATE VIEW book_proved AS SELECT first, last, trusted_height, {{hex "trusted_hash"}} AS trusted_hash FROM proved;
