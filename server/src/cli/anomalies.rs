//! `oncemart anomalies list | show | resolve`.

use crate::{
    config::StoreSettings,
    payments::anomalies::{self, Anomaly},
    serve,
};
use anyhow::bail;
use app::pricing::format_yuan;
use clap::Subcommand;

/// What can be done with anomalies.
#[derive(Debug, Subcommand)]
pub enum AnomaliesCommand {
    /// Lists the open ones, oldest first
    List {
        /// The resolved ones too
        #[arg(long)]
        all: bool,
        /// One JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Shows one with everything that is known of it
    Show {
        /// Its number, as `list` shows it
        id: String,
    },
    /// Marks one as resolved; its money is allocated by whoever does it
    Resolve {
        /// Its number, as `list` shows it
        id: String,
        /// What was done about it
        #[arg(long)]
        note: String,
    },
}

/// Runs the command.
pub async fn run(store: &StoreSettings, command: AnomaliesCommand) -> anyhow::Result<()> {
    let database = serve::open_existing_database(store).await?;
    match command {
        AnomaliesCommand::List { all, json } => {
            let found = anomalies::list(&mut *database.reader().await?, all).await?;
            for anomaly in &found {
                if json {
                    println!("{}", serde_json::to_string(anomaly)?);
                } else {
                    println!("{}", line(anomaly));
                }
            }
            if found.is_empty() && !json {
                println!("There is no open anomaly.");
            }
        }
        AnomaliesCommand::Show { id } => {
            let Some(anomaly) = anomalies::find(&mut *database.reader().await?, &id).await? else {
                bail!("there is no anomaly {id}; see `oncemart anomalies list --all`");
            };
            println!("{}", serde_json::to_string_pretty(&anomaly)?);
        }
        AnomaliesCommand::Resolve { id, note } => {
            let note = note.trim();
            if note.is_empty() {
                bail!("--note: say what was done about it");
            }
            if !anomalies::resolve(&mut *database.writer().await?, &id, note, store.clock.now()).await? {
                bail!("there is no open anomaly {id}; see `oncemart anomalies list`");
            }
            println!("{id} is resolved.");
        }
    }
    database.close().await;
    Ok(())
}

fn line(anomaly: &Anomaly) -> String {
    let (id, kind, channel) = (&anomaly.id, &anomaly.kind, &anomaly.channel);
    let amount = format!("{} {}", format_yuan(anomaly.amount_fen), anomaly.currency);
    let order = if anomaly.order_no.is_empty() {
        "-"
    } else {
        &anomaly.order_no
    };
    format!(
        "{id}  {kind:<16} {channel:<8} {order:<18} {amount:>14}  told {} times since {}  {}  {}",
        anomaly.times, anomaly.first_at, anomaly.status, anomaly.detail
    )
}
