//! The keys stay, fit together and are private.

use super::*;
use std::sync::LazyLock;
use tempfile::TempDir;

/// A data directory with keys in it. All tests have the same ones: making them takes longer than any test.
pub fn directory_with_keys() -> TempDir {
    static KEYS: LazyLock<TempDir> = LazyLock::new(|| {
        let directory = tempfile::tempdir().unwrap();
        SandboxKeys::open(directory.path()).unwrap();
        directory
    });
    let directory = tempfile::tempdir().unwrap();
    let (from, to) = (KEYS.path().join("sandbox"), directory.path().join("sandbox"));
    std::fs::create_dir(&to).unwrap();
    for file in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
    directory
}

#[test]
fn keys_survive_a_restart_and_differ_between_directories() {
    let directory = tempfile::tempdir().unwrap();
    let first = SandboxKeys::open(directory.path()).unwrap();
    let again = SandboxKeys::open(directory.path()).unwrap();
    assert_eq!(first.names.wechat_merchant, again.names.wechat_merchant);
    assert_eq!(first.wechat.merchant, again.wechat.merchant);
    assert_eq!(first.wechat.certificate_serial, again.wechat.certificate_serial);
    assert_eq!(first.wechat.certificate_serial.len(), 40);
    assert_eq!(first.webhook, again.webhook);

    let elsewhere = tempfile::tempdir().unwrap();
    let other = SandboxKeys::open(elsewhere.path()).unwrap();
    assert_ne!(first.names.wechat_merchant, other.names.wechat_merchant);
    assert_ne!(first.alipay.app, other.alipay.app);
}

#[test]
fn what_the_shop_is_given_verifies_what_the_gateway_signs() {
    let directory = directory_with_keys();
    let keys = SandboxKeys::open(directory.path()).unwrap();
    let options = keys.channel_options("http://gateway/sandbox", "http://browser/sandbox", "http://shop");
    let read = |file: Option<String>| std::fs::read_to_string(file.unwrap()).unwrap();

    let platform = options.wechat_platform_keys.unwrap();
    let (named, certificate) = platform.split_once(',').unwrap();
    let (id, public) = named.split_once('=').unwrap();
    assert!(id.starts_with("PUB_KEY_ID_"));
    let (public, serial) = PublicKey::from_pem(&read(Some(public.to_owned()))).unwrap();
    assert_eq!(serial, None);
    assert!(public.verifies(b"m", &keys.wechat.platform.sign(b"m").unwrap()));
    let (certificate, serial) = PublicKey::from_pem(&read(Some(certificate.to_owned()))).unwrap();
    assert_eq!(serial.as_ref(), Some(&keys.wechat.certificate_serial));
    assert!(certificate.verifies(b"m", &keys.wechat.certificate.sign(b"m").unwrap()));

    let alipay = PublicKey::from_der(&STANDARD.decode(read(options.alipay_public_key)).unwrap());
    assert!(alipay.verifies(b"m", &keys.alipay.alipay.sign(b"m").unwrap()));
    let app = SigningKey::from_pem(&read(options.alipay_app_key)).unwrap();
    assert!(keys.alipay.app.verifies(b"m", &app.sign(b"m").unwrap()));
    assert_eq!(read(options.wechat_api_v3_key).len(), 32);
    assert_eq!(
        options.alipay_page_gateway.as_deref(),
        Some("http://browser/sandbox/alipay/gateway.do")
    );
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_the_keys() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    SandboxKeys::open(directory.path()).unwrap();
    let files: Vec<_> = std::fs::read_dir(directory.path().join("sandbox")).unwrap().collect();
    assert_eq!(files.len(), 11, "and no draft is left");
    for file in files {
        assert_eq!(file.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
