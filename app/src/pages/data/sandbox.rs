//! What the sandbox gateway's pages are made from.

/// Where the buyer pays.
#[derive(Clone, Debug)]
pub struct Cashier {
    /// Path at which the gateway's pages begin, without a slash at the end; empty if it is served alone.
    pub base: String,
    /// The page's secret; forms post to `{base}/pay/{token}`.
    pub token: String,
    /// Protocol: `wechat`, `alipay` or `webhook`.
    pub channel: String,
    /// Who receives the money.
    pub merchant: String,
    /// The shop's number of the payment.
    pub payment_no: String,
    /// What is bought.
    pub subject: String,
    /// Price in fen.
    pub amount_fen: i64,
    /// Until when it can be paid, RFC 3339 in UTC.
    pub pay_before: String,
    /// `open`, `paid`, `closed` or `failed`.
    pub state: String,
    /// Where the buyer goes afterwards, an http or https address; none if nobody knows.
    pub return_url: Option<String>,
    /// The provider's numbers of the money that moved, first to last.
    pub transactions: Vec<String>,
    /// Names of the misbehaviours to choose from; the messages are `sandbox-misbehaviour-{name}`.
    pub misbehaviours: Vec<String>,
}

/// Everything that the gateway knows, for whoever looks on.
#[derive(Clone, Debug)]
pub struct Overview {
    /// See [`Cashier::base`].
    pub base: String,
    /// Payments, newest first.
    pub payments: Vec<Payment>,
    /// Notifications, waiting ones first.
    pub notices: Vec<Notice>,
    /// What came in and went out, newest first.
    pub traffic: Vec<Traffic>,
}

/// A payment's row.
#[derive(Clone, Debug)]
pub struct Payment {
    /// Protocol.
    pub channel: String,
    /// The shop's number.
    pub payment_no: String,
    /// The cashier page's secret.
    pub token: String,
    /// `open`, `paid`, `closed` or `failed`.
    pub state: String,
    /// Price in fen.
    pub amount_fen: i64,
    /// When it was asked for, RFC 3339 in UTC.
    pub created_at: String,
}

/// A notification's row.
#[derive(Clone, Debug)]
pub struct Notice {
    /// Its key; `POST {base}/notices/{id}/send-now` sends it.
    pub id: String,
    /// Protocol.
    pub channel: String,
    /// The shop's number of the payment.
    pub payment_no: String,
    /// What it says, in one word.
    pub kind: String,
    /// `waiting`, `acknowledged` or `given_up`.
    pub state: String,
    /// Attempts so far.
    pub attempts: i64,
    /// When the next attempt is due, RFC 3339 in UTC.
    pub due_at: String,
}

/// One line of what came in or went out.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// When, RFC 3339 in UTC.
    pub at: String,
    /// Protocol.
    pub channel: String,
    /// `received` or `sent`.
    pub direction: String,
    /// Method and address.
    pub what: String,
    /// HTTP status of the answer; 0 when there was none.
    pub status: i64,
    /// Body of the request.
    pub request: String,
    /// Body of the answer.
    pub answer: String,
}

/// Nothing to pay.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// See [`Cashier::base`].
    pub base: String,
    /// The provider's word for why.
    pub code: String,
}
