-- Which sealed blocks have rows of an account, and which a transaction of a hash. The era
-- comes first: it is a run of heights, so that what is written lies together.
CREATE TABLE account_blocks (
    era      {{integer}} NOT NULL,         -- the height divided by 65536
    account  {{data}} NOT NULL,
    height   {{integer}} NOT NULL,
    tables   {{integer}} NOT NULL,         -- 1 where it paid for a transaction, plus 2 for movements, plus 4 for transfers
    PRIMARY KEY (era, account, height)
){{clustered}};

CREATE TABLE hash_blocks (
    era      {{integer}} NOT NULL,
    hash     {{integer}} NOT NULL,         -- its first 8 bytes
    height   {{integer}} NOT NULL,
    PRIMARY KEY (era, hash, height)
){{clustered}};

-- How far they are.
CREATE TABLE lookups (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    next    {{integer}} NOT NULL,          -- the height that they lack first
    digest  {{data}} NOT NULL              -- of this row
){{strict}};

-- They come in the place of indexes over the rows.
DROP INDEX IF EXISTS transactions_by_payer;
DROP INDEX IF EXISTS transactions_by_hash;
DROP INDEX IF EXISTS transactions_by_evm_hash;
DROP INDEX IF EXISTS movements_by_account;
DROP INDEX IF EXISTS transfers_by_sender;
DROP INDEX IF EXISTS transfers_by_recipient;

-- What a block adds to the totals and look-ups beyond its transactions' costs: so that who
-- seals blocks that others stored need not read their rows. Sealing takes it away.
CREATE TABLE unsealed (
    height     {{integer}} PRIMARY KEY,
    additions  {{data}} NOT NULL,
    digest     {{data}} NOT NULL           -- of this row, and of the block's digest
){{strict}};
