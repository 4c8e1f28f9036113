//! The server side of WeChat Pay's API v3, Native: create, query, close, refund, query a refund.

use super::{
    Answer, Gateway,
    books::{Asked, Money, Payment, State},
    is_recent, is_web_address,
    refunds::{AskedRefund, Asking, Refund},
    sign::{Signer, china_rfc3339},
};
use crate::channels::{
    ChannelId,
    amount::CURRENCY,
    wechat::{
        request_message,
        signing::{Authorization, SERIAL_HEADER, decode_signature},
    },
};
use axum::{
    body::{Body, Bytes},
    extract::{OriginalUri, Path, State as Shared},
    http::{HeaderMap, Method, Response, header},
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

const CHANNEL: ChannelId = ChannelId::Wechat;

/// How long a payment without `time_expire` can be paid.
const LONGEST_LIFE_MILLISECONDS: i64 = 2 * 60 * 60 * 1_000;

#[derive(Debug, Deserialize)]
struct NewPayment {
    appid: String,
    mchid: String,
    description: String,
    out_trade_no: String,
    #[serde(default)]
    time_expire: String,
    #[serde(default)]
    attach: String,
    notify_url: String,
    amount: NewAmount,
}

#[derive(Debug, Deserialize)]
struct NewAmount {
    total: i64,
    #[serde(default = "yuan")]
    currency: String,
}

fn yuan() -> String {
    CURRENCY.to_owned()
}

#[derive(Debug, Deserialize)]
struct Closing {
    mchid: String,
}

#[derive(Debug, Deserialize)]
struct NewRefund {
    #[serde(default)]
    transaction_id: String,
    #[serde(default)]
    out_trade_no: String,
    out_refund_no: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    notify_url: String,
    amount: RefundAmount,
}

#[derive(Debug, Deserialize)]
struct RefundAmount {
    refund: i64,
    total: i64,
    currency: String,
}

/// Any call: verified first, then done, then signed, whatever it is.
pub(super) async fn call(
    Shared(gateway): Shared<Gateway>,
    OriginalUri(uri): OriginalUri,
    Path(path): Path<String>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let address = uri.path_and_query().map_or("/", |path| path.as_str());
    let answer = if is_signed(&gateway, &method, address, &headers, &body) {
        done(&gateway, &method, &path, uri.query().unwrap_or(""), &body).await
    } else {
        Answer::error(401, "SIGN_ERROR", "签名错误")
    };
    gateway
        .keep_received(CHANNEL.as_str(), format!("{method} {address}"), &body, &answer)
        .await;
    let asked_key = headers.get(SERIAL_HEADER).map(|serial| serial.as_bytes());
    let signer = if asked_key == Some(gateway.inner.keys.wechat.certificate_serial.as_bytes()) {
        Signer::Certificate
    } else {
        Signer::PublicKey
    };
    let signature = gateway.inner.keys.sign_wechat(&answer.body, signer, gateway.now());
    answer.signed(signature)
}

fn is_signed(gateway: &Gateway, method: &Method, address: &str, headers: &HeaderMap, body: &[u8]) -> bool {
    let keys = &gateway.inner.keys;
    let authorization = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(Authorization::parse);
    let Some(authorization) = authorization else {
        return false;
    };
    let message = request_message(
        method.as_str(),
        address,
        &authorization.timestamp,
        &authorization.nonce,
        body,
    );
    authorization.mchid == keys.names.wechat_merchant
        && authorization.serial == keys.names.wechat_merchant_serial
        && is_recent(&authorization.timestamp, gateway.now())
        && decode_signature(&authorization.signature)
            .is_some_and(|signature| keys.wechat.merchant.verifies(&message, &signature))
}

async fn done(gateway: &Gateway, method: &Method, path: &str, query: &str, body: &[u8]) -> Answer {
    let segments: Vec<&str> = path.split('/').collect();
    let answer = match (method.as_str(), segments.as_slice()) {
        ("POST", ["v3", "pay", "transactions", "native"]) => create(gateway, body).await,
        ("GET", ["v3", "pay", "transactions", "out-trade-no", number]) => self::query(gateway, number, query).await,
        ("POST", ["v3", "pay", "transactions", "out-trade-no", number, "close"]) => close(gateway, number, body).await,
        ("POST", ["v3", "refund", "domestic", "refunds"]) => refund(gateway, body).await,
        ("GET", ["v3", "refund", "domestic", "refunds", number]) => query_refund(gateway, number).await,
        _ => Ok(Answer::error(404, "RESOURCE_NOT_EXISTS", "请求的资源不存在")),
    };
    answer.unwrap_or_else(|error| Answer::broken(&error))
}

fn parameter_error(what: &str) -> Answer {
    Answer::error(400, "PARAM_ERROR", what)
}

async fn create(gateway: &Gateway, body: &[u8]) -> Result<Answer, sqlx::Error> {
    let Ok(new) = serde_json::from_slice::<NewPayment>(body) else {
        return Ok(parameter_error("参数错误: 请求体"));
    };
    let names = &gateway.inner.keys.names;
    if new.mchid != names.wechat_merchant || new.appid != names.wechat_app {
        return Ok(Answer::error(400, "APPID_MCHID_NOT_MATCH", "appid和mch_id不匹配"));
    }
    let asked = match asked(gateway, &new) {
        Ok(asked) => asked,
        Err(answer) => return Ok(answer),
    };
    let Some(payment) = gateway.inner.store.ask(&asked).await? else {
        return Ok(Answer::error(403, "OUT_TRADE_NO_USED", "商户订单号重复"));
    };
    Ok(match payment.state {
        State::Open => Answer::json(200, &json!({ "code_url": gateway.cashier_url(&payment.token) })),
        State::Paid => Answer::error(400, "ORDERPAID", "订单已支付"),
        State::Closed | State::Failed => Answer::error(400, "ORDER_CLOSED", "订单已关闭"),
    })
}

fn asked(gateway: &Gateway, new: &NewPayment) -> Result<Asked, Answer> {
    let number_fits = (6..=32).contains(&new.out_trade_no.len())
        && new
            .out_trade_no
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-|*".contains(&byte));
    if !number_fits {
        return Err(parameter_error("参数错误: out_trade_no"));
    }
    if new.description.is_empty() || new.description.len() > 127 {
        return Err(parameter_error("参数错误: description"));
    }
    if !is_web_address(&new.notify_url) || new.notify_url.contains('?') {
        return Err(parameter_error("参数错误: notify_url"));
    }
    if new.amount.total < 1 || new.amount.currency != CURRENCY {
        return Err(parameter_error("参数错误: amount"));
    }
    let pay_before = if new.time_expire.is_empty() {
        gateway.now() + LONGEST_LIFE_MILLISECONDS
    } else {
        let until: Timestamp = new
            .time_expire
            .parse()
            .map_err(|_| parameter_error("参数错误: time_expire"))?;
        until.as_millisecond()
    };
    Ok(Asked {
        channel: CHANNEL,
        payment_no: new.out_trade_no.clone(),
        amount_fen: new.amount.total,
        currency: new.amount.currency.clone(),
        subject: new.description.clone(),
        pay_before,
        notify_url: new.notify_url.clone(),
        // Native pay leads nowhere afterwards; a merchant that wants a link back on the sandbox's page says so in `attach`.
        return_url: Some(&new.attach)
            .filter(|attach| is_web_address(attach))
            .cloned()
            .unwrap_or_default(),
    })
}

async fn query(gateway: &Gateway, number: &str, query: &str) -> Result<Answer, sqlx::Error> {
    let mut parameters = url::form_urlencoded::parse(query.as_bytes());
    let own = parameters.any(|(name, value)| name == "mchid" && value == gateway.inner.keys.names.wechat_merchant);
    if !own {
        return Ok(parameter_error("参数错误: mchid"));
    }
    let Some(payment) = gateway.inner.store.payment(CHANNEL, number).await? else {
        return Ok(unknown_order());
    };
    let money = gateway.inner.store.money(CHANNEL, number).await?;
    Ok(Answer::json(200, &transaction(gateway, &payment, money.first())))
}

fn unknown_order() -> Answer {
    Answer::error(404, "ORDER_NOT_EXIST", "订单不存在")
}

fn transaction(gateway: &Gateway, payment: &Payment, money: Option<&Money>) -> Value {
    let (state, description) = match (payment.state, money) {
        (State::Paid, Some(money)) if money.refunded_fen > 0 => ("REFUND", "转入退款"),
        (State::Paid, _) => ("SUCCESS", "支付成功"),
        (State::Open, _) => ("NOTPAY", "订单未支付"),
        (State::Closed, _) => ("CLOSED", "订单已关闭"),
        (State::Failed, _) => ("PAYERROR", "支付失败"),
    };
    let mut transaction = json!({
        "appid": gateway.inner.keys.names.wechat_app,
        "mchid": gateway.inner.keys.names.wechat_merchant,
        "out_trade_no": payment.payment_no,
        "trade_type": "NATIVE",
        "trade_state": state,
        "trade_state_desc": description,
        "attach": "",
        "amount": {
            "total": payment.amount_fen,
            "payer_total": payment.amount_fen,
            "currency": payment.currency,
            "payer_currency": payment.currency,
        },
    });
    if let Some(money) = money {
        transaction["transaction_id"] = money.transaction_id.clone().into();
        transaction["success_time"] = china_rfc3339(money.paid_at).into();
        transaction["bank_type"] = "OTHERS".into();
        transaction["payer"] = json!({ "openid": "oncemart-sandbox-buyer" });
    }
    transaction
}

async fn close(gateway: &Gateway, number: &str, body: &[u8]) -> Result<Answer, sqlx::Error> {
    let own = serde_json::from_slice::<Closing>(body)
        .is_ok_and(|closing| closing.mchid == gateway.inner.keys.names.wechat_merchant);
    if !own {
        return Ok(parameter_error("参数错误: mchid"));
    }
    let store = &gateway.inner.store;
    let Some(payment) = store.payment(CHANNEL, number).await? else {
        return Ok(unknown_order());
    };
    // Between the look and the statement the buyer may have paid; the statement decides.
    if store.end(&payment, State::Closed, false).await? {
        return Ok(Answer::empty(204));
    }
    let paid = store
        .payment(CHANNEL, number)
        .await?
        .is_some_and(|payment| payment.state == State::Paid);
    Ok(if paid {
        Answer::error(400, "ORDERPAID", "订单已支付")
    } else {
        Answer::empty(204)
    })
}

async fn refund(gateway: &Gateway, body: &[u8]) -> Result<Answer, sqlx::Error> {
    let Ok(new) = serde_json::from_slice::<NewRefund>(body) else {
        return Ok(parameter_error("参数错误: 请求体"));
    };
    let amount = &new.amount;
    let names_money = !new.transaction_id.is_empty() || !new.out_trade_no.is_empty();
    let named = names_money && !new.out_refund_no.is_empty();
    if !named || amount.refund < 1 || amount.refund > amount.total || amount.currency != CURRENCY {
        return Ok(parameter_error("参数错误: amount"));
    }
    let asked = AskedRefund {
        channel: CHANNEL,
        refund_no: new.out_refund_no,
        payment_no: new.out_trade_no,
        transaction_id: new.transaction_id,
        amount_fen: amount.refund,
        paid_fen: Some(amount.total),
        reason: new.reason,
        notify_url: new.notify_url,
    };
    let asking = gateway.inner.store.ask_refund(&asked, gateway.refund_takes()).await?;
    gateway.wake();
    Ok(match asking {
        Asking::Taken(taken) => Answer::json(200, &refund_node(gateway, &taken.refund, taken.money.amount_fen)),
        Asking::OtherParameters => Answer::error(
            400,
            "INVALID_REQUEST",
            "订单金额或退款金额与之前请求不一致，请核实后再试",
        ),
        Asking::UnknownPayment => Answer::error(404, "RESOURCE_NOT_EXISTS", "订单号不存在"),
        Asking::NotPaid => Answer::error(400, "INVALID_REQUEST", "订单未支付"),
        Asking::TooMuch => Answer::error(400, "INVALID_REQUEST", "申请退款金额超过可退金额"),
        Asking::NotEnough => Answer::error(403, "NOT_ENOUGH", "基本账户余额不足，请充值后重新发起"),
    })
}

async fn query_refund(gateway: &Gateway, number: &str) -> Result<Answer, sqlx::Error> {
    let store = &gateway.inner.store;
    let Some(refund) = store.refund(CHANNEL, number).await? else {
        return Ok(Answer::error(404, "RESOURCE_NOT_EXISTS", "退款单不存在"));
    };
    let money = store.money(CHANNEL, &refund.payment_no).await?;
    let total = money
        .iter()
        .find(|money| money.transaction_id == refund.transaction_id)
        .map_or(refund.amount_fen, |money| money.amount_fen);
    Ok(Answer::json(200, &refund_node(gateway, &refund, total)))
}

fn refund_node(gateway: &Gateway, refund: &Refund, total_fen: i64) -> Value {
    let done = refund.done_at <= gateway.now();
    let status = match (done, refund.succeeds) {
        (false, _) => "PROCESSING",
        (true, true) => "SUCCESS",
        (true, false) => "ABNORMAL",
    };
    let mut node = json!({
        "refund_id": refund.provider_no,
        "out_refund_no": refund.refund_no,
        "transaction_id": refund.transaction_id,
        "out_trade_no": refund.payment_no,
        "channel": "ORIGINAL",
        "user_received_account": "支付用户零钱",
        "create_time": china_rfc3339(refund.created_at),
        "status": status,
        "funds_account": "AVAILABLE",
        "amount": {
            "total": total_fen,
            "refund": refund.amount_fen,
            "payer_total": total_fen,
            "payer_refund": refund.amount_fen,
            "settlement_total": total_fen,
            "settlement_refund": refund.amount_fen,
            "discount_refund": 0,
            "currency": CURRENCY,
        },
    });
    if status == "SUCCESS" {
        node["success_time"] = china_rfc3339(refund.done_at).into();
    }
    node
}
