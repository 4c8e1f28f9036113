//! Requests to WeChat Pay.
//!
//! Source: <https://pay.weixin.qq.com/doc/v3/merchant/4012791874> (Native payment) and its neighbours.

use super::{
    super::{
        ChannelError, Closing, NewPayment, NewRefund, PaymentAction, PaymentState, RefundState, amount,
        http::{parsed, same_number},
        window,
    },
    Wechat,
    notification::{Transaction, authenticate},
    signing::{Authorization, SERIAL_HEADER, request_message, sign},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, header};
use serde::Deserialize;
use serde_json::{Value, json};
use url::{Position, Url};

/// What a part of a path keeps as it is, beside letters and digits.
const PATH_PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Longest description of a payment, in bytes.
const MAX_DESCRIPTION_BYTES: usize = 127;

/// Longest reason of a refund, in bytes.
const MAX_REASON_BYTES: usize = 80;

/// A verified answer.
enum Reply {
    /// Done; the body.
    Done(Vec<u8>),
    /// Not done.
    Error(ErrorBody),
}

/// What WeChat Pay says of an error.
struct ErrorBody {
    status: u16,
    code: String,
    message: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ErrorFields {
    code: String,
    message: String,
}

#[derive(Deserialize)]
struct CodeUrl {
    code_url: String,
}

#[derive(Deserialize)]
struct Refund {
    out_refund_no: String,
    status: String,
}

impl ErrorBody {
    /// Whether the number is not known there.
    fn is_unknown(&self) -> bool {
        self.status == 404
            || matches!(
                self.code.as_str(),
                "ORDER_NOT_EXIST" | "ORDERNOTEXIST" | "RESOURCE_NOT_EXISTS"
            )
    }

    fn into_error(self) -> ChannelError {
        let text = format!("HTTP {} {}: {}", self.status, self.code, self.message);
        match self.code.as_str() {
            "SYSTEM_ERROR" | "SYSTEMERROR" | "FREQUENCY_LIMITED" | "RATELIMIT_EXCEEDED" | "BIZERR_NEED_RETRY"
            | "USERPAYING" => ChannelError::Unreached(text),
            _ => ChannelError::Refused(text),
        }
    }
}

impl Wechat {
    pub(super) async fn ask_to_pay(&self, payment: &NewPayment) -> Result<PaymentAction, ChannelError> {
        let body = json!({
            "appid": self.account.appid,
            "mchid": self.account.mchid,
            "description": cut(&payment.subject, MAX_DESCRIPTION_BYTES),
            "out_trade_no": payment.payment_no,
            "time_expire": format!("{}+08:00", window::in_china(payment.pay_before)),
            "notify_url": self.notify_url,
            "amount": { "total": payment.amount_fen, "currency": amount::CURRENCY },
        });
        match self.post("/v3/pay/transactions/native", &body).await? {
            Reply::Done(body) => Ok(PaymentAction::Qr(parsed::<CodeUrl>(&body)?.code_url)),
            Reply::Error(error) => Err(error.into_error()),
        }
    }

    pub(super) async fn ask_for_payment(&self, payment_no: &str) -> Result<PaymentState, ChannelError> {
        let path = format!(
            "/v3/pay/transactions/out-trade-no/{}?mchid={}",
            part(payment_no),
            part(&self.account.mchid)
        );
        let body = match self.ask(Method::GET, &path, Vec::new()).await? {
            Reply::Done(body) => body,
            Reply::Error(error) if error.is_unknown() => return Ok(PaymentState::Unknown),
            Reply::Error(error) => return Err(error.into_error()),
        };
        let transaction: Transaction = parsed(&body)?;
        same_number(&transaction.out_trade_no, payment_no)?;
        transaction
            .state()
            .ok_or_else(|| ChannelError::Untrusted("a payment without its amount or number".to_owned()))
    }

    pub(super) async fn ask_to_close(&self, payment_no: &str) -> Result<Closing, ChannelError> {
        let path = format!("/v3/pay/transactions/out-trade-no/{}/close", part(payment_no));
        let error = match self.post(&path, &json!({ "mchid": self.account.mchid })).await? {
            Reply::Done(_) => return Ok(Closing::Closed),
            Reply::Error(error) => error,
        };
        match error.code.as_str() {
            "ORDERPAID" | "ORDER_PAID" => Ok(Closing::AlreadyPaid),
            "ORDER_CLOSED" | "ORDERCLOSED" => Ok(Closing::Closed),
            _ if error.is_unknown() => Ok(Closing::Closed),
            _ => Err(error.into_error()),
        }
    }

    pub(super) async fn ask_to_refund(&self, refund: &NewRefund) -> Result<RefundState, ChannelError> {
        let body = json!({
            "transaction_id": refund.transaction_id,
            "out_refund_no": refund.refund_no,
            "reason": cut(&refund.reason, MAX_REASON_BYTES),
            "notify_url": self.notify_url,
            "amount": { "refund": refund.amount_fen, "total": refund.paid_fen, "currency": amount::CURRENCY },
        });
        match self.post("/v3/refund/domestic/refunds", &body).await? {
            Reply::Done(body) => refund_state(&body, &refund.refund_no),
            Reply::Error(error) => Err(error.into_error()),
        }
    }

    pub(super) async fn ask_for_refund(&self, refund_no: &str) -> Result<RefundState, ChannelError> {
        let path = format!("/v3/refund/domestic/refunds/{}", part(refund_no));
        match self.ask(Method::GET, &path, Vec::new()).await? {
            Reply::Done(body) => refund_state(&body, refund_no),
            Reply::Error(error) if error.is_unknown() => Ok(RefundState::Unknown),
            Reply::Error(error) => Err(error.into_error()),
        }
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Reply, ChannelError> {
        self.ask(Method::POST, path, body.to_string().into_bytes()).await
    }

    /// Signs and sends a request and verifies the answer. An error answer is verified too, because "there is no such payment" and
    /// "it is paid" are facts that the shop acts upon.
    async fn ask(&self, method: Method, path: &str, body: Vec<u8>) -> Result<Reply, ChannelError> {
        let refused = |text: String| ChannelError::Refused(text);
        let url = Url::parse(&format!("{}{path}", self.api)).map_err(|error| refused(error.to_string()))?;
        let authorization = self.authorization(&method, &url, &body).map_err(refused)?;
        let mut request = if method == Method::GET {
            self.http.get(url)
        } else {
            self.http
                .post(url)
                .header(header::CONTENT_TYPE, "application/json")
                .body(body)
        };
        request = request.header(header::AUTHORIZATION, authorization);
        if let Some(serial) = self.account.platform_keys.asked_for() {
            request = request.header(SERIAL_HEADER, serial);
        }
        let answer = self.http.send(request).await?;
        let genuine = authenticate(&self.account, &answer.headers, &answer.body, self.clock.now());
        // 202 says that something else is still going on, such as the buyer's typing.
        let done = matches!(answer.status, 200 | 204);
        let error: ErrorFields = if done {
            ErrorFields::default()
        } else {
            serde_json::from_slice(&answer.body).unwrap_or_default()
        };
        if let Err(reason) = genuine {
            let text = format!("{reason} (HTTP {} {})", answer.status, error.code);
            return Err(ChannelError::Untrusted(text));
        }
        Ok(if done {
            Reply::Done(answer.body)
        } else {
            Reply::Error(ErrorBody {
                status: answer.status,
                code: error.code,
                message: error.message,
            })
        })
    }

    /// The `Authorization` header over the path as it is sent, whatever stands before `/v3`.
    fn authorization(&self, method: &Method, url: &Url, body: &[u8]) -> Result<String, String> {
        let timestamp = (self.clock.now() / 1_000).to_string();
        let nonce = format!("{:032X}", rand::random::<u128>());
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let message = request_message(method.as_str(), path, &timestamp, &nonce, body);
        let authorization = Authorization {
            mchid: self.account.mchid.clone(),
            nonce,
            timestamp,
            serial: self.account.serial.clone(),
            signature: sign(&self.account.key, &message)?,
        };
        Ok(authorization.header())
    }
}

fn refund_state(body: &[u8], refund_no: &str) -> Result<RefundState, ChannelError> {
    let refund: Refund = parsed(body)?;
    same_number(&refund.out_refund_no, refund_no)?;
    Ok(match refund.status.as_str() {
        "SUCCESS" => RefundState::Succeeded,
        "CLOSED" | "ABNORMAL" => RefundState::Refused(refund.status),
        _ => RefundState::Processing,
    })
}

fn part(text: &str) -> String {
    utf8_percent_encode(text, PATH_PART).to_string()
}

/// The beginning of a text, in whole characters.
fn cut(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}
