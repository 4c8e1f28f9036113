use super::*;
use clap::Parser;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    options: Options,
}

fn settings(arguments: &[&str]) -> Result<Settings, String> {
    let directory = tempfile::tempdir().unwrap();
    let data_dir = directory.path().to_str().unwrap().to_owned();
    let all = ["oncemart", "--data-dir", &data_dir]
        .into_iter()
        .chain(arguments.iter().copied());
    Program::try_parse_from(all)
        .map_err(|error| error.to_string())?
        .options
        .try_into()
}

#[test]
fn nothing_needs_to_be_set_for_the_embedded_default() {
    let settings = settings(&[]).unwrap();
    assert_eq!(settings.store.dialect, Dialect::Sqlite);
    assert_eq!(settings.public_host(), None);
    assert_eq!(settings.api_clients[0].name, "demo");
    assert!(!settings.is_https());
}

#[test]
fn generated_keys_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("signing-keys");
    assert_eq!(kept_keys(&file).unwrap(), kept_keys(&file).unwrap());
}

#[test]
fn production_has_no_default_keys_and_no_demo_client() {
    let error = settings(&["--database-url", "postgres://localhost/shop"]).unwrap_err();
    assert!(error.contains("ONCEMART_SIGNING_KEYS"), "{error}");
    let keys = SigningKeys::generate();
    let settings = settings(&["--database-url", "postgres://localhost/shop", "--signing-keys", &keys]).unwrap();
    assert!(settings.api_clients.is_empty());
}

#[test]
fn a_wrong_value_says_what_to_change() {
    for (arguments, name) in [
        (["--database-url", "mysql://x"], "DATABASE_URL"),
        (["--public-url", "shop"], "ONCEMART_PUBLIC_URL"),
        (["--public-url", "https://shop.example/path"], "ONCEMART_PUBLIC_URL"),
        (["--redis-url", "localhost"], "REDIS_URL"),
        (["--signing-keys", "short"], "ONCEMART_SIGNING_KEYS"),
        (["--api-clients", "demo"], "ONCEMART_API_CLIENTS"),
        (["--api-clients", "a=b,c=b"], "ONCEMART_API_CLIENTS"),
        (["--database-url", "sqlite::memory:"], "DATABASE_URL"),
        (["--site-root", "/nowhere/at/all"], "ONCEMART_SITE_ROOT"),
        (["--fault", "x:abort"], "ONCEMART_FAULT"),
    ] {
        let error = settings(&arguments).unwrap_err();
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn no_secret_is_shown_when_settings_are_printed() {
    let keys = SigningKeys::generate();
    let settings = settings(&["--signing-keys", &keys, "--api-clients", "shop=sesame"]).unwrap();
    let printed = format!("{settings:?} {:?}", settings.signing_keys);
    assert!(!printed.contains("sesame") && !printed.contains(&keys));
}
