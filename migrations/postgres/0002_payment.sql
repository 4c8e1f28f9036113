-- Payment: what an order has been paid, asked back and given back; payments and refunds as intents; money that fits nowhere.

ALTER TABLE stock_ledger DROP CONSTRAINT stock_ledger_kind;
ALTER TABLE stock_ledger ADD CONSTRAINT stock_ledger_kind
    CHECK (kind IN ('initial', 'set', 'reserved', 'deducted', 'released', 'restocked'));
ALTER TABLE coupon_ledger DROP CONSTRAINT coupon_ledger_kind;
ALTER TABLE coupon_ledger ADD CONSTRAINT coupon_ledger_kind CHECK (kind IN ('initial', 'held', 'used', 'returned'));

ALTER TABLE orders ADD COLUMN paid_fen BIGINT NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN refund_asked_fen BIGINT NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN refunded_fen BIGINT NOT NULL DEFAULT 0;
-- The transaction that paid it, `channel:number`; empty while unpaid.
ALTER TABLE orders ADD COLUMN paid_by TEXT NOT NULL DEFAULT '';
-- Whether it was ever shipped: what was shipped is not restocked when the money goes back.
ALTER TABLE orders ADD COLUMN shipped BIGINT NOT NULL DEFAULT 0;
-- Where a refused refund leads back to; empty unless REFUNDING.
ALTER TABLE orders ADD COLUMN status_before_refund TEXT NOT NULL DEFAULT '';
CREATE INDEX orders_unpaid ON orders (pay_before) WHERE status = 'WAIT_PAY';

-- What an event was about, in a few words for people.
ALTER TABLE order_event ADD COLUMN detail TEXT NOT NULL DEFAULT '';

-- When a delivery that was handed over may be handed over again, and what went wrong last.
ALTER TABLE outbox_delivery ADD COLUMN last_error TEXT NOT NULL DEFAULT '';
CREATE INDEX outbox_delivery_unfinished ON outbox_delivery (due_at) WHERE status IN ('due', 'handed_over');
CREATE INDEX outbox_delivery_sequence ON outbox_delivery (order_no, consumer, version) WHERE status <> 'done';

-- One row per payment that a channel was asked to take: the intent, written before the channel is asked. `payment_no` is the
-- channel's key. At most one of an order and channel is open; `ordinal` numbers those that followed a closed or failed one.
CREATE TABLE payment (
    payment_no TEXT NOT NULL CONSTRAINT payment_number PRIMARY KEY,
    order_no TEXT NOT NULL,
    channel TEXT NOT NULL CONSTRAINT payment_channel CHECK (channel IN ('wechat', 'alipay', 'webhook')),
    ordinal BIGINT NOT NULL,
    status TEXT NOT NULL CONSTRAINT payment_status CHECK (status IN ('CREATING', 'OPEN', 'SUCCEEDED', 'CLOSED', 'FAILED')),
    amount_fen BIGINT NOT NULL CONSTRAINT payment_amount CHECK (amount_fen > 0),
    currency TEXT NOT NULL,
    return_url TEXT NOT NULL,
    action_type TEXT NOT NULL DEFAULT '', -- qr or redirect; empty while CREATING
    action_url TEXT NOT NULL DEFAULT '',
    transaction_id TEXT NOT NULL DEFAULT '', -- of the money, once it is there
    questions BIGINT NOT NULL DEFAULT 0, -- how often the channel was asked what became of it
    ask_at BIGINT NOT NULL, -- when to ask next
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CONSTRAINT payment_ordinal UNIQUE (order_no, channel, ordinal)
);
CREATE UNIQUE INDEX payment_open ON payment (order_no, channel) WHERE status IN ('CREATING', 'OPEN');
CREATE UNIQUE INDEX payment_transaction ON payment (channel, transaction_id) WHERE transaction_id <> '';
CREATE INDEX payment_to_ask ON payment (ask_at) WHERE status IN ('CREATING', 'OPEN');

-- Money that arrived and belongs to no open order: a second payment, or one after the order was closed. Refunded once.
CREATE TABLE surplus (
    channel TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    order_no TEXT NOT NULL,
    payment_no TEXT NOT NULL,
    amount_fen BIGINT NOT NULL CONSTRAINT surplus_amount CHECK (amount_fen > 0),
    currency TEXT NOT NULL,
    reason TEXT NOT NULL CONSTRAINT surplus_reason CHECK (reason IN ('second_payment', 'late_payment')),
    refund_no TEXT NOT NULL CONSTRAINT surplus_refund UNIQUE,
    created_at BIGINT NOT NULL,
    CONSTRAINT surplus_transaction PRIMARY KEY (channel, transaction_id)
);
CREATE INDEX surplus_of_order ON surplus (order_no);

-- One row per refund: the intent, written before the channel is asked. `refund_no` is the channel's key.
CREATE TABLE refund (
    refund_no TEXT NOT NULL CONSTRAINT refund_number PRIMARY KEY,
    order_no TEXT NOT NULL,
    purpose TEXT NOT NULL CONSTRAINT refund_purpose CHECK (purpose IN ('order', 'surplus')),
    channel TEXT NOT NULL,
    payment_no TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    amount_fen BIGINT NOT NULL CONSTRAINT refund_amount CHECK (amount_fen > 0),
    paid_fen BIGINT NOT NULL CONSTRAINT refund_paid CHECK (paid_fen >= amount_fen), -- what the transaction brought in
    reason TEXT NOT NULL,
    status TEXT NOT NULL CONSTRAINT refund_status CHECK (status IN ('ASKED', 'SUCCEEDED', 'REFUSED')),
    questions BIGINT NOT NULL DEFAULT 0,
    ask_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX refund_of_order ON refund (order_no);
CREATE INDEX refund_to_ask ON refund (ask_at) WHERE status = 'ASKED';

-- Append-only: every movement of money at a channel, once, whatever it was judged to be. Money that a check found wrong is no entry
-- here but an anomaly.
CREATE TABLE money_ledger (
    entry_id TEXT NOT NULL CONSTRAINT money_ledger_entry PRIMARY KEY,
    channel TEXT NOT NULL,
    reference TEXT NOT NULL, -- transaction or refund number
    kind TEXT NOT NULL CONSTRAINT money_ledger_kind CHECK (kind IN ('paid', 'surplus', 'refunded', 'surplus_refunded')),
    order_no TEXT NOT NULL,
    amount_fen BIGINT NOT NULL, -- in is positive, out is negative
    currency TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX money_ledger_in ON money_ledger (channel, reference) WHERE amount_fen > 0;
CREATE UNIQUE INDEX money_ledger_out ON money_ledger (channel, reference) WHERE amount_fen < 0;
CREATE INDEX money_ledger_of_order ON money_ledger (order_no);

-- Something verified that does not fit: kept, shown, resolved by a person. One row per fact, however often it is told.
CREATE TABLE anomaly (
    anomaly_id TEXT NOT NULL CONSTRAINT anomaly_number PRIMARY KEY,
    kind TEXT NOT NULL,
    fact TEXT NOT NULL,
    channel TEXT NOT NULL,
    order_no TEXT NOT NULL,
    amount_fen BIGINT NOT NULL DEFAULT 0,
    currency TEXT NOT NULL DEFAULT '',
    detail TEXT NOT NULL,
    times BIGINT NOT NULL,
    status TEXT NOT NULL CONSTRAINT anomaly_status CHECK (status IN ('open', 'resolved')),
    resolution TEXT NOT NULL DEFAULT '',
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    resolved_at BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT anomaly_fact UNIQUE (kind, fact)
);
CREATE INDEX anomaly_open ON anomaly (first_at) WHERE status = 'open';

-- Verified notifications for an order that is not there (yet): applied when the order commits, or by the sweep.
CREATE TABLE parked_notification (
    fact TEXT NOT NULL CONSTRAINT parked_notification_fact PRIMARY KEY,
    channel TEXT NOT NULL,
    order_no TEXT NOT NULL,
    notification TEXT NOT NULL,
    status TEXT NOT NULL CONSTRAINT parked_notification_status CHECK (status IN ('waiting', 'applied')),
    times BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL
);
CREATE INDEX parked_notification_waiting ON parked_notification (order_no) WHERE status = 'waiting';
