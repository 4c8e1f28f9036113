-- Times are milliseconds since 1970 in UTC, money is fen, flags are 0 or 1, so that one SQL text serves both databases.
-- Landed migrations are never edited; add the next number.

-- Names this incarnation of the data. Results cached outside the database carry it, so that a restored or promoted database never
-- meets answers from its other life.
CREATE TABLE database_epoch (
    singleton BIGINT NOT NULL CONSTRAINT database_epoch_one_row PRIMARY KEY CHECK (singleton = 1),
    epoch TEXT NOT NULL
);

-- One row per idempotent write: who works on it now, and the answer once there is one. The primary key decides every race.
CREATE TABLE idempotent_record (
    biz_type TEXT NOT NULL,
    biz_key TEXT NOT NULL,
    req_digest BYTEA NOT NULL,
    status BIGINT NOT NULL CONSTRAINT idempotent_record_status CHECK (status IN (0, 1, 2)), -- processing, done, refused
    claim_id TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    answer_status BIGINT NOT NULL DEFAULT 0,
    answer_headers TEXT NOT NULL DEFAULT '[]',
    answer_body BYTEA NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CONSTRAINT idempotent_record_key PRIMARY KEY (biz_type, biz_key)
);

-- The one token that a browser's form shows. `order_no` is set by the order's own transaction, `seen` when its owner has loaded
-- the order's page; only then may the next load replace the token.
CREATE TABLE open_token (
    session TEXT NOT NULL,
    form TEXT NOT NULL,
    token TEXT NOT NULL,
    order_no TEXT NOT NULL DEFAULT '',
    seen BIGINT NOT NULL DEFAULT 0 CONSTRAINT open_token_seen CHECK (seen IN (0, 1)),
    issued_at BIGINT NOT NULL,
    CONSTRAINT open_token_form PRIMARY KEY (session, form)
);

-- Price, sale flag and stock stand in one row so that one conditional UPDATE decides whether a line can be had.
CREATE TABLE product (
    sku TEXT NOT NULL CONSTRAINT product_sku PRIMARY KEY,
    position BIGINT NOT NULL,
    name_en TEXT NOT NULL,
    name_zh TEXT NOT NULL,
    description_en TEXT NOT NULL,
    description_zh TEXT NOT NULL,
    picture TEXT NOT NULL,
    price_fen BIGINT NOT NULL CONSTRAINT product_price CHECK (price_fen BETWEEN 0 AND 100000000),
    on_sale BIGINT NOT NULL CONSTRAINT product_on_sale CHECK (on_sale IN (0, 1)),
    available BIGINT NOT NULL CONSTRAINT product_available CHECK (available >= 0),
    reserved BIGINT NOT NULL CONSTRAINT product_reserved CHECK (reserved >= 0)
);

-- Append-only. The sums of the changes are the balances in `product`; one effect per (reference, sku, kind) for ever.
CREATE TABLE stock_ledger (
    entry_id TEXT NOT NULL CONSTRAINT stock_ledger_entry PRIMARY KEY,
    reference TEXT NOT NULL,
    sku TEXT NOT NULL,
    kind TEXT NOT NULL CONSTRAINT stock_ledger_kind CHECK (kind IN ('initial', 'set', 'reserved')),
    available_change BIGINT NOT NULL,
    reserved_change BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT stock_ledger_once UNIQUE (reference, sku, kind)
);

CREATE TABLE coupon (
    code TEXT NOT NULL CONSTRAINT coupon_code PRIMARY KEY,
    discount_fen BIGINT NOT NULL CONSTRAINT coupon_discount CHECK (discount_fen >= 0),
    enabled BIGINT NOT NULL CONSTRAINT coupon_enabled CHECK (enabled IN (0, 1)),
    remaining BIGINT NOT NULL CONSTRAINT coupon_remaining CHECK (remaining >= 0),
    held BIGINT NOT NULL CONSTRAINT coupon_held CHECK (held >= 0)
);

CREATE TABLE coupon_ledger (
    entry_id TEXT NOT NULL CONSTRAINT coupon_ledger_entry PRIMARY KEY,
    reference TEXT NOT NULL,
    code TEXT NOT NULL,
    kind TEXT NOT NULL CONSTRAINT coupon_ledger_kind CHECK (kind IN ('initial', 'held')),
    remaining_change BIGINT NOT NULL,
    held_change BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT coupon_ledger_once UNIQUE (reference, code, kind)
);

-- `submit_key` is the scoped idempotency key: it outlives the idempotent record, so "at most once" does too.
CREATE TABLE orders (
    order_no TEXT NOT NULL CONSTRAINT orders_number PRIMARY KEY,
    submit_key TEXT NOT NULL CONSTRAINT orders_submit_key UNIQUE,
    owner TEXT NOT NULL,
    status TEXT NOT NULL CONSTRAINT orders_status
        CHECK (status IN ('WAIT_PAY', 'PAID', 'SHIPPED', 'COMPLETED', 'CLOSED', 'REFUNDING', 'REFUNDED')),
    version BIGINT NOT NULL,
    subtotal_fen BIGINT NOT NULL CONSTRAINT orders_subtotal CHECK (subtotal_fen >= 0),
    discount_fen BIGINT NOT NULL CONSTRAINT orders_discount CHECK (discount_fen BETWEEN 0 AND subtotal_fen),
    total_fen BIGINT NOT NULL CONSTRAINT orders_total CHECK (total_fen = subtotal_fen - discount_fen),
    currency TEXT NOT NULL,
    coupon TEXT NOT NULL,
    name TEXT NOT NULL,
    phone TEXT NOT NULL,
    address TEXT NOT NULL,
    note TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    pay_before BIGINT NOT NULL
);
CREATE INDEX orders_of_owner ON orders (owner, created_at);

CREATE TABLE order_line (
    order_no TEXT NOT NULL,
    sku TEXT NOT NULL,
    quantity BIGINT NOT NULL CONSTRAINT order_line_quantity CHECK (quantity > 0),
    unit_price_fen BIGINT NOT NULL CONSTRAINT order_line_price CHECK (unit_price_fen >= 0),
    CONSTRAINT order_line_once PRIMARY KEY (order_no, sku)
);

-- The journal: every event that the state machine let through, with the order's version that it made.
CREATE TABLE order_event (
    order_no TEXT NOT NULL,
    version BIGINT NOT NULL,
    event TEXT NOT NULL,
    source TEXT NOT NULL,
    from_status TEXT NOT NULL, -- empty for the first
    to_status TEXT NOT NULL,
    occurred_at BIGINT NOT NULL,
    CONSTRAINT order_event_version PRIMARY KEY (order_no, version)
);

-- What the rest of the shop must be told, written in the transaction that made it true.
CREATE TABLE outbox_message (
    message_id TEXT NOT NULL CONSTRAINT outbox_message_id PRIMARY KEY,
    order_no TEXT NOT NULL,
    version BIGINT NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT outbox_message_once UNIQUE (order_no, version, kind)
);

-- One row per message and consumer, so that consumers fail and recover apart from each other.
CREATE TABLE outbox_delivery (
    message_id TEXT NOT NULL,
    consumer TEXT NOT NULL,
    order_no TEXT NOT NULL,
    version BIGINT NOT NULL,
    status TEXT NOT NULL CONSTRAINT outbox_delivery_status CHECK (status IN ('due', 'handed_over', 'done', 'dead')),
    attempts BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    CONSTRAINT outbox_delivery_once PRIMARY KEY (message_id, consumer)
);
CREATE INDEX outbox_delivery_due ON outbox_delivery (due_at) WHERE status = 'due';
