//! The server side of Alipay: one address, where the buyer's browser opens the page to pay and the shop asks everything else.

use super::{
    Answer, Gateway,
    books::{Asked, Money, Payment, State},
    is_web_address, pages,
    refunds::{AskedRefund, Asking},
    sign::china_plain,
};
use crate::channels::{
    ChannelId,
    alipay::signing::{LeftOut, Pair, SIGN_TYPE, pairs, sign, signed_bytes, verifies},
    amount::{CURRENCY, fen_of_yuan},
};
use crate::http::{render::Frames, see_other};
use app::pricing::format_yuan;
use axum::{
    body::{Body, Bytes},
    extract::{RawQuery, State as Shared},
    http::{Response, StatusCode, header},
    response::IntoResponse as _,
};
use jiff::{civil::DateTime, tz::Offset};
use serde_json::{Value, json};
use std::collections::HashMap;

const CHANNEL: ChannelId = ChannelId::Alipay;

/// How long a trade without `time_expire` can be paid.
const LONGEST_LIFE_MILLISECONDS: i64 = 15 * 24 * 60 * 60 * 1_000;

/// A verified request.
struct Call {
    fields: HashMap<String, String>,
    content: Value,
}

impl Call {
    fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    fn content(&self, name: &str) -> &str {
        self.content[name].as_str().unwrap_or("")
    }
}

/// A refusal, as `code`, `sub_code` and `sub_msg`.
#[derive(Clone, Copy, Debug)]
struct Refusal(&'static str, &'static str, &'static str);

const UNKNOWN_TRADE: Refusal = Refusal("40004", "ACQ.TRADE_NOT_EXIST", "交易不存在");
const BAD_SIGNATURE: Refusal = Refusal("40002", "isv.invalid-signature", "无效签名");
const BAD_CONTENT: Refusal = Refusal("40004", "ACQ.INVALID_PARAMETER", "参数无效");

/// `GET`: the buyer's browser brings a signed request and is led to the cashier page.
pub(super) async fn page(
    Shared(gateway): Shared<Gateway>,
    RawQuery(query): RawQuery,
    frames: Frames,
) -> Response<Body> {
    let query = query.unwrap_or_default();
    let answer = match open_page(&gateway, query.as_bytes()).await {
        Ok(payment) => Ok(payment),
        Err(Ok(refusal)) => Err(refusal),
        Err(Err(error)) => {
            tracing::error!(%error, "the sandbox gateway's database");
            Err(Refusal("20000", "aop.unknow-error", "系统繁忙"))
        }
    };
    let shown = match &answer {
        Ok(payment) => Answer {
            status: 303,
            body: gateway.cashier_url(&payment.token).into_bytes(),
        },
        Err(Refusal(code, sub_code, message)) => {
            Answer::json(400, &json!({ "code": code, "sub_code": sub_code, "sub_msg": message }))
        }
    };
    gateway
        .keep_received(
            CHANNEL.as_str(),
            "GET alipay.trade.page.pay".to_owned(),
            query.as_bytes(),
            &shown,
        )
        .await;
    match answer {
        Ok(payment) => see_other(&gateway.cashier_url(&payment.token)),
        Err(Refusal(_, sub_code, _)) => pages::refused(&gateway, &frames, StatusCode::BAD_REQUEST, sub_code),
    }
}

async fn open_page(gateway: &Gateway, query: &[u8]) -> Result<Payment, Result<Refusal, sqlx::Error>> {
    let call = verified(gateway, query).map_err(Ok)?;
    if call.field("method") != "alipay.trade.page.pay" {
        return Err(Ok(Refusal("40002", "isv.invalid-method", "不存在的方法名")));
    }
    let asked = asked(gateway, &call).ok_or(Ok(BAD_CONTENT))?;
    let payment = gateway.inner.store.ask(&asked).await.map_err(Err)?;
    payment.ok_or(Ok(Refusal("40004", "ACQ.CONTEXT_INCONSISTENT", "交易信息被篡改")))
}

fn asked(gateway: &Gateway, call: &Call) -> Option<Asked> {
    let number = call.content("out_trade_no");
    let amount_fen = fen_of_yuan(call.content("total_amount")).filter(|fen| *fen >= 1)?;
    let (notify_url, return_url) = (call.field("notify_url"), call.field("return_url"));
    let sound = (1..=64).contains(&number.len())
        && !call.content("subject").is_empty()
        && call.content("product_code") == "FAST_INSTANT_TRADE_PAY"
        && is_web_address(notify_url)
        && (return_url.is_empty() || is_web_address(return_url));
    let pay_before = match call.content("time_expire") {
        "" => gateway.now() + LONGEST_LIFE_MILLISECONDS,
        until => {
            let until: DateTime = until.replacen(' ', "T", 1).parse().ok()?;
            Offset::constant(8).to_timestamp(until).ok()?.as_millisecond()
        }
    };
    sound.then(|| Asked {
        channel: CHANNEL,
        payment_no: number.to_owned(),
        amount_fen,
        currency: CURRENCY.to_owned(),
        subject: call.content("subject").to_owned(),
        pay_before,
        notify_url: notify_url.to_owned(),
        return_url: return_url.to_owned(),
    })
}

/// `POST`: everything that the shop asks.
pub(super) async fn call(Shared(gateway): Shared<Gateway>, body: Bytes) -> Response<Body> {
    // The node is named after what was asked, even when the signature does not fit.
    let method = named_method(&body);
    let (name, node) = match verified(&gateway, &body) {
        Ok(call) => done(&gateway, &method, &call).await,
        Err(refusal) => (node_name(&method), node_of(refusal)),
    };
    let node = node.to_string();
    let text = match sign(&gateway.inner.keys.alipay.alipay, node.as_bytes()) {
        Ok(signature) => format!(r#"{{"{name}":{node},"sign":"{signature}"}}"#),
        Err(error) => {
            tracing::error!(error, "the sandbox gateway could not sign an answer");
            format!(r#"{{"{name}":{node}}}"#)
        }
    };
    let answer = Answer {
        status: 200,
        body: text.into_bytes(),
    };
    gateway
        .keep_received(CHANNEL.as_str(), format!("POST {method}"), &body, &answer)
        .await;
    ([(header::CONTENT_TYPE, "text/html;charset=utf-8")], answer.body).into_response()
}

fn node_name(method: &str) -> String {
    format!("{}_response", method.replace('.', "_"))
}

/// The method that a request names, if it is one of those that are answered here: it becomes part of the answer unescaped.
fn named_method(body: &[u8]) -> String {
    let pairs = pairs(body).unwrap_or_default();
    let named = pairs
        .iter()
        .find(|(name, _)| name == b"method")
        .map(|(_, value)| value.as_slice());
    let known = [
        "alipay.trade.query",
        "alipay.trade.close",
        "alipay.trade.refund",
        "alipay.trade.fastpay.refund.query",
    ];
    known
        .into_iter()
        .find(|known| named == Some(known.as_bytes()))
        .unwrap_or("error")
        .to_owned()
}

fn verified(gateway: &Gateway, form: &[u8]) -> Result<Call, Refusal> {
    let keys = &gateway.inner.keys;
    let pairs: Vec<Pair> = pairs(form).ok_or(BAD_SIGNATURE)?;
    let sign = pairs.iter().find(|(name, _)| name == b"sign");
    let genuine =
        sign.is_some_and(|(_, sign)| verifies(&keys.alipay.app, &signed_bytes(&pairs, LeftOut::OfRequest), sign));
    let fields: Option<HashMap<String, String>> = pairs
        .into_iter()
        .map(|(name, value)| Some((String::from_utf8(name).ok()?, String::from_utf8(value).ok()?)))
        .collect();
    let fields = fields.ok_or(BAD_SIGNATURE)?;
    let field = |name: &str| fields.get(name).map_or("", String::as_str);
    if !genuine || field("sign_type") != SIGN_TYPE {
        return Err(BAD_SIGNATURE);
    }
    if field("app_id") != keys.names.alipay_app {
        return Err(Refusal("40002", "isv.invalid-app-id", "无效的AppID参数"));
    }
    let content = serde_json::from_str(field("biz_content")).map_err(|_| BAD_CONTENT)?;
    Ok(Call { fields, content })
}

fn node_of(Refusal(code, sub_code, sub_message): Refusal) -> Value {
    let message = match code {
        "20000" => "Service Currently Unavailable",
        "40002" => "Invalid Arguments",
        _ => "Business Failed",
    };
    json!({ "code": code, "msg": message, "sub_code": sub_code, "sub_msg": sub_message })
}

async fn done(gateway: &Gateway, method: &str, call: &Call) -> (String, Value) {
    let node = match method {
        "alipay.trade.query" => query(gateway, call).await,
        "alipay.trade.close" => close(gateway, call).await,
        "alipay.trade.refund" => refund(gateway, call).await,
        "alipay.trade.fastpay.refund.query" => query_refund(gateway, call).await,
        _ => Ok(node_of(Refusal("40002", "isv.invalid-method", "不存在的方法名"))),
    };
    let node = node.unwrap_or_else(|error| {
        tracing::error!(%error, "the sandbox gateway's database");
        node_of(Refusal("20000", "aop.unknow-error", "系统繁忙"))
    });
    (node_name(method), node)
}

async fn query(gateway: &Gateway, call: &Call) -> Result<Value, sqlx::Error> {
    let number = call.content("out_trade_no");
    let Some(payment) = gateway.inner.store.payment(CHANNEL, number).await? else {
        return Ok(node_of(UNKNOWN_TRADE));
    };
    let money = gateway.inner.store.money(CHANNEL, number).await?;
    Ok(trade(&payment, money.first()))
}

fn trade(payment: &Payment, money: Option<&Money>) -> Value {
    let all_back = money.is_some_and(|money| money.refunded_fen == money.amount_fen);
    let status = match payment.state {
        State::Open => "WAIT_BUYER_PAY",
        State::Paid if !all_back => "TRADE_SUCCESS",
        _ => "TRADE_CLOSED",
    };
    let mut node = json!({
        "code": "10000",
        "msg": "Success",
        "out_trade_no": payment.payment_no,
        "trade_status": status,
        "total_amount": format_yuan(payment.amount_fen),
        "buyer_logon_id": "san***@oncemart.example",
        "buyer_user_id": "2088000000000000",
    });
    if let Some(money) = money {
        node["trade_no"] = money.transaction_id.clone().into();
        node["send_pay_date"] = china_plain(money.paid_at).into();
        node["receipt_amount"] = format_yuan(money.amount_fen).into();
    }
    node
}

async fn close(gateway: &Gateway, call: &Call) -> Result<Value, sqlx::Error> {
    let number = call.content("out_trade_no");
    let store = &gateway.inner.store;
    let Some(payment) = store.payment(CHANNEL, number).await? else {
        return Ok(node_of(UNKNOWN_TRADE));
    };
    Ok(if store.end(&payment, State::Closed, false).await? {
        json!({ "code": "10000", "msg": "Success", "out_trade_no": number, "trade_no": "" })
    } else {
        // Said of paid and of closed trades alike.
        node_of(Refusal("40004", "ACQ.TRADE_STATUS_ERROR", "交易状态不合法"))
    })
}

async fn refund(gateway: &Gateway, call: &Call) -> Result<Value, sqlx::Error> {
    let number = call.content("out_trade_no");
    let amount = fen_of_yuan(call.content("refund_amount")).filter(|fen| *fen >= 1);
    let (Some(amount_fen), false) = (amount, call.content("out_request_no").is_empty()) else {
        return Ok(node_of(BAD_CONTENT));
    };
    let asked = AskedRefund {
        channel: CHANNEL,
        refund_no: call.content("out_request_no").to_owned(),
        payment_no: number.to_owned(),
        transaction_id: call.content("trade_no").to_owned(),
        amount_fen,
        paid_fen: None,
        reason: call.content("refund_reason").to_owned(),
        notify_url: String::new(),
    };
    let asking = gateway
        .inner
        .store
        .ask_refund(&asked, std::time::Duration::ZERO)
        .await?;
    gateway.wake();
    let refused = |code, message| Ok(node_of(Refusal("40004", code, message)));
    match asking {
        Asking::Taken(taken) => Ok(json!({
            "code": "10000",
            "msg": "Success",
            "out_trade_no": taken.refund.payment_no,
            "trade_no": taken.refund.transaction_id,
            "buyer_user_id": "2088000000000000",
            // Whether this very request moved money; a repetition did not.
            "fund_change": if taken.fresh { "Y" } else { "N" },
            "refund_fee": format_yuan(taken.money.refunded_fen),
            "gmt_refund_pay": china_plain(taken.refund.done_at),
        })),
        Asking::UnknownPayment => Ok(node_of(UNKNOWN_TRADE)),
        Asking::NotPaid => refused("ACQ.TRADE_STATUS_ERROR", "交易状态不合法"),
        Asking::OtherParameters => refused("ACQ.DISCORDANT_REPEAT_REQUEST", "请求信息不一致"),
        Asking::TooMuch => refused("ACQ.REFUND_AMT_NOT_EQUAL_TOTAL", "退款金额超限"),
        Asking::NotEnough => refused("ACQ.SELLER_BALANCE_NOT_ENOUGH", "卖家余额不足"),
    }
}

async fn query_refund(gateway: &Gateway, call: &Call) -> Result<Value, sqlx::Error> {
    let number = call.content("out_trade_no");
    let store = &gateway.inner.store;
    let Some(payment) = store.payment(CHANNEL, number).await? else {
        return Ok(node_of(UNKNOWN_TRADE));
    };
    let mut node = json!({ "code": "10000", "msg": "Success", "out_trade_no": number });
    let refund = store.refund(CHANNEL, call.content("out_request_no")).await?;
    // A refund that is not there is no error: the answer lacks its fields.
    if let Some(refund) = refund.filter(|refund| refund.payment_no == number) {
        node["trade_no"] = refund.transaction_id.into();
        node["out_request_no"] = refund.refund_no.into();
        node["refund_status"] = "REFUND_SUCCESS".into();
        node["refund_amount"] = format_yuan(refund.amount_fen).into();
        node["total_amount"] = format_yuan(payment.amount_fen).into();
    }
    Ok(node)
}
