//! Which settings open which channel, and what the errors say.

use super::*;
use crate::channels::test_support::{OURS, THEIRS};
use std::path::Path;
use tempfile::TempDir;

/// What a test does to whole settings, and the setting that the error names then.
type Spoiling<'a> = (&'a str, &'a dyn Fn(&mut ChannelOptions));

const SECRETS: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n\nwhsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD\n";

fn file(directory: &TempDir, name: &str, text: &str) -> Option<String> {
    let path = directory.path().join(name);
    fs::write(&path, text).unwrap();
    Some(path.to_str().unwrap().to_owned())
}

/// Alipay's keys as its tool shows them: what stands in PEM between the frames, on one line.
fn bare(pem: &str) -> String {
    pem.lines().filter(|line| !line.starts_with("-----")).collect()
}

fn whole(directory: &TempDir) -> ChannelOptions {
    let given = |text: &str| Some(text.to_owned());
    let certificate = file(directory, "certificate.pem", &THEIRS.certificate(&[0x5F, 1])).unwrap();
    let public = file(directory, "public.pem", &THEIRS.pair.public_key_pem()).unwrap();
    ChannelOptions {
        notify_url: given("https://hooks.example/"),
        wechat_api: given("http://127.0.0.1:3000/sandbox/wechat/"),
        wechat_merchant: given("1900000001"),
        wechat_app: given("wx1"),
        wechat_merchant_serial: given("5F1C"),
        wechat_merchant_key: file(directory, "key.pem", &OURS.pair.serialize_pem()),
        wechat_api_v3_key: file(directory, "v3", "0123456789abcdefghijklmnopqrstuv\n"),
        wechat_platform_keys: Some(format!("{certificate}, PUB_KEY_ID_01={public}")),
        alipay_gateway: given("http://127.0.0.1:3000/sandbox/alipay/gateway.do"),
        alipay_page_gateway: None,
        alipay_app: given("2021000000000001"),
        alipay_seller: given("2088000000000002"),
        alipay_app_key: file(directory, "alipay", &bare(&OURS.pair.serialize_pem())),
        alipay_public_key: file(directory, "alipay-public", &bare(&THEIRS.pair.public_key_pem())),
        webhook_api: given("http://127.0.0.1:3000/sandbox/webhook"),
        webhook_merchant: given("M1"),
        webhook_secrets: file(directory, "secrets", SECRETS),
    }
}

fn open(options: &ChannelOptions) -> Result<Channels, String> {
    options.open(None, Clock::default(), Duration::from_secs(3))
}

#[test]
fn whole_settings_open_every_channel_in_order() {
    let directory = TempDir::new().unwrap();
    let options = whole(&directory);
    assert!(options.is_any_given());
    let channels = open(&options).unwrap();
    let merchants: Vec<_> = channels
        .iter()
        .map(|channel| (channel.id(), channel.merchant()))
        .collect();
    let expected = [
        (ChannelId::Wechat, "1900000001/wx1"),
        (ChannelId::Alipay, "2021000000000001/2088000000000002"),
        (ChannelId::Webhook, "M1"),
    ];
    assert_eq!(merchants, expected);
    let wechat = format!("{:?}", channels.get(ChannelId::Wechat).unwrap());
    assert!(wechat.contains("https://hooks.example/callbacks/wechat"), "{wechat}");
    assert!(wechat.contains("127.0.0.1:3000/sandbox/wechat\""), "{wechat}");
    let shown: String = channels.iter().map(|channel| format!("{channel:?}")).collect();
    for secret in ["0123456789abcdefghij", "whsec_", "MfKQ9r8GKY", "PRIVATE"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
    assert_eq!(shown.matches("not shown").count(), 5, "{shown}");
}

#[test]
fn no_settings_open_no_channel() {
    let mut options = ChannelOptions::default();
    assert!(open(&options).unwrap().is_empty());
    options.notify_url = Some("https://hooks.example".to_owned());
    assert!(!options.is_any_given());
    assert!(open(&options).unwrap().get(ChannelId::Alipay).is_none());
    assert!(Channels::none().is_empty());
}

#[test]
fn a_missing_setting_is_named() {
    let directory = TempDir::new().unwrap();
    let missing: [Spoiling<'_>; 7] = [
        ("ONCEMART_WECHAT_MERCHANT:", &|options| options.wechat_merchant = None),
        ("ONCEMART_WECHAT_API_V3_KEY:", &|options| {
            options.wechat_api_v3_key = None
        }),
        ("ONCEMART_WECHAT_PLATFORM_KEYS:", &|options| {
            options.wechat_platform_keys = Some(" ".to_owned())
        }),
        ("ONCEMART_ALIPAY_SELLER:", &|options| options.alipay_seller = None),
        ("ONCEMART_WEBHOOK_API:", &|options| options.webhook_api = None),
        ("ONCEMART_WEBHOOK_SECRETS:", &|options| options.webhook_secrets = None),
        ("ONCEMART_NOTIFY_URL:", &|options| options.notify_url = None),
    ];
    for (name, remove) in missing {
        let mut options = whole(&directory);
        remove(&mut options);
        let error = open(&options).unwrap_err();
        assert!(error.starts_with(name), "{error}");
    }
    let only_address = ChannelOptions {
        wechat_api: Some("http://127.0.0.1:1".to_owned()),
        ..ChannelOptions::default()
    };
    assert!(only_address.is_any_given());
    let error = only_address.open(Some("http://127.0.0.1:3000"), Clock::default(), Duration::from_secs(3));
    assert!(error.unwrap_err().starts_with("ONCEMART_WECHAT_MERCHANT:"));
}

#[test]
fn a_wrong_value_is_named_and_no_secret_is_shown() {
    let directory = TempDir::new().unwrap();
    let wrong = |name: &str, text: &str| file(&directory, name, text);
    let secret = "this-is-a-secret-that-is-not-shown";
    let wrongs: [Spoiling<'_>; 10] = [
        ("ONCEMART_NOTIFY_URL:", &|options| {
            options.notify_url = Some("ftp://x".to_owned())
        }),
        ("ONCEMART_WECHAT_API:", &|options| {
            options.wechat_api = Some("https://x/?a=b".to_owned())
        }),
        ("ONCEMART_ALIPAY_GATEWAY:", &|options| {
            options.alipay_gateway = Some("gateway.do".to_owned())
        }),
        ("ONCEMART_WECHAT_MERCHANT_KEY:", &|options| {
            options.wechat_merchant_key = wrong("w1", secret)
        }),
        ("ONCEMART_WECHAT_API_V3_KEY:", &|options| {
            options.wechat_api_v3_key = wrong("w2", secret)
        }),
        ("ONCEMART_WECHAT_PLATFORM_KEYS:", &|options| {
            options.wechat_platform_keys = wrong("w3", secret)
        }),
        ("ONCEMART_WECHAT_PLATFORM_KEYS:", &|options| {
            options.wechat_platform_keys = wrong("w4", &THEIRS.pair.public_key_pem());
        }),
        ("ONCEMART_ALIPAY_APP_KEY:", &|options| {
            options.alipay_app_key = wrong("w5", secret)
        }),
        ("ONCEMART_ALIPAY_PUBLIC_KEY:", &|options| {
            options.alipay_public_key = wrong("w6", "MIIB")
        }),
        ("ONCEMART_WEBHOOK_SECRETS:", &|options| {
            options.webhook_secrets = wrong("w7", secret)
        }),
    ];
    for (name, spoil) in wrongs {
        let mut options = whole(&directory);
        spoil(&mut options);
        let error = open(&options).unwrap_err();
        assert!(error.starts_with(name), "{error}");
        assert!(!error.contains(secret), "{error}");
    }
    let mut options = whole(&directory);
    options.webhook_secrets = Some("/no/such/file".to_owned());
    assert!(open(&options).unwrap_err().contains("/no/such/file"));
}

#[test]
fn a_certificate_that_is_named_twice_is_refused() {
    let directory = TempDir::new().unwrap();
    let mut options = whole(&directory);
    let keys = options.wechat_platform_keys.unwrap();
    let first = keys.split(',').next().unwrap();
    assert!(Path::new(first).is_file());
    options.wechat_platform_keys = Some(format!("{first},{first}"));
    assert!(open(&options).unwrap_err().contains("twice"));
}
