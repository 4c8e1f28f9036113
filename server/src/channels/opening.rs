//! From settings to open channels: files are read, keys parsed and addresses checked once, at the start.

use super::{
    Channel, ChannelId,
    alipay::{self, Alipay},
    crypto::{PublicKey, SigningKey},
    http::Http,
    settings::ChannelOptions,
    standard_webhooks::{self, Secret, StandardWebhooks},
    wechat::{self, ApiV3Key, Wechat, platform_keys::PlatformKeys},
};
use crate::clock::Clock;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use std::{collections::BTreeMap, fmt, fs, sync::Arc, time::Duration};
use url::Url;

/// Where WeChat Pay's API is in earnest.
pub const WECHAT_API: &str = "https://api.mch.weixin.qq.com";

/// Where Alipay's gateway is in earnest.
pub const ALIPAY_GATEWAY: &str = "https://openapi.alipay.com/gateway.do";

/// The channels that are open, in the order in which buyers see them.
#[derive(Clone, Default)]
pub struct Channels(BTreeMap<ChannelId, Arc<dyn Channel>>);

impl fmt::Debug for Channels {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let merchants = self.iter().map(|channel| (channel.id(), channel.merchant()));
        formatter.debug_map().entries(merchants).finish()
    }
}

impl Channels {
    /// No channel at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// These channels; of two of one kind, the later.
    pub fn of(channels: impl IntoIterator<Item = Arc<dyn Channel>>) -> Self {
        Self(channels.into_iter().map(|channel| (channel.id(), channel)).collect())
    }

    /// The channel of a protocol, if it is open.
    pub fn get(&self, id: ChannelId) -> Option<Arc<dyn Channel>> {
        self.0.get(&id).cloned()
    }

    /// Every open channel.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Channel>> {
        self.0.values()
    }

    /// Whether none is open.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What every channel is opened with.
struct Opening<'a> {
    callbacks: &'a str,
    clock: Clock,
    timeout: Duration,
}

impl Opening<'_> {
    fn notify_url(&self, id: ChannelId) -> String {
        format!("{}/callbacks/{id}", self.callbacks)
    }

    fn http(&self, name: &str, base: &Url) -> Result<Http, String> {
        Http::new(base, self.timeout).map_err(|error| format!("{name}: {error}"))
    }
}

/// A setting: its name in the environment, and its value.
type Setting<'a> = (&'static str, &'a Option<String>);

impl ChannelOptions {
    /// Opens every channel whose settings are there. Callbacks come to `notify_url`, else to the public URL, which is the default.
    /// No call to a provider takes longer than `timeout`.
    pub fn open(&self, public_url: Option<&str>, clock: Clock, timeout: Duration) -> Result<Channels, String> {
        if !self.is_any_given() {
            return Ok(Channels::none());
        }
        let callbacks = match (&self.notify_url, public_url) {
            (Some(url), _) => base("ONCEMART_NOTIFY_URL", url)?,
            (None, Some(url)) => base("ONCEMART_PUBLIC_URL", url)?,
            (None, None) => {
                return Err(
                    "ONCEMART_NOTIFY_URL: payment channels are given, so say where the providers reach this shop, \
                            as https://HOST"
                        .to_owned(),
                );
            }
        };
        let opening = Opening {
            callbacks: text_of(&callbacks),
            clock,
            timeout,
        };
        let mut channels: Vec<Arc<dyn Channel>> = Vec::new();
        if let Some(channel) = self.wechat(&opening)? {
            channels.push(Arc::new(channel));
        }
        if let Some(channel) = self.alipay(&opening)? {
            channels.push(Arc::new(channel));
        }
        if let Some(channel) = self.webhook(&opening)? {
            channels.push(Arc::new(channel));
        }
        Ok(Channels::of(channels))
    }

    /// Whether a setting of any channel is given. Where callbacks come to is no channel.
    pub fn is_any_given(&self) -> bool {
        let optional = [&self.wechat_api, &self.alipay_gateway, &self.alipay_page_gateway];
        let needed = [
            &self.wechat_settings()[..],
            &self.alipay_settings(),
            &self.webhook_settings(),
        ]
        .concat();
        optional
            .into_iter()
            .chain(needed.into_iter().map(|(_, value)| value))
            .any(Option::is_some)
    }

    fn wechat_settings(&self) -> [Setting<'_>; 6] {
        [
            ("ONCEMART_WECHAT_MERCHANT", &self.wechat_merchant),
            ("ONCEMART_WECHAT_APP", &self.wechat_app),
            ("ONCEMART_WECHAT_MERCHANT_SERIAL", &self.wechat_merchant_serial),
            ("ONCEMART_WECHAT_MERCHANT_KEY", &self.wechat_merchant_key),
            ("ONCEMART_WECHAT_API_V3_KEY", &self.wechat_api_v3_key),
            ("ONCEMART_WECHAT_PLATFORM_KEYS", &self.wechat_platform_keys),
        ]
    }

    fn alipay_settings(&self) -> [Setting<'_>; 4] {
        [
            ("ONCEMART_ALIPAY_APP", &self.alipay_app),
            ("ONCEMART_ALIPAY_SELLER", &self.alipay_seller),
            ("ONCEMART_ALIPAY_APP_KEY", &self.alipay_app_key),
            ("ONCEMART_ALIPAY_PUBLIC_KEY", &self.alipay_public_key),
        ]
    }

    fn webhook_settings(&self) -> [Setting<'_>; 3] {
        [
            ("ONCEMART_WEBHOOK_API", &self.webhook_api),
            ("ONCEMART_WEBHOOK_MERCHANT", &self.webhook_merchant),
            ("ONCEMART_WEBHOOK_SECRETS", &self.webhook_secrets),
        ]
    }

    fn wechat(&self, opening: &Opening<'_>) -> Result<Option<Wechat>, String> {
        let Some([mchid, appid, serial, key, api_v3_key, platform_keys]) =
            all_or_none("WeChat Pay", self.wechat_settings(), self.wechat_api.is_some())?
        else {
            return Ok(None);
        };
        let name = "ONCEMART_WECHAT_API";
        let api = base(name, self.wechat_api.as_deref().unwrap_or(WECHAT_API))?;
        let account = wechat::Account {
            mchid: mchid.to_owned(),
            appid: appid.to_owned(),
            serial: serial.to_owned(),
            key: from_file("ONCEMART_WECHAT_MERCHANT_KEY", key, SigningKey::from_pem)?,
            api_v3_key: from_file("ONCEMART_WECHAT_API_V3_KEY", api_v3_key, |text| {
                ApiV3Key::parse(text.trim())
            })?,
            platform_keys: platform_keys_of(platform_keys)?,
        };
        let http = opening.http(name, &api)?;
        let notify_url = opening.notify_url(ChannelId::Wechat);
        let api = text_of(&api).to_owned();
        Ok(Some(Wechat::new(account, api, notify_url, http, opening.clock)))
    }

    fn alipay(&self, opening: &Opening<'_>) -> Result<Option<Alipay>, String> {
        let gateways_given = self.alipay_gateway.is_some() || self.alipay_page_gateway.is_some();
        let Some([app_id, seller_id, key, alipay_key]) = all_or_none("Alipay", self.alipay_settings(), gateways_given)?
        else {
            return Ok(None);
        };
        let name = "ONCEMART_ALIPAY_GATEWAY";
        let gateway = base(name, self.alipay_gateway.as_deref().unwrap_or(ALIPAY_GATEWAY))?;
        let page_gateway = match &self.alipay_page_gateway {
            Some(url) => base("ONCEMART_ALIPAY_PAGE_GATEWAY", url)?,
            None => gateway.clone(),
        };
        let account = alipay::Account {
            app_id: app_id.to_owned(),
            seller_id: seller_id.to_owned(),
            key: from_file("ONCEMART_ALIPAY_APP_KEY", key, alipay_signing_key)?,
            alipay_key: from_file("ONCEMART_ALIPAY_PUBLIC_KEY", alipay_key, alipay_public_key)?,
        };
        let http = opening.http(name, &gateway)?;
        let addresses = alipay::Addresses {
            gateway,
            page_gateway,
            notify_url: opening.notify_url(ChannelId::Alipay),
        };
        Ok(Some(Alipay::new(account, addresses, http, opening.clock)))
    }

    fn webhook(&self, opening: &Opening<'_>) -> Result<Option<StandardWebhooks>, String> {
        let Some([api, merchant, secrets]) = all_or_none("Standard Webhooks", self.webhook_settings(), false)? else {
            return Ok(None);
        };
        let name = "ONCEMART_WEBHOOK_API";
        let api = base(name, api)?;
        let account = standard_webhooks::Account {
            merchant: merchant.to_owned(),
            secrets: from_file("ONCEMART_WEBHOOK_SECRETS", secrets, secrets_of)?,
        };
        let http = opening.http(name, &api)?;
        let notify_url = opening.notify_url(ChannelId::Webhook);
        let api = text_of(&api).to_owned();
        Ok(Some(StandardWebhooks::new(
            account,
            api,
            notify_url,
            http,
            opening.clock,
        )))
    }
}

/// The values, if all are given; none if none is. What is in between stops the start, because a shop that silently lacks a channel
/// is found by its buyers.
fn all_or_none<'a, const COUNT: usize>(
    channel: &str,
    settings: [Setting<'a>; COUNT],
    is_begun: bool,
) -> Result<Option<[&'a str; COUNT]>, String> {
    let given = |value: &'a Option<String>| value.as_deref().map(str::trim).filter(|value| !value.is_empty());
    if !is_begun && settings.iter().all(|(_, value)| value.is_none()) {
        return Ok(None);
    }
    if let Some((missing, _)) = settings.iter().find(|(_, value)| given(value).is_none()) {
        return Err(format!(
            "{missing}: other settings of {channel} are given, so give this one too, or none of them to leave the channel out"
        ));
    }
    Ok(Some(settings.map(|(_, value)| given(value).unwrap_or_default())))
}

/// Reads an address: http or https, with neither query nor user.
fn base(name: &str, text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    });
    url.ok_or_else(|| format!("{name}: write the address as https://HOST or https://HOST/PATH, with nothing behind it"))
}

/// An address without a slash at its end, so that a path can follow.
fn text_of(url: &Url) -> &str {
    url.as_str().trim_end_matches('/')
}

/// Reads a file and what is in it. The error names the setting and the file, never what the file holds.
fn from_file<T>(name: &str, file: &str, parse: impl FnOnce(&str) -> Result<T, String>) -> Result<T, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{name}: the file {file} cannot be read: {error}"))?;
    parse(&text).map_err(|error| format!("{name}: the file {file} {error}"))
}

fn usable(key: PublicKey) -> Result<PublicKey, String> {
    if key.is_usable() {
        Ok(key)
    } else {
        Err("holds a public key that is not an RSA key of 2048 bits or more".to_owned())
    }
}

fn platform_keys_of(entries: &str) -> Result<PlatformKeys, String> {
    const NAME: &str = "ONCEMART_WECHAT_PLATFORM_KEYS";
    let mut keys = PlatformKeys::default();
    for entry in entries.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        let (id, file) = match entry.split_once('=') {
            Some((id, file)) if PlatformKeys::is_public_key_id(id) => (Some(id), file),
            _ => (None, entry),
        };
        let (key, serial) = from_file(NAME, file, |text| {
            let (key, serial) = PublicKey::from_pem(text)?;
            Ok((usable(key)?, serial))
        })?;
        let serial = id.map(str::to_owned).or(serial).ok_or_else(|| {
            format!("{NAME}: the file {file} holds a public key; write its id before it, as PUB_KEY_ID_…={file}")
        })?;
        keys.add(&serial, key).map_err(|error| format!("{NAME}: {error}"))?;
    }
    if keys.is_empty() {
        return Err(format!("{NAME}: name at least one file"));
    }
    Ok(keys)
}

/// Alipay's tool writes keys as bare Base64, PKCS #8 or PKCS #1, which is PEM without its frame.
fn alipay_signing_key(text: &str) -> Result<SigningKey, String> {
    if text.contains("-----BEGIN") {
        return SigningKey::from_pem(text);
    }
    let framed = |kind: &str| format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", text.trim());
    SigningKey::from_pem(&framed("PRIVATE KEY")).or_else(|_| SigningKey::from_pem(&framed("RSA PRIVATE KEY")))
}

fn alipay_public_key(text: &str) -> Result<PublicKey, String> {
    if text.contains("-----BEGIN") {
        return usable(PublicKey::from_pem(text)?.0);
    }
    let base64: String = text.split_whitespace().collect();
    let der = STANDARD.decode(base64);
    let der = der.map_err(|_| "holds neither PEM nor the Base64 of a public key".to_owned())?;
    usable(PublicKey::from_der(&der))
}

fn secrets_of(text: &str) -> Result<Vec<Secret>, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let secrets = lines.map(Secret::parse).collect::<Result<Vec<_>, _>>();
    let secrets = secrets.map_err(|error| format!("is unusable: {error}"))?;
    if secrets.is_empty() {
        return Err("holds no secret; write one a line, as whsec_ and Base64".to_owned());
    }
    Ok(secrets)
}

#[cfg(test)]
mod tests;
