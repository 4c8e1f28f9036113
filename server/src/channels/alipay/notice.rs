//! Notices of Alipay: forms in a charset of their own.
//!
//! Nothing is converted before it is verified. The signed bytes join the values without escaping them, so where one field ends and
//! the next begins is not signed; a form whose values look like fields that are read here is therefore refused.

use super::{
    super::{Fact, Notification, PaidFact, Rejected, amount, crypto::PublicKey},
    signing::{LeftOut, Pair, SIGN_TYPE, pairs, signed_bytes, verifies},
};
use encoding_rs::{Encoding, GB18030, GBK, UTF_8};

/// The fields that are read.
const FIELDS: [&str; 16] = [
    "app_id",
    "seller_id",
    "charset",
    "notify_id",
    "notify_type",
    "out_trade_no",
    "trade_no",
    "trade_status",
    "total_amount",
    "trans_currency",
    "refund_fee",
    "refund_amount",
    "gmt_refund",
    "out_biz_no",
    "out_request_no",
    "sign_type",
];

/// A verified notice.
struct Notice {
    pairs: Vec<Pair>,
    charset: &'static Encoding,
}

impl Notice {
    /// A field's text. An empty field is an absent one, because a form with empty values may be signed without them.
    fn field(&self, name: &str) -> Option<String> {
        let value = raw(&self.pairs, name).filter(|value| !value.is_empty())?;
        Some(self.charset.decode_without_bom_handling(value).0.into_owned())
    }

    fn text(&self, name: &str) -> String {
        self.field(name).unwrap_or_default()
    }

    fn required(&self, name: &str) -> Result<String, Rejected> {
        self.field(name).ok_or(Rejected::Content)
    }

    /// Whether the notice tells of money that went back.
    fn is_of_refund(&self) -> bool {
        let fee = self.field("refund_fee");
        self.field("gmt_refund").is_some() || fee.is_some_and(|fee| amount::fen_of_yuan(&fee) != Some(0))
    }
}

/// Verifies and reads a notice.
pub(super) fn verify(key: &PublicKey, body: &[u8]) -> Result<Notification, Rejected> {
    let pairs = pairs(body).ok_or(Rejected::Malformed)?;
    let sign = raw(&pairs, "sign").filter(|sign| !sign.is_empty());
    let sign = sign.ok_or(Rejected::Malformed)?;
    // Whoever sends the form chooses this field; it may say what is done here anyway, and nothing else.
    if raw(&pairs, "sign_type") != Some(SIGN_TYPE.as_bytes()) {
        return Err(Rejected::Malformed);
    }
    let has_empty = pairs.iter().any(|(_, value)| value.is_empty());
    let genuine = verifies(key, &signed_bytes(&pairs, LeftOut::OfNotice), sign)
        || (has_empty && verifies(key, &signed_bytes(&pairs, LeftOut::OfNoticeAndEmpty), sign));
    if !genuine {
        return Err(Rejected::Signature);
    }
    if pairs.iter().any(hides_a_field) {
        return Err(Rejected::Content);
    }
    let charset = charset(raw(&pairs, "charset").unwrap_or_default()).ok_or(Rejected::Content)?;
    read(&Notice { pairs, charset })
}

fn raw<'a>(pairs: &'a [Pair], name: &str) -> Option<&'a [u8]> {
    let (_, value) = pairs.iter().find(|(other, _)| other == name.as_bytes())?;
    Some(value)
}

/// Whether a pair would be another field if its bytes were cut elsewhere.
fn hides_a_field((name, value): &Pair) -> bool {
    let odd_name = name.iter().any(|byte| matches!(byte, b'&' | b'='));
    let mut rest = value.split(|byte| *byte == b'&').skip(1);
    let hidden = |part: &[u8]| {
        FIELDS.iter().any(|field| {
            part.strip_prefix(field.as_bytes())
                .is_some_and(|rest| rest.starts_with(b"="))
        })
    };
    odd_name || rest.any(hidden)
}

/// The charsets that Alipay has, by the names that it writes.
fn charset(name: &[u8]) -> Option<&'static Encoding> {
    if name.is_empty() {
        return Some(UTF_8);
    }
    Encoding::for_label(name).filter(|charset| [UTF_8, GBK, GB18030].contains(charset))
}

fn read(notice: &Notice) -> Result<Notification, Rejected> {
    let merchant = format!("{}/{}", notice.text("app_id"), notice.text("seller_id"));
    let status = notice.text("trade_status");
    let fact = match status.as_str() {
        // A partial refund sends the success again with the refund's fields: it stays the same transaction's success.
        "TRADE_SUCCESS" | "TRADE_FINISHED" => Fact::Paid(paid(notice, merchant.clone())?),
        "TRADE_CLOSED" if notice.is_of_refund() => refunded(notice)?,
        "TRADE_CLOSED" => Fact::PaymentEnded {
            payment_no: notice.required("out_trade_no")?,
            failed: false,
        },
        "" => Fact::NothingFinal {
            kind: notice.text("notify_type"),
        },
        _ => Fact::NothingFinal { kind: status },
    };
    Ok(Notification {
        id: notice.text("notify_id"),
        merchant,
        fact,
    })
}

fn paid(notice: &Notice, merchant: String) -> Result<PaidFact, Rejected> {
    Ok(PaidFact {
        payment_no: notice.required("out_trade_no")?,
        transaction_id: notice.required("trade_no")?,
        amount_fen: amount::fen_of_yuan(&notice.required("total_amount")?).ok_or(Rejected::Content)?,
        currency: notice
            .field("trans_currency")
            .unwrap_or_else(|| amount::CURRENCY.to_owned()),
        merchant,
    })
}

/// All that was paid went back. `refund_fee` is the sum over all refunds of the payment, so it is not this refund's amount.
fn refunded(notice: &Notice) -> Result<Fact, Rejected> {
    let amount = notice.field("refund_amount");
    Ok(Fact::Refunded {
        refund_no: notice
            .field("out_request_no")
            .or_else(|| notice.field("out_biz_no"))
            .unwrap_or_default(),
        payment_no: notice.required("out_trade_no")?,
        amount_fen: amount.and_then(|amount| amount::fen_of_yuan(&amount)),
    })
}
