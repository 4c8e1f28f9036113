//! `oncemart sandbox serve | settings | notify`.

mod notify;

use super::{Addresses, Gateway, GatewaySettings, keys::SandboxKeys};
use crate::{
    channels::settings::ChannelOptions,
    config::{self, Options, StoreSettings},
    serve,
};
use anyhow::Context as _;
use axum::{
    Router,
    http::{HeaderName, HeaderValue},
};
use clap::Subcommand;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::{services::ServeDir, set_header::SetResponseHeaderLayer};

pub use notify::NotifyArguments;

/// What can be done with the gateway.
#[derive(Debug, Subcommand)]
pub enum SandboxCommand {
    /// Serves a gateway of its own, apart from any shop, with the keys in the data directory
    Serve,
    /// Prints the settings that a shop needs to use the gateway, as NAME=value lines for a file that `ONCEMART_CONFIG` names
    Settings {
        /// Address of a gateway that is served alone [default: the one that a shop in sandbox mode serves itself, at /sandbox]
        #[arg(long, value_name = "URL")]
        gateway: Option<String>,
    },
    /// Sends a notification as a provider would, signed with the keys in the data directory
    Notify(NotifyArguments),
}

/// Runs a command.
pub async fn run(command: SandboxCommand, options: &Options) -> anyhow::Result<()> {
    match command {
        SandboxCommand::Serve => serve_alone(options).await,
        SandboxCommand::Settings { gateway } => {
            let keys = SandboxKeys::open(&options.data_dir)?;
            println!("ONCEMART_SANDBOX=false");
            print!("{}", settings_file(&settings(&keys, options, gateway.as_deref())));
            Ok(())
        }
        SandboxCommand::Notify(arguments) => notify::run(&arguments, options).await,
    }
}

async fn serve_alone(options: &Options) -> anyhow::Result<()> {
    serve::start_logging();
    let store = StoreSettings::try_from(options).map_err(anyhow::Error::msg)?;
    let site_root = config::checked_site_root(options.site_root.clone()).map_err(anyhow::Error::msg)?;
    let settings = GatewaySettings {
        clock: store.clock,
        gap_scale: options.sandbox_gap_scale,
        leptos: serve::leptos_options(&site_root),
    };
    let gateway = Gateway::open(&options.data_dir, settings).await?;
    let listener = TcpListener::bind(options.addr)
        .await
        .with_context(|| format!("ONCEMART_ADDR: {} cannot be listened on", options.addr))?;
    let server = format!("http://{}", listener.local_addr()?);
    let browser = options
        .public_url
        .as_deref()
        .unwrap_or(&server)
        .trim_end_matches('/')
        .to_owned();
    gateway.set_addresses(Addresses {
        server,
        browser: browser.clone(),
    });
    let header = |name: &'static str, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(HeaderName::from_static(name), HeaderValue::from_static(value))
    };
    let router: Router = gateway
        .router()
        .fallback_service(ServeDir::new(&site_root).append_index_html_on_directories(false))
        .layer(header("x-content-type-options", "nosniff"))
        .layer(header("referrer-policy", "same-origin"))
        .layer(header(
            "content-security-policy",
            "default-src 'none'; frame-ancestors 'none'",
        ));
    let stop = CancellationToken::new();
    let sender = tokio::spawn({
        let (gateway, stop) = (gateway.clone(), stop.clone());
        async move { gateway.run(stop).await }
    });
    println!("The sandbox gateway is open at {browser}");
    axum::serve(listener, router)
        .with_graceful_shutdown(async {
            if let Err(error) = serve::told_to_stop().await {
                tracing::error!(%error, "signals cannot be heard");
            }
        })
        .await?;
    stop.cancel();
    // Longer than the most patient attempt.
    let _ = tokio::time::timeout(std::time::Duration::from_secs(20), sender).await;
    gateway.close().await;
    Ok(())
}

fn settings(keys: &SandboxKeys, options: &Options, gateway: Option<&str>) -> ChannelOptions {
    let shop = format!("http://{}", options.addr);
    let (server, browser) = match gateway {
        Some(gateway) => {
            let gateway = gateway.trim_end_matches('/').to_owned();
            (gateway.clone(), gateway)
        }
        None => {
            let browser = options.public_url.as_deref().unwrap_or(&shop).trim_end_matches('/');
            (format!("{shop}/sandbox"), format!("{browser}/sandbox"))
        }
    };
    keys.channel_options(&server, &browser, &shop)
}

/// The settings by the names of their environment variables.
fn named(options: &ChannelOptions) -> [(&'static str, &Option<String>); 17] {
    [
        ("ONCEMART_NOTIFY_URL", &options.notify_url),
        ("ONCEMART_WECHAT_API", &options.wechat_api),
        ("ONCEMART_WECHAT_MERCHANT", &options.wechat_merchant),
        ("ONCEMART_WECHAT_APP", &options.wechat_app),
        ("ONCEMART_WECHAT_MERCHANT_SERIAL", &options.wechat_merchant_serial),
        ("ONCEMART_WECHAT_MERCHANT_KEY", &options.wechat_merchant_key),
        ("ONCEMART_WECHAT_API_V3_KEY", &options.wechat_api_v3_key),
        ("ONCEMART_WECHAT_PLATFORM_KEYS", &options.wechat_platform_keys),
        ("ONCEMART_ALIPAY_GATEWAY", &options.alipay_gateway),
        ("ONCEMART_ALIPAY_PAGE_GATEWAY", &options.alipay_page_gateway),
        ("ONCEMART_ALIPAY_APP", &options.alipay_app),
        ("ONCEMART_ALIPAY_SELLER", &options.alipay_seller),
        ("ONCEMART_ALIPAY_APP_KEY", &options.alipay_app_key),
        ("ONCEMART_ALIPAY_PUBLIC_KEY", &options.alipay_public_key),
        ("ONCEMART_WEBHOOK_API", &options.webhook_api),
        ("ONCEMART_WEBHOOK_MERCHANT", &options.webhook_merchant),
        ("ONCEMART_WEBHOOK_SECRETS", &options.webhook_secrets),
    ]
}

fn settings_file(options: &ChannelOptions) -> String {
    let lines = named(options)
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}={}\n", quoted(value.as_deref()?))));
    lines.collect()
}

/// In single quotes where the file's syntax, which is the shell's, would read a plain value otherwise.
fn quoted(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:,=-".contains(&byte);
    if value.bytes().all(plain) {
        value.to_owned()
    } else {
        format!("'{}'", value.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args as _, Command};

    #[test]
    fn the_settings_have_the_names_that_the_shop_reads() {
        let command = ChannelOptions::augment_args(Command::new("shop"));
        let mut read: Vec<_> = command
            .get_arguments()
            .filter_map(|argument| argument.get_env()?.to_str())
            .collect();
        let mut written: Vec<_> = named(&ChannelOptions::default()).map(|(name, _)| name).to_vec();
        read.sort_unstable();
        written.sort_unstable();
        assert_eq!(written, read);
    }

    #[test]
    fn the_printed_settings_read_back_as_a_file_of_settings() {
        let directory = tempfile::Builder::new().prefix("it's a directory ").tempdir().unwrap();
        let keys = SandboxKeys::open(directory.path()).unwrap();
        let options = keys.channel_options("http://g:1/sandbox", "http://b/sandbox", "http://shop");
        let file = settings_file(&options);
        let read: Vec<_> = dotenvy::from_read_iter(file.as_bytes()).map(Result::unwrap).collect();
        let written = named(&options).map(|(name, value)| (name.to_owned(), value.clone().unwrap()));
        assert_eq!(read, written);
    }
}
