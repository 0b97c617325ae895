-- What a report adds up beside the sums of the first layout, the totals of whole months, and
-- what is known of the blocks of a day or a month: how many have rows of the tables that few
-- blocks have rows of, and which rules priced their transactions. These four are null where an
-- earlier layout began the day or the month.
{{range tables "quarter_hours" "days" "contract_days" "account_days" "contract_months" "account_months"}}
ALTER TABLE {{.}} ADD COLUMN drifts {{integer}} NOT NULL DEFAULT 0;
ALTER TABLE {{.}} ADD COLUMN priority_unknown {{integer}} NOT NULL DEFAULT 0;
ALTER TABLE {{.}} ADD COLUMN burned_unknown {{integer}} NOT NULL DEFAULT 0;
ALTER TABLE {{.}} ADD COLUMN treasury_unknown {{integer}} NOT NULL DEFAULT 0;
ALTER TABLE {{.}} ADD COLUMN author_unknown {{integer}} NOT NULL DEFAULT 0;
ALTER TABLE {{.}} ADD COLUMN priced_gas {{integer}} NOT NULL DEFAULT 0;
ALTER TABLE {{.}} ADD COLUMN priced {{amount}} NOT NULL DEFAULT '0'{{widest "priced"}};
{{end}}

CREATE TABLE months (
    month         {{integer}} NOT NULL,
    blocks        {{integer}} NOT NULL,
    inherents     {{integer}} NOT NULL,
    evm           {{integer}} NOT NULL,
    native        {{integer}} NOT NULL,
    evm_failed    {{integer}} NOT NULL,
    native_failed {{integer}} NOT NULL,
    outcome_unknown {{integer}} NOT NULL,
    undetermined  {{integer}} NOT NULL,
    uncharged     {{integer}} NOT NULL,
    unaccounted   {{integer}} NOT NULL,
    gas           {{integer}} NOT NULL,
    fee           {{amount}} NOT NULL{{widest "fee"}},
    evm_fee       {{amount}} NOT NULL{{widest "evm_fee"}},
    native_fee    {{amount}} NOT NULL{{widest "native_fee"}},
    priority_fee  {{amount}} NOT NULL{{widest "priority_fee"}},
    tip           {{amount}} NOT NULL{{widest "tip"}},
    charged       {{amount}} NOT NULL{{widest "charged"}},
    burned        {{amount}} NOT NULL{{widest "burned"}},
    treasury      {{amount}} NOT NULL{{widest "treasury"}},
    author        {{amount}} NOT NULL{{widest "author"}},
    drifts           {{integer}} NOT NULL,
    priority_unknown {{integer}} NOT NULL,
    burned_unknown   {{integer}} NOT NULL,
    treasury_unknown {{integer}} NOT NULL,
    author_unknown   {{integer}} NOT NULL,
    priced_gas       {{integer}} NOT NULL,
    priced           {{amount}} NOT NULL{{widest "priced"}},
    PRIMARY KEY (month)
){{clustered}};

ALTER TABLE seals ADD COLUMN findings {{integer}};
ALTER TABLE seals ADD COLUMN unclassified {{integer}};
ALTER TABLE seals ADD COLUMN unanswered {{integer}};
ALTER TABLE seals ADD COLUMN rules TEXT;

CREATE VIEW book_months AS SELECT {{monthText "month"}} AS month, blocks, inherents,
    evm, native, evm_failed, native_failed, outcome_unknown, undetermined, uncharged, unaccounted, gas,
    {{wei "fee"}} AS fee, {{coin "fee"}} AS fee_token,
    {{wei "evm_fee"}} AS evm_fee, {{coin "evm_fee"}} AS evm_fee_token,
    {{wei "native_fee"}} AS native_fee, {{coin "native_fee"}} AS native_fee_token,
    {{wei "priority_fee"}} AS priority_fee, {{coin "priority_fee"}} AS priority_fee_token,
    {{wei "tip"}} AS tip, {{coin "tip"}} AS tip_token,
    {{wei "charged"}} AS charged, {{coin "charged"}} AS charged_token,
    {{wei "burned"}} AS burned, {{coin "burned"}} AS burned_token,
    {{wei "treasury"}} AS treasury, {{coin "treasury"}} AS treasury_token,
    {{wei "author"}} AS author, {{coin "author"}} AS author_token
FROM months;
