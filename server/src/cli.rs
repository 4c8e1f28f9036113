//! The command line: `oncemart serve | migrate | product | anomalies | ship | sandbox`.

mod anomalies;

use crate::{
    catalog::{self, ProductChange},
    config::{Options, Settings, StoreSettings},
    db::Database,
    domain::order::Source,
    idempotency::Outcome,
    orders::act::{Act, act},
    sandbox::{self, cli::SandboxCommand},
    serve,
};
use anyhow::{Context as _, bail};
use app::pricing::{MAX_UNIT_PRICE_FEN, format_yuan};
use clap::{Parser, Subcommand};
use std::{path::Path, process::ExitCode, sync::Arc};

/// A small shop that never does anything twice.
///
/// Settings come from flags, then the environment, then the file that `ONCEMART_CONFIG` names (default: oncemart.env in the current
/// directory, if it is there), which holds NAME=value lines.
#[derive(Debug, Parser)]
#[command(name = "oncemart", version)]
struct Program {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Brings the database up to date, gives an empty shop its products, and serves
    Serve,
    /// Brings the database up to date, and no more
    Migrate,
    /// The catalog
    #[command(subcommand)]
    Product(ProductCommand),
    /// What was verified and does not fit: wrong amounts, unknown orders, refused refunds
    #[command(subcommand)]
    Anomalies(anomalies::AnomaliesCommand),
    /// Marks a paid order as shipped
    Ship {
        /// The order's number
        order: String,
    },
    /// The sandbox gateway, the built-in payment provider
    #[command(subcommand)]
    Sandbox(SandboxCommand),
}

#[derive(Debug, Subcommand)]
enum ProductCommand {
    /// Lists every product with its price and stock
    List {
        /// One JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Changes a product; what is not given stays
    Set {
        /// The product
        #[arg(long)]
        sku: String,
        /// New price of one piece, in fen
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..=MAX_UNIT_PRICE_FEN))]
        price_fen: Option<i64>,
        /// New number of pieces that can be ordered
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..=1_000_000_000))]
        stock: Option<i64>,
        /// Whether it can be ordered
        #[arg(long, value_name = "true|false")]
        on_sale: Option<bool>,
    },
}

/// Runs the program.
pub fn main() -> ExitCode {
    let file = std::env::var("ONCEMART_CONFIG").ok();
    if let Err(error) = load_file(file.as_deref()) {
        eprintln!("oncemart: {error:#}");
        return ExitCode::from(2);
    }
    match run(Program::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("oncemart: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn load_file(named: Option<&str>) -> anyhow::Result<()> {
    match named {
        Some(file) => {
            dotenvy::from_path(file).with_context(|| format!("ONCEMART_CONFIG: the file {file} cannot be read"))
        }
        None if Path::new("oncemart.env").exists() => {
            dotenvy::from_path("oncemart.env").context("the file oncemart.env cannot be read")
        }
        None => Ok(()),
    }
}

fn run(program: Program) -> anyhow::Result<()> {
    let store = StoreSettings::try_from(&program.options).map_err(anyhow::Error::msg)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match program.command {
            Command::Serve => {
                let settings = Settings::try_from(program.options).map_err(anyhow::Error::msg)?;
                serve::start_logging();
                serve::until_stopped(settings).await
            }
            Command::Migrate => {
                serve::open_database(&store).await?.close().await;
                println!("The database is up to date.");
                Ok(())
            }
            Command::Anomalies(command) => anomalies::run(&store, command).await,
            Command::Ship { order } => ship(&store, &order).await,
            Command::Sandbox(command) => sandbox::cli::run(command, &program.options).await,
            Command::Product(ProductCommand::List { json }) => list_products(&store, json).await,
            Command::Product(ProductCommand::Set {
                sku,
                price_fen,
                stock,
                on_sale,
            }) => {
                set_product(
                    &store,
                    &sku,
                    ProductChange {
                        price_fen,
                        available: stock,
                        on_sale,
                    },
                )
                .await
            }
        }
    })
}

async fn open_stocked_shop(store: &StoreSettings) -> anyhow::Result<Database> {
    let database = serve::open_database(store).await?;
    serve::seed(&database, store.clock)
        .await
        .context("the first products could not be written")?;
    Ok(database)
}

async fn list_products(store: &StoreSettings, json: bool) -> anyhow::Result<()> {
    let database = open_stocked_shop(store).await?;
    for product in catalog::products(&mut *database.reader().await?).await? {
        let (sku, price, name) = (&product.sku, product.price_fen, &product.names[0]);
        if json {
            let line = serde_json::json!({
                "sku": sku, "name": name, "price_fen": price, "on_sale": product.on_sale,
                "available": product.available, "reserved": product.reserved,
            });
            println!("{line}");
        } else {
            let sale = if product.on_sale { "on sale" } else { "off sale" };
            let (available, reserved) = (product.available, product.reserved);
            println!(
                "{sku:<8} {:>10} CNY  {available:>7} available {reserved:>7} reserved  {sale:<8}  {name}",
                format_yuan(price)
            );
        }
    }
    database.close().await;
    Ok(())
}

async fn set_product(store: &StoreSettings, sku: &str, change: ProductChange) -> anyhow::Result<()> {
    let database = open_stocked_shop(store).await?;
    let mut connection = database.writer().await?;
    let mut transaction = database.begin(&mut connection).await?;
    if !catalog::set(&mut transaction, sku, change, store.clock.now()).await? {
        bail!("there is no product {sku}; see `oncemart product list`");
    }
    transaction.commit().await?;
    drop(connection);
    database.close().await;
    println!("{sku} is changed.");
    Ok(())
}

async fn ship(store: &StoreSettings, order_no: &str) -> anyhow::Result<()> {
    let executor = Arc::new(serve::executor(store).await?);
    let outcome = act(&executor, "operator", Source::Operator, order_no, Act::Ship).await;
    executor.database.close().await;
    match outcome {
        Ok(Outcome::Done { .. }) => {
            println!("{order_no} is on its way.");
            Ok(())
        }
        Ok(Outcome::Refused(reason)) => {
            let problem: serde_json::Value = serde_json::from_str(&reason.body)?;
            bail!(
                "{order_no}: {}",
                problem["detail"].as_str().unwrap_or("it cannot be shipped")
            )
        }
        Ok(_) => bail!("the database could not do it now; try again"),
        Err(problem) => bail!("{order_no}: {}", problem.text("detail")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        Program::command().debug_assert();
    }
}
