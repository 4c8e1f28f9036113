//! WeChat Pay's notifications: sealed with the APIv3 key, then signed with one of the platform's keys.

use super::{
    Kind, LONG_AGO_MILLISECONDS, PROBE_PREFIX, SandboxKeys, SignedRequest, Signer, Tamper, What, another_name,
    china_rfc3339, unix_seconds,
};
use crate::{
    channels::{crypto::seal_aes_256_gcm, wechat::signing},
    clock::Milliseconds,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

impl SandboxKeys {
    pub(super) fn wechat_notification(
        &self,
        what: &What,
        tamper: Tamper,
        now: Milliseconds,
    ) -> Result<SignedRequest, String> {
        let body = self.wechat_body(what, tamper, now)?;
        let signed_at = match tamper {
            Tamper::Timestamp => now - LONG_AGO_MILLISECONDS,
            _ => now,
        };
        let mut request = match tamper {
            Tamper::Signature => {
                let mut other = self.sign_wechat(b"{}", what.signer, signed_at)?;
                other.body = body;
                other
            }
            _ => self.sign_wechat(&body, what.signer, signed_at)?,
        };
        let replace = |request: &mut SignedRequest, name: &str, change: &dyn Fn(&str) -> String| {
            for (_, value) in request.headers.iter_mut().filter(|(header, _)| *header == name) {
                *value = change(value);
            }
        };
        match tamper {
            Tamper::Probe => replace(&mut request, signing::SIGNATURE_HEADER, &|signature| {
                format!("{PROBE_PREFIX}{signature}")
            }),
            Tamper::OtherKey => {
                let other = match what.signer {
                    Signer::PublicKey => &self.wechat.certificate_serial,
                    Signer::Certificate => &self.names.wechat_public_key_id,
                };
                replace(&mut request, signing::SERIAL_HEADER, &|_| other.clone());
            }
            Tamper::UnknownKey => replace(&mut request, signing::SERIAL_HEADER, &another_name),
            Tamper::MissingHeader => request = request.without(signing::SERIAL_HEADER),
            _ => {}
        }
        Ok(request)
    }

    /// Signs any body as a callback or an answer of WeChat Pay.
    pub fn sign_wechat(&self, body: &[u8], signer: Signer, now: Milliseconds) -> Result<SignedRequest, String> {
        let timestamp = unix_seconds(now);
        let nonce = uuid::Uuid::new_v4().simple().to_string();
        let (key, serial) = match signer {
            Signer::PublicKey => (&self.wechat.platform, &self.names.wechat_public_key_id),
            Signer::Certificate => (&self.wechat.certificate, &self.wechat.certificate_serial),
        };
        let signature = signing::sign(key, &signing::signed_message(&timestamp, &nonce, body))?;
        Ok(SignedRequest {
            headers: vec![
                ("content-type", "application/json".to_owned()),
                (signing::TIMESTAMP_HEADER, timestamp),
                (signing::NONCE_HEADER, nonce),
                (signing::SIGNATURE_HEADER, signature),
                (signing::SERIAL_HEADER, serial.clone()),
                (signing::SIGNATURE_TYPE_HEADER, signing::SIGNATURE_TYPE.to_owned()),
            ],
            body: body.to_vec(),
        })
    }

    /// Seals any text as a callback's `resource`, with the kind of object that it is.
    pub fn seal_wechat(&self, plain: &[u8], original_type: &str) -> Result<Value, String> {
        let nonce = &uuid::Uuid::new_v4().simple().to_string()[..12];
        let sealed = seal_aes_256_gcm(&self.wechat.api_v3.0, nonce.as_bytes(), original_type.as_bytes(), plain)
            .ok_or("the notification could not be sealed")?;
        Ok(json!({
            "original_type": original_type,
            "algorithm": "AEAD_AES_256_GCM",
            "ciphertext": STANDARD.encode(sealed),
            "associated_data": original_type,
            "nonce": nonce,
        }))
    }

    fn wechat_body(&self, what: &What, tamper: Tamper, now: Milliseconds) -> Result<Vec<u8>, String> {
        let is_refund = matches!(what.kind, Kind::Refunded | Kind::RefundRefused);
        let (plain, original_type) = if is_refund {
            (self.wechat_refund(what, tamper)?, "refund")
        } else {
            (self.wechat_transaction(what, tamper), "transaction")
        };
        let (event_type, summary) = match what.kind {
            Kind::Refunded => ("REFUND.SUCCESS", "退款成功"),
            Kind::RefundRefused => ("REFUND.ABNORMAL", "退款异常"),
            // The others exist only here; the state inside must be read, whatever the outside says.
            _ => ("TRANSACTION.SUCCESS", "支付成功"),
        };
        let mut resource = self.seal_wechat(plain.to_string().as_bytes(), original_type)?;
        if tamper == Tamper::Ciphertext {
            let (first, rest) = resource["ciphertext"].as_str().unwrap_or_default().split_at(1);
            let other = if first == "A" { "B" } else { "A" };
            resource["ciphertext"] = format!("{other}{rest}").into();
        }
        let body = json!({
            "id": what.notice_id,
            "create_time": china_rfc3339(now),
            "resource_type": "encrypt-resource",
            "event_type": event_type,
            "summary": summary,
            "resource": resource,
        });
        Ok(body.to_string().into_bytes())
    }

    fn wechat_merchant(&self, tamper: Tamper) -> (String, String) {
        let names = &self.names;
        match tamper {
            Tamper::Merchant => (another_name(&names.wechat_merchant), names.wechat_app.clone()),
            Tamper::App => (names.wechat_merchant.clone(), another_name(&names.wechat_app)),
            _ => (names.wechat_merchant.clone(), names.wechat_app.clone()),
        }
    }

    fn wechat_transaction(&self, what: &What, tamper: Tamper) -> Value {
        let (merchant, app) = self.wechat_merchant(tamper);
        let (state, description) = match what.kind {
            Kind::Closed => ("CLOSED", "已关闭"),
            Kind::Failed => ("PAYERROR", "支付失败"),
            Kind::Pending => ("NOTPAY", "订单未支付"),
            _ => ("SUCCESS", "支付成功"),
        };
        let mut transaction = json!({
            "mchid": merchant,
            "appid": app,
            "out_trade_no": what.payment_no,
            "trade_type": "NATIVE",
            "trade_state": state,
            "trade_state_desc": description,
            "attach": "",
            "amount": {
                "total": what.amount_fen,
                "payer_total": what.amount_fen,
                "currency": what.currency,
                "payer_currency": what.currency,
            },
        });
        if what.kind == Kind::Paid {
            transaction["transaction_id"] = what.transaction_id.clone().into();
            transaction["bank_type"] = "OTHERS".into();
            transaction["success_time"] = china_rfc3339(what.happened_at).into();
            transaction["payer"] = json!({ "openid": "oncemart-sandbox-buyer" });
        }
        transaction
    }

    fn wechat_refund(&self, what: &What, tamper: Tamper) -> Result<Value, String> {
        let refund = what.refund.as_ref().ok_or("a refund's notification needs a refund")?;
        let (merchant, _) = self.wechat_merchant(tamper);
        let status = if what.kind == Kind::Refunded {
            "SUCCESS"
        } else {
            "ABNORMAL"
        };
        let mut node = json!({
            "mchid": merchant,
            "out_trade_no": what.payment_no,
            "transaction_id": what.transaction_id,
            "out_refund_no": refund.refund_no,
            "refund_id": refund.provider_no,
            "refund_status": status,
            "user_received_account": "支付用户零钱",
            "amount": {
                "total": what.amount_fen,
                "refund": refund.amount_fen,
                "payer_total": what.amount_fen,
                "payer_refund": refund.amount_fen,
            },
        });
        if what.kind == Kind::Refunded {
            node["success_time"] = china_rfc3339(what.happened_at).into();
        }
        Ok(node)
    }
}
