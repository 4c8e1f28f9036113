//! Alipay's notices: a form, signed over its decoded pairs in the form's charset.

use super::{Charset, Kind, SandboxKeys, SignedRequest, Tamper, What, another_name, china_plain, name_of};
use crate::{
    channels::{
        alipay::signing::{self, LeftOut, Pair, SIGN_TYPE},
        crypto::SigningKey,
    },
    clock::Milliseconds,
};
use app::pricing::format_yuan;
use encoding_rs::GBK;

/// A notice's time is of the attempt and repetitions run for a day, so an old one is older than that.
const DAYS_AGO_MILLISECONDS: i64 = 2 * 24 * 60 * 60 * 1_000;

/// Alipay's own mark of the currency in notices that state one.
const CURRENCY_FIELD: &str = "trans_currency";

impl SandboxKeys {
    pub(super) fn alipay_notification(
        &self,
        what: &What,
        tamper: Tamper,
        now: Milliseconds,
    ) -> Result<SignedRequest, String> {
        let fields = self.alipay_fields(what, tamper, now)?;
        let key = match tamper {
            Tamper::OtherKey | Tamper::UnknownKey => &self.alipay.app_key,
            _ => &self.alipay.alipay,
        };
        let mut pairs = sign_with(key, encoded(&fields, what.charset))?;
        match tamper {
            Tamper::Signature => {
                let other = signing::sign(&self.alipay.alipay, b"another message")?;
                set(&mut pairs, b"sign", &|_| other.clone().into_bytes());
            }
            Tamper::Probe => set(&mut pairs, b"sign", &|sign| {
                [super::PROBE_PREFIX.as_bytes(), sign].concat()
            }),
            Tamper::Ciphertext => set(&mut pairs, b"out_trade_no", &|number| [number, b"0"].concat()),
            Tamper::MissingHeader => pairs.retain(|(name, _)| name != b"sign"),
            _ => {}
        }
        Ok(form_request(&pairs, what.charset))
    }

    /// Signs any fields as a notice of Alipay, in the given charset.
    pub fn sign_alipay(&self, fields: &[(&str, String)], charset: Charset) -> Result<SignedRequest, String> {
        let pairs = sign_with(&self.alipay.alipay, encoded(fields, charset))?;
        Ok(form_request(&pairs, charset))
    }

    fn alipay_fields(
        &self,
        what: &What,
        tamper: Tamper,
        now: Milliseconds,
    ) -> Result<Vec<(&'static str, String)>, String> {
        let sent_at = match tamper {
            Tamper::Timestamp => now - DAYS_AGO_MILLISECONDS,
            _ => now,
        };
        let app = match tamper {
            Tamper::App => another_name(&self.names.alipay_app),
            _ => self.names.alipay_app.clone(),
        };
        let seller = match tamper {
            Tamper::Merchant => another_name(&self.names.alipay_seller),
            _ => self.names.alipay_seller.clone(),
        };
        let mut fields = vec![
            ("notify_time", china_plain(sent_at)),
            ("notify_type", "trade_status_sync".to_owned()),
            ("notify_id", what.notice_id.replace('-', "")),
            ("app_id", app.clone()),
            ("auth_app_id", app),
            ("charset", name_of(&what.charset)),
            ("version", "1.0".to_owned()),
            ("sign_type", SIGN_TYPE.to_owned()),
            ("trade_no", what.transaction_id.clone()),
            ("out_trade_no", what.payment_no.clone()),
            ("buyer_id", "2088000000000000".to_owned()),
            ("seller_id", seller),
            ("trade_status", trade_status(what)?.to_owned()),
            ("total_amount", format_yuan(what.amount_fen)),
            ("subject", what.subject.clone()),
            ("gmt_create", china_plain(what.happened_at)),
        ];
        if tamper == Tamper::Currency {
            fields.push((CURRENCY_FIELD, what.currency.clone()));
        }
        fields.extend(fields_of_news(what));
        Ok(fields)
    }
}

/// The fields that only some news have.
fn fields_of_news(what: &What) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    let amount = format_yuan(what.amount_fen);
    let at = china_plain(what.happened_at);
    if matches!(what.kind, Kind::Paid | Kind::Refunded) {
        let funds = format!(r#"[{{"amount":"{amount}","fundChannel":"ALIPAYACCOUNT"}}]"#);
        fields.extend([
            ("receipt_amount", amount.clone()),
            ("buyer_pay_amount", amount),
            ("fund_bill_list", funds),
            ("gmt_payment", at.clone()),
        ]);
    }
    if what.kind == Kind::Closed || what.kind == Kind::Failed {
        fields.push(("gmt_close", at.clone()));
    }
    if let Some(refund) = &what.refund {
        fields.extend([
            ("gmt_refund", format!("{at}.000")),
            ("refund_fee", format_yuan(refund.refunded_fen)),
        ]);
        if !refund.refund_no.is_empty() {
            fields.extend([
                ("out_biz_no", refund.refund_no.clone()),
                ("refund_amount", format_yuan(refund.amount_fen)),
            ]);
        }
    }
    fields
}

/// A trade of which everything went back is closed, like one that was never paid; the refund's fields make the difference.
fn trade_status(what: &What) -> Result<&'static str, String> {
    match (what.kind, &what.refund) {
        (Kind::Paid, _) => Ok("TRADE_SUCCESS"),
        (Kind::Pending, _) => Ok("WAIT_BUYER_PAY"),
        // Alipay has no state for "tried and failed".
        (Kind::Closed | Kind::Failed, _) => Ok("TRADE_CLOSED"),
        (Kind::Refunded, Some(refund)) if refund.refunded_fen < what.amount_fen => Ok("TRADE_SUCCESS"),
        (Kind::Refunded, Some(_)) => Ok("TRADE_CLOSED"),
        (Kind::Refunded, None) => Err("a refund's notification needs a refund".to_owned()),
        (Kind::RefundRefused, _) => Err("Alipay answers a refused refund at once and sends no notice of it".to_owned()),
    }
}

fn encoded(fields: &[(&str, String)], charset: Charset) -> Vec<Pair> {
    let bytes = |text: &str| match charset {
        Charset::Utf8 => text.as_bytes().to_vec(),
        Charset::Gbk => GBK.encode(text).0.into_owned(),
    };
    fields.iter().map(|(name, value)| (bytes(name), bytes(value))).collect()
}

fn sign_with(key: &SigningKey, mut pairs: Vec<Pair>) -> Result<Vec<Pair>, String> {
    let sign = signing::sign(key, &signing::signed_bytes(&pairs, LeftOut::OfNotice))?;
    pairs.push((b"sign".to_vec(), sign.into_bytes()));
    Ok(pairs)
}

fn set(pairs: &mut [Pair], name: &[u8], change: &dyn Fn(&[u8]) -> Vec<u8>) {
    for (_, value) in pairs.iter_mut().filter(|(field, _)| field == name) {
        *value = change(value);
    }
}

fn form_request(pairs: &[Pair], charset: Charset) -> SignedRequest {
    let charset = name_of(&charset);
    SignedRequest {
        headers: vec![(
            "content-type",
            format!("application/x-www-form-urlencoded; charset={charset}"),
        )],
        body: signing::form(pairs).into_bytes(),
    }
}
