-- The sandbox gateway's own records: what a payment provider keeps, apart from everything that the shop keeps. SQLite only.
-- Times are milliseconds since 1970 in UTC, money is fen, flags are 0 or 1. Landed migrations are never edited.

-- `channel` and `payment_no` are the provider's key: the same number asked for twice is one payment. `token` is the cashier page's
-- address. `misbehaviour` is what the buyer's engineer chose for it.
CREATE TABLE payment (
    channel TEXT NOT NULL CONSTRAINT payment_channel CHECK (channel IN ('wechat', 'alipay', 'webhook')),
    payment_no TEXT NOT NULL,
    token TEXT NOT NULL CONSTRAINT payment_token UNIQUE,
    state TEXT NOT NULL CONSTRAINT payment_state CHECK (state IN ('open', 'paid', 'closed', 'failed')),
    amount_fen INTEGER NOT NULL CONSTRAINT payment_amount CHECK (amount_fen > 0),
    currency TEXT NOT NULL,
    subject TEXT NOT NULL,
    pay_before INTEGER NOT NULL,
    notify_url TEXT NOT NULL,
    return_url TEXT NOT NULL,
    misbehaviour TEXT NOT NULL DEFAULT 'none',
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CONSTRAINT payment_number PRIMARY KEY (channel, payment_no)
) STRICT;

-- Money that moved. More than one for a payment only when the gateway misbehaves on purpose.
CREATE TABLE money (
    transaction_id TEXT NOT NULL CONSTRAINT money_transaction PRIMARY KEY,
    channel TEXT NOT NULL,
    payment_no TEXT NOT NULL,
    position INTEGER NOT NULL,
    amount_fen INTEGER NOT NULL CONSTRAINT money_amount CHECK (amount_fen > 0),
    refunded_fen INTEGER NOT NULL DEFAULT 0
        CONSTRAINT money_refunded CHECK (refunded_fen BETWEEN 0 AND amount_fen),
    paid_at INTEGER NOT NULL,
    CONSTRAINT money_once UNIQUE (channel, payment_no, position)
) STRICT;

-- A refund is on its way until `done_at`; then it is what `outcome` says.
CREATE TABLE refund (
    channel TEXT NOT NULL,
    refund_no TEXT NOT NULL,
    provider_no TEXT NOT NULL,
    payment_no TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    amount_fen INTEGER NOT NULL CONSTRAINT refund_amount CHECK (amount_fen > 0),
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL CONSTRAINT refund_outcome CHECK (outcome IN ('succeeded', 'refused')),
    created_at INTEGER NOT NULL,
    done_at INTEGER NOT NULL,
    CONSTRAINT refund_number PRIMARY KEY (channel, refund_no)
) STRICT;

-- A notification and where it stands in its schedule. `due_at` is also the claim of whoever is sending it just now.
CREATE TABLE notice (
    notice_id TEXT NOT NULL CONSTRAINT notice_key PRIMARY KEY,
    channel TEXT NOT NULL,
    payment_no TEXT NOT NULL,
    url TEXT NOT NULL,
    content TEXT NOT NULL,
    state TEXT NOT NULL CONSTRAINT notice_state CHECK (state IN ('waiting', 'acknowledged', 'given_up')),
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL,
    tamper TEXT NOT NULL,
    tampered_attempts INTEGER NOT NULL,
    copies INTEGER NOT NULL CONSTRAINT notice_copies CHECK (copies >= 1),
    answers_lost INTEGER NOT NULL,
    full_schedule INTEGER NOT NULL CONSTRAINT notice_full_schedule CHECK (full_schedule IN (0, 1)),
    acknowledged INTEGER NOT NULL DEFAULT 0 CONSTRAINT notice_acknowledged CHECK (acknowledged IN (0, 1)),
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX notice_due ON notice (state, due_at);

-- Everything that came in and went out, for people.
CREATE TABLE traffic (
    traffic_id INTEGER NOT NULL CONSTRAINT traffic_key PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    channel TEXT NOT NULL,
    direction TEXT NOT NULL CONSTRAINT traffic_direction CHECK (direction IN ('received', 'sent')),
    what TEXT NOT NULL,
    status INTEGER NOT NULL,
    request TEXT NOT NULL,
    answer TEXT NOT NULL
) STRICT;
