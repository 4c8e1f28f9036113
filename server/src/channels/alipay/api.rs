//! Requests to Alipay.
//!
//! Source: <https://opendocs.alipay.com/open/028r8t> (`alipay.trade.page.pay`) and its neighbours.

use super::{
    super::{
        ChannelError, Closing, NewPayment, NewRefund, PaidFact, PaymentAction, PaymentState, RefundState, amount,
        http::{parsed, same_number},
        window,
    },
    Alipay,
    signing::{LeftOut, Pair, SIGN_TYPE, form, sign, signed_bytes, verifies},
};
use crate::clock::Milliseconds;
use app::pricing::format_yuan;
use reqwest::header;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use std::collections::BTreeMap;

/// Longest subject and reason, in characters.
const MAX_TEXT: usize = 128;

/// A verified answer: its node's text.
enum Reply {
    /// Done.
    Done(String),
    /// Not done.
    Error(ErrorFields),
}

#[derive(Deserialize)]
struct ErrorFields {
    code: String,
    #[serde(default)]
    sub_code: String,
    #[serde(default)]
    sub_msg: String,
}

#[derive(Deserialize)]
struct Trade {
    out_trade_no: String,
    trade_status: String,
    trade_no: Option<String>,
    total_amount: Option<String>,
    trans_currency: Option<String>,
    /// When the money came.
    send_pay_date: Option<String>,
}

#[derive(Deserialize)]
struct Refunded {
    out_trade_no: String,
    /// `Y` if this very request moved the money.
    fund_change: Option<String>,
}

#[derive(Deserialize)]
struct RefundFound {
    out_request_no: Option<String>,
    refund_status: Option<String>,
}

impl ErrorFields {
    fn is_unknown(&self) -> bool {
        self.sub_code == "ACQ.TRADE_NOT_EXIST"
    }

    fn into_error(self) -> ChannelError {
        let text = format!("{} {}: {}", self.code, self.sub_code, self.sub_msg);
        // 20000 is "service not available", with a sub-code of the gateway such as `aop.unknow-error`.
        if self.code == "20000" || self.sub_code.ends_with("SYSTEM_ERROR") {
            ChannelError::Unreached(text)
        } else {
            ChannelError::Refused(text)
        }
    }
}

impl Alipay {
    /// The signed address of the page. Nothing is asked: Alipay learns of the payment when the buyer comes, and takes no money after
    /// `time_expire`.
    pub(super) fn page_to_pay(&self, payment: &NewPayment) -> Result<PaymentAction, ChannelError> {
        let content = json!({
            "out_trade_no": payment.payment_no,
            "total_amount": format_yuan(payment.amount_fen),
            "subject": cut(&payment.subject),
            "product_code": "FAST_INSTANT_TRADE_PAY",
            "time_expire": beijing_time(payment.pay_before),
        });
        let more = [("notify_url", &self.notify_url), ("return_url", &payment.return_url)];
        let pairs = self.signed("alipay.trade.page.pay", &content, &more)?;
        let mut url = self.page_gateway.clone();
        url.set_query(Some(&form(&pairs)));
        Ok(PaymentAction::Redirect(url.into()))
    }

    pub(super) async fn ask_for_payment(&self, payment_no: &str) -> Result<PaymentState, ChannelError> {
        let content = json!({ "out_trade_no": payment_no });
        let trade: Trade = match self.ask("alipay.trade.query", &content).await? {
            Reply::Done(node) => parsed(node.as_bytes())?,
            Reply::Error(error) if error.is_unknown() => return Ok(PaymentState::Unknown),
            Reply::Error(error) => return Err(error.into_error()),
        };
        same_number(&trade.out_trade_no, payment_no)?;
        match trade.trade_status.as_str() {
            "TRADE_SUCCESS" | "TRADE_FINISHED" => self.paid(trade),
            // All of the money went back: it was paid, and on this day.
            "TRADE_CLOSED" if trade.send_pay_date.is_some() => self.paid(trade),
            "TRADE_CLOSED" => Ok(PaymentState::Closed),
            _ => Ok(PaymentState::Open),
        }
    }

    fn paid(&self, trade: Trade) -> Result<PaymentState, ChannelError> {
        let unreadable = || ChannelError::Untrusted("a payment without its amount or number".to_owned());
        let amount = trade.total_amount.ok_or_else(unreadable)?;
        Ok(PaymentState::Succeeded(PaidFact {
            payment_no: trade.out_trade_no,
            transaction_id: trade.trade_no.ok_or_else(unreadable)?,
            amount_fen: amount::fen_of_yuan(&amount).ok_or_else(unreadable)?,
            currency: trade.trans_currency.unwrap_or_else(|| amount::CURRENCY.to_owned()),
            // The answer does not say; it is an answer to our application about our own trade.
            merchant: self.merchant.clone(),
        }))
    }

    /// Closes. A payment whose page the buyer never opened is not known to Alipay and counts as closed, although its address can still
    /// be opened until `time_expire`: money that comes so late is the caller's to give back.
    pub(super) async fn ask_to_close(&self, payment_no: &str) -> Result<Closing, ChannelError> {
        let content = json!({ "out_trade_no": payment_no });
        let error = match self.ask("alipay.trade.close", &content).await? {
            Reply::Done(_) => return Ok(Closing::Closed),
            Reply::Error(error) => error,
        };
        match error.sub_code.as_str() {
            "ACQ.TRADE_NOT_EXIST" | "ACQ.TRADE_HAS_CLOSE" => Ok(Closing::Closed),
            code if code.starts_with("ACQ.TRADE_HAS_SUCCESS") => Ok(Closing::AlreadyPaid),
            // "Not in this state" is said of paid and of closed trades alike.
            "ACQ.TRADE_STATUS_ERROR" | "ACQ.REASON_TRADE_STATUS_INVALID" => {
                match self.ask_for_payment(payment_no).await? {
                    PaymentState::Succeeded(_) => Ok(Closing::AlreadyPaid),
                    PaymentState::Closed | PaymentState::Failed | PaymentState::Unknown => Ok(Closing::Closed),
                    PaymentState::Open => Err(error.into_error()),
                }
            }
            _ => Err(error.into_error()),
        }
    }

    pub(super) async fn ask_to_refund(&self, refund: &NewRefund) -> Result<RefundState, ChannelError> {
        let content = json!({
            "out_trade_no": refund.payment_no,
            "trade_no": refund.transaction_id,
            "refund_amount": format_yuan(refund.amount_fen),
            "refund_reason": cut(&refund.reason),
            "out_request_no": refund.refund_no,
        });
        let refunded: Refunded = match self.ask("alipay.trade.refund", &content).await? {
            Reply::Done(node) => parsed(node.as_bytes())?,
            Reply::Error(error) => return Err(error.into_error()),
        };
        same_number(&refunded.out_trade_no, &refund.payment_no)?;
        // `N` is said of a refund that was made before as well as of one that still waits; the query tells.
        Ok(match refunded.fund_change.as_deref() {
            Some("Y") => RefundState::Succeeded,
            _ => RefundState::Processing,
        })
    }

    pub(super) async fn ask_for_refund(&self, refund_no: &str, payment_no: &str) -> Result<RefundState, ChannelError> {
        let content = json!({ "out_trade_no": payment_no, "out_request_no": refund_no });
        let found: RefundFound = match self.ask("alipay.trade.fastpay.refund.query", &content).await? {
            Reply::Done(node) => parsed(node.as_bytes())?,
            Reply::Error(error) if error.is_unknown() => return Ok(RefundState::Unknown),
            Reply::Error(error) => return Err(error.into_error()),
        };
        if let Some(answered) = &found.out_request_no {
            same_number(answered, refund_no)?;
        }
        // No status means "not received, or failed": in both cases the same number may be asked for again.
        Ok(match found.refund_status.as_deref() {
            Some("REFUND_SUCCESS") => RefundState::Succeeded,
            Some("REFUND_PROCESSING") => RefundState::Processing,
            Some(status @ ("REFUND_FAIL" | "REFUND_CLOSED")) => RefundState::Refused(status.to_owned()),
            _ => RefundState::Unknown,
        })
    }

    /// Signs and sends a request and verifies the answer over the text of its node, exactly as it came.
    async fn ask(&self, method: &str, content: &Value) -> Result<Reply, ChannelError> {
        let pairs = self.signed(method, content, &[])?;
        let mut url = self.gateway.clone();
        // The gateway reads the body in the charset that the address names.
        url.set_query(Some("charset=utf-8"));
        let request = self
            .http
            .post(url)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded;charset=utf-8")
            .body(form(&pairs));
        let answer = self.http.send(request).await?;
        let node = self.genuine_node(method, &answer.body)?;
        let status: ErrorFields = parsed(node.as_bytes())?;
        Ok(if status.code == "10000" {
            Reply::Done(node)
        } else {
            Reply::Error(status)
        })
    }

    fn genuine_node(&self, method: &str, body: &[u8]) -> Result<String, ChannelError> {
        let untrusted = |text: &str| ChannelError::Untrusted(text.to_owned());
        let parts: BTreeMap<String, &RawValue> = parsed(body)?;
        let name = format!("{}_response", method.replace('.', "_"));
        let node = parts.get(&name).or_else(|| parts.get("error_response"));
        let node = node.ok_or_else(|| untrusted("it has no answer in it"))?;
        let sign: Option<String> = parts.get("sign").and_then(|sign| serde_json::from_str(sign.get()).ok());
        let sign = sign.ok_or_else(|| {
            let error: Option<ErrorFields> = serde_json::from_str(node.get()).ok();
            let code = error.map_or_else(String::new, |error| format!("{} {}", error.code, error.sub_code));
            ChannelError::Untrusted(format!("it is not signed ({code})"))
        })?;
        if verifies(&self.account.alipay_key, node.get().as_bytes(), sign.as_bytes()) {
            Ok(node.get().to_owned())
        } else {
            Err(untrusted("the signature does not fit"))
        }
    }

    fn signed(&self, method: &str, content: &Value, more: &[(&str, &String)]) -> Result<Vec<Pair>, ChannelError> {
        let content = content.to_string();
        let timestamp = beijing_time(self.clock.now());
        let common = [
            ("app_id", self.account.app_id.as_str()),
            ("method", method),
            ("format", "JSON"),
            ("charset", "utf-8"),
            ("sign_type", SIGN_TYPE),
            ("timestamp", &timestamp),
            ("version", "1.0"),
            ("biz_content", &content),
        ];
        let more = more.iter().map(|(name, value)| (*name, value.as_str()));
        let mut pairs: Vec<Pair> = common
            .into_iter()
            .chain(more)
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let signature = sign(&self.account.key, &signed_bytes(&pairs, LeftOut::OfRequest));
        let signature = signature.map_err(ChannelError::Refused)?;
        pairs.push(("sign".into(), signature.into()));
        Ok(pairs)
    }
}

/// A time as Alipay writes it, without a zone.
fn beijing_time(at: Milliseconds) -> String {
    window::in_china(at).to_string().replace('T', " ")
}

/// The beginning of a text.
fn cut(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}
