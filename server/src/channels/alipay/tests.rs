//! Tests of the channel: notices by the byte, requests over a loopback port.

mod notices;
mod requests;

use super::{
    super::test_support::{OURS, THEIRS, http},
    Account, Addresses, Alipay, LeftOut, Pair, pairs, signed_bytes,
    signing::{form, sign, verifies},
};
use crate::clock::Clock;
use url::Url;

const MERCHANT: &str = "2021000000000001/2088000000000002";

fn channel(gateway: &str) -> Alipay {
    let account = Account {
        app_id: "2021000000000001".to_owned(),
        seller_id: "2088000000000002".to_owned(),
        key: OURS.again(),
        alipay_key: THEIRS.public(),
    };
    let addresses = Addresses {
        gateway: Url::parse(gateway).unwrap(),
        page_gateway: Url::parse("https://pay.example/gateway.do").unwrap(),
        notify_url: "https://shop.example/callbacks/alipay".to_owned(),
    };
    Alipay::new(account, addresses, http(gateway), Clock::default())
}
