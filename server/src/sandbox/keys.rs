//! The gateway's keys and merchants: made once for each data directory and kept there as files, as a provider hands them out.
//!
//! Both halves of every key lie here, the shop's and the provider's, because the gateway is both ends of a demonstration. None of
//! them is worth anything outside it.

use super::files::{Kept, KeptDirectory};
use crate::channels::{
    crypto::{PublicKey, SigningKey},
    settings::ChannelOptions,
    standard_webhooks::Secret,
};
use anyhow::{Context as _, anyhow};
use aws_lc_rs::{
    encoding::AsDer as _,
    rsa::{KeyPair, KeySize},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use rustls_pki_types::{PrivatePkcs8KeyDer, pem::PemObject as _};
use serde::{Deserialize, Serialize};
use std::{fmt::Write as _, path::Path};

/// Everything that signs, verifies, seals and names in one gateway.
#[derive(Debug)]
pub struct SandboxKeys {
    /// Who the merchants are at this gateway.
    pub names: Names,
    /// WeChat Pay's.
    pub wechat: WechatKeys,
    /// Alipay's.
    pub alipay: AlipayKeys,
    /// Standard Webhooks' secrets; the first signs, all verify.
    pub webhook: Vec<Secret>,
    directory: KeptDirectory,
}

/// Names of the merchants, random for each data directory so that two gateways can be told apart.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Names {
    /// WeChat Pay's mchid.
    pub wechat_merchant: String,
    /// WeChat Pay's appid.
    pub wechat_app: String,
    /// Serial number of the merchant's certificate at WeChat Pay.
    pub wechat_merchant_serial: String,
    /// Id of WeChat Pay's public key, `PUB_KEY_ID_…`.
    pub wechat_public_key_id: String,
    /// Alipay's `app_id`.
    pub alipay_app: String,
    /// Alipay's `seller_id`.
    pub alipay_seller: String,
    /// The merchant at the webhook provider.
    pub webhook_merchant: String,
}

/// WeChat Pay's keys.
#[derive(Debug)]
pub struct WechatKeys {
    /// Verifies the merchant's requests.
    pub merchant: PublicKey,
    /// The merchant's own key, for tests that speak as the shop.
    pub merchant_key: SigningKey,
    /// Signs as the public key whose id [`Names::wechat_public_key_id`] is.
    pub platform: SigningKey,
    /// Signs as the platform certificate.
    pub certificate: SigningKey,
    /// Serial number of the platform certificate: 40 upper-case hexadecimal digits.
    pub certificate_serial: String,
    /// The APIv3 key that seals what notifications carry.
    pub api_v3: ApiV3Key,
}

/// Alipay's keys.
#[derive(Debug)]
pub struct AlipayKeys {
    /// Verifies the application's requests.
    pub app: PublicKey,
    /// The application's own key, for tests that speak as the shop.
    pub app_key: SigningKey,
    /// Signs answers and notifications.
    pub alipay: SigningKey,
}

/// The APIv3 key, 32 bytes.
pub struct ApiV3Key(pub [u8; 32]);

impl std::fmt::Debug for ApiV3Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ApiV3Key(not shown)")
    }
}

impl SandboxKeys {
    /// Reads the keys in `DATA_DIR/sandbox`, making those that are not there yet.
    pub fn open(data_dir: &Path) -> anyhow::Result<Self> {
        let directory = KeptDirectory::open(&data_dir.join("sandbox"))?;
        let names =
            serde_json::from_str(&directory.keep(Kept::Names, || Ok(serde_json::to_string_pretty(&new_names())?))?)
                .context("the sandbox's merchants.json cannot be read")?;
        let wechat = WechatKeys::open(&directory)?;
        let alipay = AlipayKeys::open(&directory)?;
        let secrets = directory.keep(Kept::WebhookSecrets, || Ok(new_secret() + "\n"))?;
        let webhook: Vec<Secret> = secrets
            .lines()
            .map(|line| Secret::parse(line.trim()).map_err(|error| anyhow!("the sandbox's webhook secrets: {error}")))
            .collect::<anyhow::Result<_>>()?;
        anyhow::ensure!(!webhook.is_empty(), "the sandbox's webhook secrets are gone");
        Ok(Self {
            names,
            wechat,
            alipay,
            webhook,
            directory,
        })
    }

    /// What a shop needs to use this gateway: `server` is the gateway as the shop reaches it, `browser` as the buyer's browser does,
    /// both without a slash at the end; `notify_url` is where the gateway reaches the shop.
    pub fn channel_options(&self, server: &str, browser: &str, notify_url: &str) -> ChannelOptions {
        let file = |kept| Some(self.directory.path(kept).display().to_string());
        let names = self.names.clone();
        let platform_keys = format!(
            "{}={},{}",
            names.wechat_public_key_id,
            self.directory.path(Kept::WechatPlatformPublic).display(),
            self.directory.path(Kept::WechatCertificate).display()
        );
        ChannelOptions {
            notify_url: Some(notify_url.to_owned()),
            wechat_api: Some(format!("{server}/wechat")),
            wechat_merchant: Some(names.wechat_merchant),
            wechat_app: Some(names.wechat_app),
            wechat_merchant_serial: Some(names.wechat_merchant_serial),
            wechat_merchant_key: file(Kept::WechatMerchant),
            wechat_api_v3_key: file(Kept::WechatApiV3),
            wechat_platform_keys: Some(platform_keys),
            alipay_gateway: Some(format!("{server}/alipay/gateway.do")),
            alipay_page_gateway: Some(format!("{browser}/alipay/gateway.do")),
            alipay_app: Some(names.alipay_app),
            alipay_seller: Some(names.alipay_seller),
            alipay_app_key: file(Kept::AlipayApp),
            alipay_public_key: file(Kept::AlipayPublic),
            webhook_api: Some(format!("{server}/webhook")),
            webhook_merchant: Some(names.webhook_merchant),
            webhook_secrets: file(Kept::WebhookSecrets),
        }
    }
}

impl WechatKeys {
    fn open(directory: &KeptDirectory) -> anyhow::Result<Self> {
        let merchant_key = signing_key(directory, Kept::WechatMerchant)?;
        let platform = signing_key(directory, Kept::WechatPlatform)?;
        public_half(directory, Kept::WechatPlatform, Kept::WechatPlatformPublic, public_pem)?;
        let certificate = signing_key(directory, Kept::WechatCertificateKey)?;
        let private = directory.read(Kept::WechatCertificateKey)?;
        let pem = directory.keep(Kept::WechatCertificate, || new_certificate(&private))?;
        let (_, serial) = PublicKey::from_pem(&pem).map_err(|error| anyhow!("the platform certificate {error}"))?;
        let api_v3 = directory.keep(Kept::WechatApiV3, || Ok(random_text(32, ALPHANUMERIC)))?;
        let api_v3 = api_v3
            .trim()
            .as_bytes()
            .try_into()
            .map_err(|_| anyhow!("the APIv3 key has not 32 characters"))?;
        Ok(Self {
            merchant: merchant_key.public_key(),
            merchant_key,
            platform,
            certificate,
            certificate_serial: serial.context("the platform certificate has no serial number")?,
            api_v3: ApiV3Key(api_v3),
        })
    }
}

impl AlipayKeys {
    fn open(directory: &KeptDirectory) -> anyhow::Result<Self> {
        let app_key = signing_key(directory, Kept::AlipayApp)?;
        let alipay = signing_key(directory, Kept::Alipay)?;
        // Bare Base64, as Alipay shows it.
        public_half(directory, Kept::Alipay, Kept::AlipayPublic, |pair| {
            Ok(STANDARD.encode(public_der(pair)?))
        })?;
        Ok(Self {
            app: app_key.public_key(),
            app_key,
            alipay,
        })
    }
}

fn signing_key(directory: &KeptDirectory, kept: Kept) -> anyhow::Result<SigningKey> {
    let pem = directory.keep(kept, new_private_key)?;
    SigningKey::from_pem(&pem).map_err(|error| anyhow!("{} {error}", directory.path(kept).display()))
}

/// Writes the public half of a private key that is there already.
fn public_half(
    directory: &KeptDirectory,
    private: Kept,
    public: Kept,
    write: impl FnOnce(&KeyPair) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    let pem = directory.read(private)?;
    let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes())?;
    let pair = KeyPair::from_pkcs8(der.secret_pkcs8_der()).map_err(|error| anyhow!("a sandbox key: {error}"))?;
    directory.keep(public, || write(&pair)).map(|_| ())
}

fn new_private_key() -> anyhow::Result<String> {
    let pair = KeyPair::generate(KeySize::Rsa2048).context("an RSA key could not be made")?;
    let der = pair.as_der().context("an RSA key could not be written")?;
    Ok(pem("PRIVATE KEY", der.as_ref()))
}

fn public_der(pair: &KeyPair) -> anyhow::Result<Vec<u8>> {
    use aws_lc_rs::signature::KeyPair as _;
    let public = pair.public_key();
    let der = public.as_der().context("a public key could not be written")?;
    Ok(der.as_ref().to_vec())
}

fn public_pem(pair: &KeyPair) -> anyhow::Result<String> {
    Ok(pem("PUBLIC KEY", &public_der(pair)?))
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let lines = text.as_bytes().chunks(64).map(String::from_utf8_lossy);
    let mut pem = format!("-----BEGIN {label}-----\n");
    for line in lines {
        let _ = writeln!(pem, "{line}");
    }
    let _ = writeln!(pem, "-----END {label}-----");
    pem
}

fn new_certificate(private_pem: &str) -> anyhow::Result<String> {
    let key = rcgen::KeyPair::from_pem_and_sign_algo(private_pem, &rcgen::PKCS_RSA_SHA256)?;
    let mut parameters = rcgen::CertificateParams::new(Vec::new())?;
    parameters.distinguished_name = rcgen::DistinguishedName::new();
    parameters.distinguished_name.push(
        rcgen::DnType::CommonName,
        "Oncemart sandbox gateway, stands for Tenpay.com sign",
    );
    let mut serial = rand::random::<[u8; 20]>();
    // Positive and without a zero in front, so that its 40 digits are the same in every notation.
    serial[0] = (serial[0] & 0x3f) | 0x40;
    parameters.serial_number = Some(rcgen::SerialNumber::from_slice(&serial));
    Ok(parameters.self_signed(&key)?.pem())
}

const DIGITS: &[u8] = b"0123456789";
const UPPER_HEX: &[u8] = b"0123456789ABCDEF";
const LOWER_HEX: &[u8] = b"0123456789abcdef";
const ALPHANUMERIC: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Random characters out of a set; even, because a byte that would favour some of them is drawn again.
fn random_text(length: usize, set: &[u8]) -> String {
    let usable = 256 - 256 % set.len();
    std::iter::repeat_with(rand::random::<u8>)
        .map(usize::from)
        .filter(|byte| *byte < usable)
        .map(|byte| char::from(set[byte % set.len()]))
        .take(length)
        .collect()
}

fn new_names() -> Names {
    Names {
        wechat_merchant: format!("19{}", random_text(8, DIGITS)),
        wechat_app: format!("wx{}", random_text(16, LOWER_HEX)),
        wechat_merchant_serial: format!("5{}", random_text(39, UPPER_HEX)),
        wechat_public_key_id: format!("PUB_KEY_ID_01{}", random_text(30, DIGITS)),
        alipay_app: format!("9021{}", random_text(12, DIGITS)),
        alipay_seller: format!("2088{}", random_text(12, DIGITS)),
        webhook_merchant: format!("merchant_{}", random_text(12, LOWER_HEX)),
    }
}

fn new_secret() -> String {
    format!("whsec_{}", STANDARD.encode(rand::random::<[u8; 32]>()))
}

#[cfg(test)]
pub(in crate::sandbox) mod tests;
