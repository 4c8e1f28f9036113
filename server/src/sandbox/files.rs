//! Files that are written once and then only read: the sandbox's keys.

use anyhow::Context as _;
use std::{
    fs,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
};

/// The files, by what they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Names of the merchants.
    Names,
    /// The merchant's private key at WeChat Pay.
    WechatMerchant,
    /// WeChat Pay's private key whose public half has a `PUB_KEY_ID_…`.
    WechatPlatform,
    /// That public half.
    WechatPlatformPublic,
    /// Private key of WeChat Pay's platform certificate.
    WechatCertificateKey,
    /// WeChat Pay's platform certificate.
    WechatCertificate,
    /// The APIv3 key.
    WechatApiV3,
    /// The application's private key at Alipay.
    AlipayApp,
    /// Alipay's private key.
    Alipay,
    /// Alipay's public key.
    AlipayPublic,
    /// The webhook secrets, one a line.
    WebhookSecrets,
}

impl Kept {
    fn file_name(self) -> &'static str {
        match self {
            Self::Names => "merchants.json",
            Self::WechatMerchant => "wechat_apiclient_key.pem",
            Self::WechatPlatform => "wechat_provider_private_key.pem",
            Self::WechatPlatformPublic => "wechat_pub_key.pem",
            Self::WechatCertificateKey => "wechat_provider_certificate_key.pem",
            Self::WechatCertificate => "wechat_platform_certificate.pem",
            Self::WechatApiV3 => "wechat_api_v3_key.txt",
            Self::AlipayApp => "alipay_app_private_key.pem",
            Self::Alipay => "alipay_provider_private_key.pem",
            Self::AlipayPublic => "alipay_public_key.txt",
            Self::WebhookSecrets => "webhook_secrets.txt",
        }
    }
}

/// The directory that holds them.
#[derive(Clone, Debug)]
pub struct KeptDirectory(PathBuf);

impl KeptDirectory {
    /// Makes the directory if it is not there.
    pub fn open(directory: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(directory)
            .and_then(|()| directory.canonicalize())
            .map(Self)
            .with_context(|| format!("the sandbox's directory {} cannot be made", directory.display()))
    }

    /// Where a file is; absolute, so that the settings work from every directory.
    pub fn path(&self, kept: Kept) -> PathBuf {
        self.0.join(kept.file_name())
    }

    /// Reads a file that is there.
    pub fn read(&self, kept: Kept) -> anyhow::Result<String> {
        let path = self.path(kept);
        fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))
    }

    /// Reads a file, making it first if it is not there.
    pub fn keep(&self, kept: Kept, make: impl FnOnce() -> anyhow::Result<String>) -> anyhow::Result<String> {
        let path = self.path(kept);
        if !path.exists() {
            self.write_once(&path, &make()?)
                .with_context(|| format!("{} cannot be written", path.display()))?;
        }
        self.read(kept)
    }

    /// Appears complete or not at all, and never over another: two processes may start at once on one directory.
    fn write_once(&self, path: &Path, text: &str) -> std::io::Result<()> {
        let draft = self.0.join(format!(".{}", uuid::Uuid::new_v4().simple()));
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&draft)?;
        let linked = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::hard_link(&draft, path));
        fs::remove_file(&draft)?;
        match linked {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    }
}
