-- The ledger's layout. {{`{{...}}`}} stands for what the engines write differently.

{{define "sums"}}evm {{integer}} NOT NULL, native {{integer}} NOT NULL, evm_failed {{integer}} NOT NULL, native_failed {{integer}} NOT NULL,
    outcome_unknown {{integer}} NOT NULL, undetermined {{integer}} NOT NULL, uncharged {{integer}} NOT NULL, unaccounted {{integer}} NOT NULL,
    gas {{integer}} NOT NULL,
    {{range list "fee" "evm_fee" "native_fee" "priority_fee" "tip" "charged" "burned" "treasury" "author" "priced"}}{{.}} {{amount}} NOT NULL{{widest .}},
    {{end}}drifts {{integer}} NOT NULL, priority_unknown {{integer}} NOT NULL,
    burned_unknown {{integer}} NOT NULL, treasury_unknown {{integer}} NOT NULL, author_unknown {{integer}} NOT NULL,
    priced_gas {{integer}} NOT NULL,{{end}}

{{define "shown sums"}}evm, native, evm_failed, native_failed, outcome_unknown, undetermined, uncharged, unaccounted, gas{{range list "fee" "evm_fee" "native_fee" "priority_fee" "tip" "charged" "burned" "treasury" "author"}},
    {{wei .}} AS {{.}}, {{coin .}} AS {{.}}_token{{end}}{{end}}

CREATE TABLE book (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    network     TEXT NOT NULL,
    genesis     {{data}},                -- the hash of block 0, null while no source told it
    first       {{integer}} NOT NULL,    -- the height that the book begins with
    sealed      {{integer}} NOT NULL,    -- how many blocks are sealed, from the first on
    digest      {{data}} NOT NULL        -- of this row
){{strict}};

CREATE TABLE blocks (
    height            {{integer}} PRIMARY KEY CHECK (height >= 0),
    hash              {{data}} NOT NULL,
    parent_hash       {{data}} NOT NULL,
    time_ms           {{integer}},
    runtime           {{integer}},
    rules             {{word}} NOT NULL,
    certain           {{boolean}} NOT NULL,
    base_fee_per_gas  {{token}},
    multiplier_at     {{integer}},
    multiplier        {{amount}},
    evm               {{integer}} NOT NULL,
    native            {{integer}} NOT NULL,
    inherents         {{integer}} NOT NULL,
    undetermined      {{integer}} NOT NULL,
    fee               {{amount}} NOT NULL,
    evm_fee           {{amount}} NOT NULL,
    native_fee        {{amount}} NOT NULL,
    charged           {{amount}},
    burned            {{amount}},
    treasury          {{amount}},
    author            {{amount}},
    costs             {{data}} NOT NULL,     -- of its transactions' rows what reports add up, packed
    final             {{boolean}} NOT NULL,
    leaves            {{data}} NOT NULL      -- what its digest is over: one for each of its tables
){{strict}}{{byHeight}};

CREATE TABLE transactions (
    height        {{integer}} NOT NULL,
    extrinsic     {{integer}} NOT NULL,
    layer         {{word}} NOT NULL,
    type          {{word}},
    call          {{word}} NOT NULL,
    hash          {{data}} NOT NULL,
    evm_hash      {{data}},
    sender        {{data}},
    recipient     {{data}},
    payer         {{data}},
    nonce         {{amount}},
    gas_price     {{token}},
    gas           {{amount}},
    weight        {{amount}},
    fee           {{amount}},
    method        {{word}},
    priority_fee  {{amount}},
    tip           {{amount}},
    success       {{boolean}},
    outcome       {{word}},
    status        {{word}},
    error         TEXT,
    charged       {{amount}},
    verdict       {{word}},
    drift         {{amount}},
    burned        {{amount}},
    treasury      {{amount}},
    author        {{amount}},
    PRIMARY KEY (height, extrinsic)
){{clustered}}{{byHeight}};

CREATE TABLE movements (
    height        {{integer}} NOT NULL,
    position      {{integer}} NOT NULL,
    place         {{integer}} NOT NULL,  -- the extrinsic, -1 for onInitialize, 2147483647 for onFinalize
    event_index   {{integer}} NOT NULL,
    event         {{word}} NOT NULL,
    kind          {{word}} NOT NULL,
    account       {{data}} NOT NULL,
    counterparty  {{data}},
    amount        {{amount}} NOT NULL,
    free          {{amount}},            -- the change; null where the event does not tell
    reserved      {{amount}},
    PRIMARY KEY (height, position)
){{clustered}}{{byHeight}};

CREATE TABLE unclassified (
    height       {{integer}} NOT NULL,
    position     {{integer}} NOT NULL,
    place        {{integer}} NOT NULL,
    event_index  {{integer}} NOT NULL,
    event        TEXT NOT NULL,
    data         TEXT NOT NULL,
    reason       TEXT NOT NULL,
    PRIMARY KEY (height, position)
){{clustered}}{{byHeight}};

CREATE TABLE transfers (
    height     {{integer}} NOT NULL,
    position   {{integer}} NOT NULL,
    extrinsic  {{integer}} NOT NULL,
    token      {{data}} NOT NULL,
    sender     {{data}} NOT NULL,
    recipient  {{data}} NOT NULL,
    amount     {{token}} NOT NULL,
    PRIMARY KEY (height, position)
){{clustered}}{{byHeight}};

-- The tables from here on say how well the blocks are known, which may change: they are
-- outside of the digests.

-- Why fees drift.
CREATE TABLE diagnoses (
    height     {{integer}} NOT NULL,
    extrinsic  {{integer}} NOT NULL,
    class      TEXT NOT NULL,
    PRIMARY KEY (height, extrinsic)
){{clustered}}{{byHeight}};

CREATE TABLE findings (
    height     {{integer}} NOT NULL,
    position   {{integer}} NOT NULL,
    check_id   TEXT NOT NULL,
    extrinsic  {{integer}},
    message    TEXT NOT NULL,
    PRIMARY KEY (height, position)
){{clustered}}{{byHeight}};

-- What a source did not answer for the moment, though it might have: asked again by a
-- verification with a gateway.
CREATE TABLE unanswered (
    height     {{integer}} NOT NULL,
    position   {{integer}} NOT NULL,
    about      TEXT NOT NULL,
    at         {{integer}} NOT NULL,     -- the height whose state it is about
    why        TEXT NOT NULL,
    PRIMARY KEY (height, position)
){{clustered}}{{byHeight}};

-- The sealed blocks by days and months of UTC.
CREATE TABLE seals (
    unit     TEXT NOT NULL,              -- day or month
    number   {{integer}} NOT NULL,       -- from 1970 on; -1 is the blocks without a time
    first    {{integer}} NOT NULL,       -- the lowest height, and the highest
    last     {{integer}} NOT NULL,
    blocks   {{integer}} NOT NULL,
    seal     {{data}} NOT NULL,          -- over the digests of its blocks
    totals   {{data}},                   -- the leaves of its totals; null while it grows
    findings      {{integer}} NOT NULL,  -- how many of its blocks have rows of the table of this name
    unclassified  {{integer}} NOT NULL,
    unanswered    {{integer}} NOT NULL,
    rules         TEXT,                  -- that priced its transactions, a line each
    digest   {{data}} NOT NULL,          -- of this row
    PRIMARY KEY (unit, number)
){{clustered}};

-- What a later program made of a block that is in the book: the old judgement stays.
CREATE TABLE rejudgements (
    height       {{integer}} NOT NULL,
    table_name   TEXT NOT NULL,
    row_number   {{integer}} NOT NULL,   -- its second key: extrinsic or position; -1 for the block
    column_name  TEXT NOT NULL,
    before       TEXT,
    after        TEXT,
    program      TEXT NOT NULL,          -- the version that judged differently
    PRIMARY KEY (height, table_name, row_number, column_name, program)
){{clustered}};

-- Sums over the sealed blocks, by quarters of an hour, days and months of UTC from 1970 on.
CREATE TABLE quarter_hours (
    quarter_hour  {{integer}} NOT NULL,
    blocks        {{integer}} NOT NULL,
    inherents     {{integer}} NOT NULL,
    {{template "sums"}}
    PRIMARY KEY (quarter_hour)
){{clustered}};

CREATE TABLE days (
    day           {{integer}} NOT NULL,
    blocks        {{integer}} NOT NULL,
    inherents     {{integer}} NOT NULL,
    {{template "sums"}}
    PRIMARY KEY (day)
){{clustered}};

CREATE TABLE months (
    month         {{integer}} NOT NULL,
    blocks        {{integer}} NOT NULL,
    inherents     {{integer}} NOT NULL,
    {{template "sums"}}
    PRIMARY KEY (month)
){{clustered}};

CREATE TABLE contract_days (
    day           {{integer}} NOT NULL,
    layer         TEXT NOT NULL,
    call          TEXT NOT NULL,
    contract      {{data}} NOT NULL,
    {{template "sums"}}
    PRIMARY KEY (day, layer, call, contract)
){{clustered}};

CREATE TABLE account_days (
    day           {{integer}} NOT NULL,
    account       {{data}} NOT NULL,
    movements     {{integer}} NOT NULL,
    transfers     {{integer}} NOT NULL,
    {{template "sums"}}
    PRIMARY KEY (day, account)
){{clustered}};

CREATE TABLE contract_months (
    month         {{integer}} NOT NULL,
    layer         TEXT NOT NULL,
    call          TEXT NOT NULL,
    contract      {{data}} NOT NULL,
    {{template "sums"}}
    PRIMARY KEY (month, layer, call, contract)
){{clustered}};

CREATE TABLE account_months (
    month         {{integer}} NOT NULL,
    account       {{data}} NOT NULL,
    {{template "sums"}}
    PRIMARY KEY (month, account)
){{clustered}};

-- Which blocks are proved, and by which trusted block: outside of the digests, so that seals
-- do not depend on it. Spans do not overlap; those that touch have other trusted blocks.
CREATE TABLE proved (
    first           {{integer}} NOT NULL PRIMARY KEY,
    last            {{integer}} NOT NULL,
    trusted_height  {{integer}} NOT NULL,
    trusted_hash    {{data}} NOT NULL,
    digest          {{data}} NOT NULL     -- of this row
){{clustered}};

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

-- What a block adds to the totals and look-ups beyond its transactions' costs: so that who
-- seals blocks that others stored need not read their rows. Sealing takes it away.
CREATE TABLE unsealed (
    height     {{integer}} PRIMARY KEY,
    additions  {{data}} NOT NULL,
    digest     {{data}} NOT NULL           -- of this row, and of the block's digest
){{strict}};

-- Blocks that were detached from the book, and whose rows are being removed: they lie below its
-- first height. There is no row but while that lasts.
CREATE TABLE removal (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    first   {{integer}} NOT NULL,
    last    {{integer}} NOT NULL,
    digest  {{data}} NOT NULL            -- of this row
){{strict}};
{{if files}}
-- Texts that rows have over and over, such as an event's name: a file has each of them once,
-- and its number in the rows. PostgreSQL has the texts themselves.
CREATE TABLE words (
    number  INTEGER PRIMARY KEY,
    word    TEXT NOT NULL
){{strict}};
{{end}}
CREATE VIEW book_blocks AS SELECT
    height, {{hex "hash"}} AS hash, {{hex "parent_hash"}} AS parent_hash, {{time "time_ms"}} AS time, runtime, {{wordOf "rules"}} AS rules,
    {{wei "base_fee_per_gas"}} AS base_fee_per_gas, {{wei "multiplier"}} AS multiplier, evm, native, inherents, undetermined,
    {{wei "fee"}} AS fee, {{coin "fee"}} AS fee_token, {{wei "evm_fee"}} AS evm_fee, {{wei "native_fee"}} AS native_fee,
    {{wei "charged"}} AS charged, {{wei "burned"}} AS burned, {{wei "treasury"}} AS treasury, {{wei "author"}} AS author,
    final
FROM blocks;

CREATE VIEW book_transactions AS SELECT
    t.height, t.extrinsic, {{time "b.time_ms"}} AS time,
    {{wordOf "t.layer"}} AS layer, {{wordOf "t.type"}} AS type, {{wordOf "t.call"}} AS call, {{hex "t.hash"}} AS hash, {{hex "t.evm_hash"}} AS evm_hash,
    {{hex "t.sender"}} AS sender, {{hex "t.recipient"}} AS recipient, {{hex "t.payer"}} AS payer, {{wei "t.nonce"}} AS nonce,
    {{wei "t.gas_price"}} AS gas_price, {{wei "t.gas"}} AS gas, {{wei "t.weight"}} AS weight,
    {{wei "t.fee"}} AS fee, {{coin "t.fee"}} AS fee_token, {{wordOf "t.method"}} AS method, {{wei "t.priority_fee"}} AS priority_fee, {{wei "t.tip"}} AS tip,
    t.success, {{wordOf "t.outcome"}} AS outcome, {{wordOf "t.status"}} AS status, t.error,
    {{wei "t.charged"}} AS charged, {{wordOf "t.verdict"}} AS verdict, {{wei "t.drift"}} AS drift, d.class,
    {{wei "t.burned"}} AS burned, {{wei "t.treasury"}} AS treasury, {{wei "t.author"}} AS author, {{wordOf "b.rules"}} AS rules, b.final
FROM transactions t JOIN blocks b ON b.height = t.height LEFT JOIN diagnoses d ON d.height = t.height AND d.extrinsic = t.extrinsic;

CREATE VIEW book_movements AS SELECT
    m.height, m.position, {{time "b.time_ms"}} AS time,
    CASE m.place WHEN -1 THEN 'onInitialize' WHEN 2147483647 THEN 'onFinalize' ELSE CAST(m.place AS TEXT) END AS place,
    m.event_index, {{wordOf "m.event"}} AS event, {{wordOf "m.kind"}} AS kind, {{hex "m.account"}} AS account, {{hex "m.counterparty"}} AS counterparty,
    {{wei "m.amount"}} AS amount, {{wei "m.free"}} AS free, {{coin "m.free"}} AS free_token,
    {{wei "m.reserved"}} AS reserved, {{coin "m.reserved"}} AS reserved_token
FROM movements m JOIN blocks b ON b.height = m.height;

CREATE VIEW book_transfers AS SELECT
    x.height, x.position, {{time "b.time_ms"}} AS time, x.extrinsic, {{hex "x.token"}} AS token, {{hex "x.sender"}} AS sender,
    {{hex "x.recipient"}} AS recipient, {{wei "x.amount"}} AS amount
FROM transfers x JOIN blocks b ON b.height = x.height;

CREATE VIEW book_findings AS SELECT height, check_id, extrinsic, message FROM findings;

CREATE VIEW book_unanswered AS SELECT height, about, at, why FROM unanswered;

CREATE VIEW book_seals AS SELECT unit,
    CASE WHEN number < 0 THEN NULL WHEN unit = 'day' THEN {{dayText "number"}} ELSE {{monthText "number"}} END AS name,
    first, last, blocks, {{hex "seal"}} AS seal
FROM seals;

CREATE VIEW book_days AS SELECT {{day "day"}} AS day, blocks, inherents,
    {{template "shown sums"}}
FROM days;

CREATE VIEW book_months AS SELECT {{monthText "month"}} AS month, blocks, inherents,
    {{template "shown sums"}}
FROM months;

CREATE VIEW book_account_days AS SELECT {{day "day"}} AS day, {{hex "account"}} AS account, movements, transfers,
    {{template "shown sums"}}
FROM account_days;

CREATE VIEW book_account_months AS SELECT {{monthText "month"}} AS month, {{hex "account"}} AS account,
    {{template "shown sums"}}
FROM account_months;

CREATE VIEW book_contract_days AS SELECT {{day "day"}} AS day, layer, call,
    CASE WHEN length(contract) = 0 THEN NULL ELSE {{hex "contract"}} END AS contract,
    {{template "shown sums"}}
FROM contract_days;

CREATE VIEW book_contract_months AS SELECT {{monthText "month"}} AS month, layer, call,
    CASE WHEN length(contract) = 0 THEN NULL ELSE {{hex "contract"}} END AS contract,
    {{template "shown sums"}}
FROM contract_months;

CREATE VIEW book_proved AS SELECT first, last, trusted_height, {{hex "trusted_hash"}} AS trusted_hash FROM proved;
