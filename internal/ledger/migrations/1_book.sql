-- Schema version 1. {{...}} is replaced by the SQL of each engine.

CREATE TABLE book (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    network   TEXT NOT NULL,
    genesis   {{data}},                -- the hash of block 0; null until a source provides it
    first     {{integer}} NOT NULL,    -- the first height
    sealed    {{integer}} NOT NULL,    -- number of sealed blocks, from the first on
    removing  {{integer}},             -- lowest height of detached blocks that are still being removed
    digest    {{data}} NOT NULL        -- of this row
){{strict}};

-- Where the last blocks came from, without secrets, for advice. No digest covers it.
CREATE TABLE source (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    place  TEXT NOT NULL
){{strict}};

CREATE TABLE blocks (
    height   {{integer}} PRIMARY KEY CHECK (height >= 0),
    time_ms  {{integer}},
    flags    {{integer}} NOT NULL,     -- 1 not final, 2 findings, 4 unclassified events, 8 unanswered questions, 16 fees paid in assets
    record   {{data}} NOT NULL,        -- what the chain recorded and the rules derived
    known    TEXT,                     -- findings and open questions, as JSON; may be null
    sum      {{data}} NOT NULL
){{strict}}{{by "height"}};

CREATE INDEX blocks_flagged ON blocks (height) WHERE flags <> 0;

-- For SQL users: the most useful fields of transactions, derived from the records.
CREATE TABLE transactions (
    id         {{integer}} PRIMARY KEY,  -- the height times 1048576, plus the extrinsic
    layer      {{word}} NOT NULL,
    type       {{word}},
    call       {{word}} NOT NULL,
    hash       {{data}} NOT NULL,        -- of the EVM transaction, otherwise of the extrinsic
    sender     {{data}},
    recipient  {{data}},
    payer      {{data}},                 -- null if it is the sender, empty if it is unknown
    gas_price  {{amount}},
    gas        {{amount}},
    fee        {{amount}},
    tip        {{amount}},
    success    {{integer}},
    outcome    {{word}},
    charged    {{amount}},
    verdict    {{word}},
    fee_asset  {{word}},                 -- the ID of the asset that the fee was paid in, and the amounts; null for others
    asset_fee  {{amount}},               -- in the asset's smallest units
    asset_fee_tip        {{amount}},     -- in the token's, also the next one
    asset_fee_equivalent {{amount}}
){{strict}}{{by "id"}};

-- Sealed blocks and their sums by UTC day and month.
CREATE TABLE stretches (
    unit          TEXT NOT NULL,            -- day or month
    number        {{integer}} NOT NULL,     -- from 1970 on; -1 for the blocks without a time
    first         {{integer}} NOT NULL,     -- the lowest and the highest height
    last          {{integer}} NOT NULL,
    seal          {{data}} NOT NULL,
    findings      {{integer}} NOT NULL,     -- number of blocks that have some
    unclassified  {{integer}} NOT NULL,
    unanswered    {{integer}} NOT NULL,
    asset_fees    {{integer}} NOT NULL,
    rules         TEXT,                     -- the rules that priced its transactions, one per line
    merged        {{integer}} NOT NULL,     -- 1 if the day's hashes are in its month's parts
    leaves        {{data}},                 -- the SHA-256 of each part; null until they are written
    {{columns}}digest {{data}} NOT NULL,        -- of this row
    PRIMARY KEY (unit, number)
){{clustered}};

-- Sums and indexes of ended days and months.
CREATE TABLE parts (
    unit    TEXT NOT NULL,
    number  {{integer}} NOT NULL,
    kind    {{integer}} NOT NULL,    -- 0 quarters of an hour, 1 contracts, 2 accounts, 3 blocks by account, 4 blocks by hash
    part    {{integer}} NOT NULL,    -- by the first bits of the key
    body    {{data}} NOT NULL,       -- zstd
    PRIMARY KEY (unit, number, kind, part)
){{strict}};
{{if not files}}
ALTER TABLE blocks ALTER record SET STORAGE EXTERNAL;
ALTER TABLE parts ALTER body SET STORAGE EXTERNAL;
{{end}}
-- What a later program version derived for stored blocks; the old judgement stays.
CREATE TABLE rejudgements (
    height       {{integer}} NOT NULL,
    table_name   TEXT NOT NULL,
    row_number   {{integer}} NOT NULL,   -- extrinsic or position; -1 for the block
    column_name  TEXT NOT NULL,
    program      TEXT NOT NULL,          -- the version that judged differently
    before       TEXT,
    after        TEXT,
    digest       {{data}} NOT NULL,      -- of this row
    PRIMARY KEY (height, table_name, row_number, column_name, program)
){{clustered}};

-- Which blocks are proved, and by which checkpoint. Digests and seals do not cover it.
-- Ranges do not overlap; adjacent ones have different checkpoints.
CREATE TABLE proved (
    first           {{integer}} NOT NULL PRIMARY KEY,
    last            {{integer}} NOT NULL,
    trusted_height  {{integer}} NOT NULL,
    trusted_hash    {{data}} NOT NULL,
    final_set       TEXT,                 -- the validators that signed; null if the block is only trusted
    final_root      TEXT,                 -- the trusted validators from which the sets begin
    final_root_hash {{data}} NOT NULL,    -- of their list; zeros if the block is only trusted
    final_para      TEXT,                 -- the parachain's ID; null for a chain that finalizes itself
    digest          {{data}} NOT NULL     -- of this row
){{clustered}};

-- The audit trail: what users did with the packages of periods and with the address book. Each digest covers the one
-- before it.
CREATE TABLE trail (
    number    {{integer}} NOT NULL PRIMARY KEY,  -- from 1 on
    time_ms   {{integer}} NOT NULL,
    actor     TEXT NOT NULL,
    act       TEXT NOT NULL,                     -- prepared, returned, approved, closed, withdrawn, accepted, asked, answered, acceptance withdrawn or labelled
    period    TEXT NOT NULL,
    zone      TEXT NOT NULL,
    manifest  {{data}} NOT NULL,                 -- its SHA-256; for labels, that of the address book's file
    comment   TEXT NOT NULL,
    account   TEXT NOT NULL,                     -- whose label was edited; '' for packages
    entry_before TEXT NOT NULL,                  -- its entry in the address book
    entry_after  TEXT NOT NULL,
    digest    {{data}} NOT NULL
){{clustered}};
{{if files}}
-- Common words, stored as numbers in a file. PostgreSQL stores the words.
CREATE TABLE words (
    number  INTEGER PRIMARY KEY,
    word    TEXT NOT NULL
){{strict}};
INSERT INTO words (number, word) VALUES {{words}};
{{end}}
CREATE VIEW book_blocks AS SELECT
    height, {{hex "substr(record, 10, 32)"}} AS hash, {{hex "substr(record, 42, 32)"}} AS parent_hash, {{time "time_ms"}} AS time,
    flags % 2 = 0 AS final
FROM blocks;

CREATE VIEW book_transactions AS SELECT
    b.height, t.id % 1048576 AS extrinsic, {{time "b.time_ms"}} AS time,
    {{wordOf "t.layer"}} AS layer, {{wordOf "t.type"}} AS type, {{wordOf "t.call"}} AS call, {{hex "t.hash"}} AS hash,
    {{hex "t.sender"}} AS sender, {{hex "t.recipient"}} AS recipient, {{hex "coalesce(t.payer, t.sender)"}} AS payer,
    {{wei "t.gas_price"}} AS gas_price, {{wei "t.gas"}} AS gas, {{wei "t.fee"}} AS fee, {{coin "t.fee"}} AS fee_token, {{wei "t.tip"}} AS tip,
    t.success = 1 AS success, {{wordOf "t.outcome"}} AS outcome, {{wei "t.charged"}} AS charged, {{wordOf "t.verdict"}} AS verdict,
    {{wordOf "t.fee_asset"}} AS fee_asset, {{wei "t.asset_fee"}} AS asset_fee, {{wei "t.asset_fee_tip"}} AS asset_fee_tip, {{wei "t.asset_fee_equivalent"}} AS asset_fee_equivalent,
    b.flags % 2 = 0 AS final
FROM blocks b JOIN transactions t ON t.id >= b.height * 1048576 AND t.id < (b.height + 1) * 1048576;

CREATE VIEW book_findings AS SELECT b.height, {{json "f" "check_id"}} AS check_id, {{json "f" "extrinsic"}} AS extrinsic, {{json "f" "message"}} AS message
FROM blocks b, {{each "b.known" "findings"}} f WHERE b.flags <> 0;

CREATE VIEW book_unanswered AS SELECT b.height, {{json "f" "about"}} AS about, {{json "f" "at"}} AS at, {{json "f" "why"}} AS why
FROM blocks b, {{each "b.known" "unanswered"}} f WHERE b.flags <> 0;

CREATE VIEW book_seals AS SELECT unit,
    CASE WHEN number < 0 THEN NULL WHEN unit = 'day' THEN {{dayText "number"}} ELSE {{monthText "number"}} END AS name,
    first, last, blocks, {{hex "seal"}} AS seal
FROM stretches;

CREATE VIEW book_days AS SELECT {{day "number"}} AS day, {{sums}}
FROM stretches WHERE unit = 'day' AND number >= 0;

CREATE VIEW book_months AS SELECT {{monthText "number"}} AS month, {{sums}}
FROM stretches WHERE unit = 'month' AND number >= 0;

{{define payments}}count(CASE WHEN {{wordOf "t.layer"}} = 'evm' THEN 1 END) AS evm, count(CASE WHEN {{wordOf "t.layer"}} = 'native' THEN 1 END) AS native,
    count(*) - count(t.fee) AS undetermined, count(*) - count(t.charged) AS uncharged, {{sum "t.fee"}} AS fee, {{sum "t.tip"}} AS tip, {{sum "t.charged"}} AS charged
    FROM blocks b JOIN transactions t ON t.id >= b.height * 1048576 AND t.id < (b.height + 1) * 1048576 WHERE b.flags % 2 = 0{{end}}
{{define shownPayments}}evm, native, undetermined, uncharged, fee, {{coin "fee"}} AS fee_token, tip, charged, {{coin "charged"}} AS charged_token{{end}}
{{define contract}}{{wordOf "t.layer"}} AS layer, {{wordOf "t.call"}} AS call, CASE WHEN {{wordOf "t.layer"}} = 'evm' THEN {{hex "t.recipient"}} END AS contract{{end}}
CREATE VIEW book_account_days AS SELECT day, account, {{shownPayments}} FROM (
    SELECT {{day "(b.time_ms / 86400000)"}} AS day, {{hex "coalesce(t.payer, t.sender)"}} AS account, {{payments}} GROUP BY 1, 2) AS paid;

CREATE VIEW book_account_months AS SELECT month, account, {{shownPayments}} FROM (
    SELECT substr({{time "b.time_ms"}}, 1, 7) AS month, {{hex "coalesce(t.payer, t.sender)"}} AS account, {{payments}} GROUP BY 1, 2) AS paid;

CREATE VIEW book_contract_days AS SELECT day, layer, call, contract, {{shownPayments}} FROM (
    SELECT {{day "(b.time_ms / 86400000)"}} AS day, {{contract}}, {{payments}} GROUP BY 1, 2, 3, 4) AS paid;

CREATE VIEW book_contract_months AS SELECT month, layer, call, contract, {{shownPayments}} FROM (
    SELECT substr({{time "b.time_ms"}}, 1, 7) AS month, {{contract}}, {{payments}} GROUP BY 1, 2, 3, 4) AS paid;

CREATE VIEW book_proved AS SELECT first, last, trusted_height, {{hex "trusted_hash"}} AS trusted_hash,
    final_set, final_root, CASE WHEN final_set IS NOT NULL THEN {{hex "final_root_hash"}} END AS final_root_hash, final_para
FROM proved;

CREATE VIEW book_trail AS SELECT number, {{time "time_ms"}} AS time, actor, act, period, zone, {{hex "manifest"}} AS manifest, comment, account, entry_before, entry_after, {{hex "digest"}} AS digest
FROM trail;
