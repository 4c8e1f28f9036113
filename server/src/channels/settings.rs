//! The settings of the payment channels, as given. A channel is open when its settings are there; half of them stop the start.
//!
//! The sandbox gateway hands out the same settings for its own keys, so going live is nothing but other values.

use clap::Args;

/// The settings as given. Every key stands in a file of its own in PEM, as the providers hand them out.
#[derive(Args, Clone, Debug, Default)]
pub struct ChannelOptions {
    /// Where the providers reach this shop, `https://HOST`; the callbacks' addresses begin with it [default: the public URL]
    #[arg(long, global = true, env = "ONCEMART_NOTIFY_URL", value_name = "URL")]
    pub notify_url: Option<String>,

    /// WeChat Pay: where its API is [default: `https://api.mch.weixin.qq.com`]
    #[arg(long, global = true, env = "ONCEMART_WECHAT_API", value_name = "URL")]
    pub wechat_api: Option<String>,
    /// WeChat Pay: the merchant's number (mchid)
    #[arg(long, global = true, env = "ONCEMART_WECHAT_MERCHANT", value_name = "MCHID")]
    pub wechat_merchant: Option<String>,
    /// WeChat Pay: the application (appid)
    #[arg(long, global = true, env = "ONCEMART_WECHAT_APP", value_name = "APPID")]
    pub wechat_app: Option<String>,
    /// WeChat Pay: serial number of the merchant's certificate
    #[arg(long, global = true, env = "ONCEMART_WECHAT_MERCHANT_SERIAL", value_name = "SERIAL")]
    pub wechat_merchant_serial: Option<String>,
    /// WeChat Pay: file with the merchant's private key (`apiclient_key.pem`)
    #[arg(long, global = true, env = "ONCEMART_WECHAT_MERCHANT_KEY", value_name = "FILE")]
    pub wechat_merchant_key: Option<String>,
    /// WeChat Pay: file with the `APIv3` key, 32 characters
    #[arg(long, global = true, env = "ONCEMART_WECHAT_API_V3_KEY", value_name = "FILE")]
    pub wechat_api_v3_key: Option<String>,
    /// WeChat Pay: what its signatures are verified with, separated by commas: FILE of a platform certificate, or
    /// `PUB_KEY_ID_…=FILE` of a public key; all are accepted at once
    #[arg(long, global = true, env = "ONCEMART_WECHAT_PLATFORM_KEYS", value_name = "KEYS")]
    pub wechat_platform_keys: Option<String>,

    /// Alipay: its gateway [default: `https://openapi.alipay.com/gateway.do`]
    #[arg(long, global = true, env = "ONCEMART_ALIPAY_GATEWAY", value_name = "URL")]
    pub alipay_gateway: Option<String>,
    /// Alipay: the gateway as the buyer's browser reaches it, if that is another address [default: the gateway]
    #[arg(long, global = true, env = "ONCEMART_ALIPAY_PAGE_GATEWAY", value_name = "URL")]
    pub alipay_page_gateway: Option<String>,
    /// Alipay: the application (`app_id`)
    #[arg(long, global = true, env = "ONCEMART_ALIPAY_APP", value_name = "APP_ID")]
    pub alipay_app: Option<String>,
    /// Alipay: who receives the money (`seller_id`)
    #[arg(long, global = true, env = "ONCEMART_ALIPAY_SELLER", value_name = "SELLER_ID")]
    pub alipay_seller: Option<String>,
    /// Alipay: file with the application's private key
    #[arg(long, global = true, env = "ONCEMART_ALIPAY_APP_KEY", value_name = "FILE")]
    pub alipay_app_key: Option<String>,
    /// Alipay: file with Alipay's public key, in PEM or as the bare Base64 that Alipay shows
    #[arg(long, global = true, env = "ONCEMART_ALIPAY_PUBLIC_KEY", value_name = "FILE")]
    pub alipay_public_key: Option<String>,

    /// Standard Webhooks: where the provider's API is
    #[arg(long, global = true, env = "ONCEMART_WEBHOOK_API", value_name = "URL")]
    pub webhook_api: Option<String>,
    /// Standard Webhooks: the merchant
    #[arg(long, global = true, env = "ONCEMART_WEBHOOK_MERCHANT", value_name = "MERCHANT")]
    pub webhook_merchant: Option<String>,
    /// Standard Webhooks: file with the secrets (whsec_…), one a line; the first signs our requests, all verify
    #[arg(long, global = true, env = "ONCEMART_WEBHOOK_SECRETS", value_name = "FILE")]
    pub webhook_secrets: Option<String>,
}
