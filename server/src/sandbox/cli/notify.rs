//! `oncemart sandbox notify`: one notification, right or wrong in a named way, sent or printed.

use super::super::{
    books::{Payment, State, transaction_id},
    keys::SandboxKeys,
    sender,
    sign::{Charset, Kind, RefundPart, SignedRequest, Signer, Tamper, What},
    store::Store,
};
use crate::{
    channels::ChannelId,
    config::{Options, StoreSettings},
    db::Database,
};
use anyhow::Context as _;
use clap::Args;
use futures::future::join_all;
use sha2::{Digest as _, Sha256};
use sqlx::Row as _;

/// What to send.
#[derive(Args, Clone, Debug)]
pub struct NotifyArguments {
    /// Protocol: wechat, alipay or webhook
    #[arg(long, value_parser = channel)]
    pub channel: ChannelId,
    /// The order that it is about
    #[arg(long, value_name = "NUMBER")]
    pub order: String,
    /// The provider's number of the money [default: that of the sandbox's payment, else one made from channel and order, so that
    /// the same command means the same money]
    #[arg(long, value_name = "ID")]
    pub transaction: Option<String>,
    /// Amount in fen: what was paid, or what went back [default: that of the sandbox's payment, else the order's total]
    #[arg(long, value_name = "FEN", value_parser = clap::value_parser!(i64).range(1..))]
    pub amount: Option<i64>,
    /// How many times to send it, each signed anew
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub times: u16,
    /// Send all of them at the same time instead of one after another
    #[arg(long)]
    pub at_once: bool,
    /// What is wrong with it
    #[arg(long, value_enum, default_value_t)]
    pub tamper: Tamper,
    /// What it says
    #[arg(long, value_enum, default_value_t = Kind::Paid)]
    pub kind: Kind,
    /// The shop's number of the refund; empty leaves it out where the protocol allows [default: made from channel and order]
    #[arg(long, value_name = "NUMBER")]
    pub refund_no: Option<String>,
    /// The shop's number of the payment, `out_trade_no` [default: that of the sandbox's payment, else the order's number]
    #[arg(long, value_name = "NUMBER")]
    pub payment_no: Option<String>,
    /// How Alipay's form is encoded
    #[arg(long, value_enum, default_value_t)]
    pub charset: Charset,
    /// Which of WeChat Pay's keys signs
    #[arg(long, value_enum, default_value_t)]
    pub signer: Signer,
    /// What was bought, as Alipay states it
    #[arg(long, value_name = "TEXT")]
    pub subject: Option<String>,
    /// Print a curl command instead of sending
    #[arg(long)]
    pub print: bool,
    /// Where to send it [default: the shop's address for callbacks of the channel]
    #[arg(long, value_name = "URL")]
    pub to: Option<String>,
}

fn channel(name: &str) -> Result<ChannelId, String> {
    ChannelId::parse(name).ok_or_else(|| "write wechat, alipay or webhook".to_owned())
}

/// Sends or prints.
pub(super) async fn run(arguments: &NotifyArguments, options: &Options) -> anyhow::Result<()> {
    let shop = StoreSettings::try_from(options).map_err(anyhow::Error::msg)?;
    let keys = SandboxKeys::open(&options.data_dir)?;
    let what = what(arguments, options, &shop).await?;
    let channel = arguments.channel;
    let url = arguments
        .to
        .clone()
        .unwrap_or_else(|| format!("http://{}/callbacks/{channel}", options.addr));
    let sign = || {
        keys.notification(channel, &what, arguments.tamper, shop.clock.now())
            .map_err(anyhow::Error::msg)
    };
    let client = sender::client().context("nothing can be sent from here")?;
    let send = async |request: SignedRequest| {
        let answer = sender::post(&client, channel, &url, &request).await;
        let (status, body) = answer.map_err(|error| anyhow::anyhow!("{url}: {error}"))?;
        println!("HTTP {status} {}", String::from_utf8_lossy(&body));
        anyhow::Ok(())
    };
    if arguments.print {
        for _ in 0..arguments.times {
            println!("{}", curl(&url, &sign()?));
        }
    } else if arguments.at_once {
        let requests = (0..arguments.times)
            .map(|_| sign())
            .collect::<anyhow::Result<Vec<_>>>()?;
        let sent: anyhow::Result<()> = join_all(requests.into_iter().map(send)).await.into_iter().collect();
        sent?;
    } else {
        for _ in 0..arguments.times {
            send(sign()?).await?;
        }
    }
    Ok(())
}

async fn what(arguments: &NotifyArguments, options: &Options, shop: &StoreSettings) -> anyhow::Result<What> {
    let channel = arguments.channel;
    let known = known_payment(arguments, options, shop).await?;
    let price = match (&known, arguments.amount) {
        (Some((payment, _)), _) if arguments.kind_of_refund() => payment.amount_fen,
        (_, Some(amount)) => amount,
        (Some((payment, _)), None) => payment.amount_fen,
        (None, None) => order_total(&arguments.order, shop).await?.with_context(|| {
            format!(
                "how much? The order {} is not known here; give --amount",
                arguments.order
            )
        })?,
    };
    let payment_no = match (&arguments.payment_no, &known) {
        (Some(number), _) => number.clone(),
        (None, Some((payment, _))) => payment.payment_no.clone(),
        (None, None) => arguments.order.clone(),
    };
    let derived = derived_digits(channel, &arguments.order);
    let transaction = match (
        &arguments.transaction,
        known.as_ref().and_then(|(_, money)| money.clone()),
    ) {
        (Some(number), _) => number.clone(),
        (None, Some(number)) => number,
        (None, None) => transaction_id(channel, 0, derived),
    };
    let mut what = What::of_payment(arguments.kind, &payment_no, &transaction, price, shop.clock.now());
    what.charset = arguments.charset;
    what.signer = arguments.signer;
    if let Some(subject) = &arguments.subject {
        what.subject.clone_from(subject);
    }
    if arguments.kind_of_refund() {
        let amount_fen = arguments.amount.unwrap_or(price);
        what.refund = Some(RefundPart {
            refund_no: arguments.refund_no.clone().unwrap_or_else(|| format!("R{derived}")),
            provider_no: format!("50{derived}"),
            amount_fen,
            refunded_fen: amount_fen,
            reason: "refused by the sandbox".to_owned(),
        });
    }
    Ok(what)
}

impl NotifyArguments {
    fn kind_of_refund(&self) -> bool {
        matches!(self.kind, Kind::Refunded | Kind::RefundRefused)
    }
}

/// The order's payment at the gateway, an open one first, with the number of its money. None if there is no gateway in this directory
/// or it knows of none.
async fn known_payment(
    arguments: &NotifyArguments,
    options: &Options,
    shop: &StoreSettings,
) -> anyhow::Result<Option<(Payment, Option<String>)>> {
    if !Store::file(&options.data_dir).exists() {
        return Ok(None);
    }
    let store = Store::open(&options.data_dir, shop.clock).await?;
    let number = arguments.payment_no.as_deref().unwrap_or(&arguments.order);
    let payment = store.payment_of_order(arguments.channel, number).await?;
    let known = match payment {
        Some(payment) => {
            let money = store.money(payment.channel, &payment.payment_no).await?;
            let paid = payment.state == State::Paid;
            Some((
                payment,
                money
                    .into_iter()
                    .next()
                    .filter(|_| paid)
                    .map(|money| money.transaction_id),
            ))
        }
        None => None,
    };
    store.close().await;
    Ok(known)
}

/// What the order costs, says the shop's database; none if there is no database or no such order.
async fn order_total(order: &str, shop: &StoreSettings) -> anyhow::Result<Option<i64>> {
    // Opening a file that is not there would make it.
    if shop.sqlite_file().is_some_and(|file| !file.exists()) {
        return Ok(None);
    }
    let database = Database::connect(&shop.database_url, &shop.durations)
        .await
        .context("the shop's database cannot be reached; check DATABASE_URL, or give --amount")?;
    let row = sqlx::query("SELECT total_fen FROM orders WHERE order_no = $1")
        .bind(order)
        .fetch_optional(&mut *database.reader().await?)
        .await;
    database.close().await;
    match row.context("the shop's database has no orders; give --amount")? {
        Some(row) => Ok(Some(row.try_get("total_fen")?)),
        None => Ok(None),
    }
}

/// Fifteen digits that are always the same for a channel and an order.
fn derived_digits(channel: ChannelId, order: &str) -> u64 {
    let digest = Sha256::digest(format!("{channel}\n{order}"));
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    u64::from_be_bytes(first) % 1_000_000_000_000_000
}

/// A command that sends the request when it is pasted into a shell.
fn curl(url: &str, request: &SignedRequest) -> String {
    let mut command = format!("curl --silent --show-error --include --request POST {}", in_quotes(url));
    for (name, value) in &request.headers {
        command.push_str(&format!(" --header {}", in_quotes(&format!("{name}: {value}"))));
    }
    let body = String::from_utf8_lossy(&request.body);
    command + &format!(" --data-binary {}", in_quotes(&body))
}

fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_order_means_the_same_money() {
        let of = |channel, order| transaction_id(channel, 0, derived_digits(channel, order));
        assert_eq!(of(ChannelId::Wechat, "A1"), of(ChannelId::Wechat, "A1"));
        assert_ne!(of(ChannelId::Wechat, "A1"), of(ChannelId::Wechat, "A2"));
        assert_ne!(of(ChannelId::Wechat, "A1"), of(ChannelId::Alipay, "A1"));
        assert_eq!(of(ChannelId::Wechat, "A1").len(), 28);
    }

    #[test]
    fn a_printed_command_keeps_quotes() {
        let request = SignedRequest {
            headers: vec![("a", "it's".to_owned())],
            body: b"{\"b\":\"'$x'\"}".to_vec(),
        };
        assert_eq!(
            curl("http://shop/c", &request),
            r#"curl --silent --show-error --include --request POST 'http://shop/c' --header 'a: it'\''s' --data-binary '{"b":"'\''$x'\''"}'"#
        );
    }
}
