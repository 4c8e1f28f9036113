//! Sends due notifications: claims each, signs it anew, sends it, and notes when the next attempt is due.

use super::{
    Gateway,
    notices::Notice,
    schedule,
    sign::{Signer, Tamper},
    store::Traffic,
};
use crate::channels::ChannelId;
use futures::future::join_all;
use reqwest::redirect::Policy;
use std::time::Duration;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long the sender sleeps at most: another process may have scheduled something.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

/// Most notifications that are claimed in one go.
const BATCH: i64 = 32;

/// Runs until it is told to stop, then finishes what is being sent.
pub(super) async fn run(gateway: &Gateway, stop: CancellationToken) {
    let sending = TaskTracker::new();
    while !stop.is_cancelled() {
        match gateway.inner.store.claim_due(BATCH).await {
            Ok(due) => {
                for notice in due {
                    let gateway = gateway.clone();
                    sending.spawn(async move { attempt(&gateway, notice).await });
                }
            }
            Err(error) => tracing::warn!(%error, "the sandbox gateway cannot see what is due"),
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = gateway.inner.wake.notified() => {}
            () = tokio::time::sleep(until_next(gateway).await) => {}
        }
    }
    sending.close();
    sending.wait().await;
}

async fn until_next(gateway: &Gateway) -> Duration {
    let due = gateway.inner.store.next_due().await.ok().flatten();
    due.map_or(LONGEST_SLEEP, |due| {
        let wait = u64::try_from(due - gateway.now()).unwrap_or(0);
        Duration::from_millis(wait.max(1)).min(LONGEST_SLEEP)
    })
}

async fn attempt(gateway: &Gateway, notice: Notice) {
    let copies = if notice.attempts == 1 { notice.copies } else { 1 };
    let sent = join_all((0..copies).map(|_| send(gateway, &notice))).await;
    let lost = notice.attempts <= notice.answers_lost;
    let acknowledged = sent.contains(&true) && !lost;
    match gateway
        .inner
        .store
        .attempted(&notice, acknowledged, gateway.gap_scale())
        .await
    {
        Ok(()) => gateway.wake(),
        Err(error) => tracing::warn!(%error, "the sandbox gateway could not note an attempt; its claim will run out"),
    }
}

/// Whether the shop acknowledged it.
async fn send(gateway: &Gateway, notice: &Notice) -> bool {
    let tamper = if notice.attempts <= notice.tampered_attempts {
        notice.tamper
    } else {
        Tamper::None
    };
    let mut what = notice.what.clone();
    // As while a merchant moves from the certificate to the public key: either may have signed.
    if notice.attempts % 2 == 0 {
        what.signer = Signer::Certificate;
    }
    let request = match gateway
        .inner
        .keys
        .notification(notice.channel, &what, tamper, gateway.now())
    {
        Ok(request) => request,
        Err(error) => {
            tracing::error!(error, "the sandbox gateway could not sign a notification");
            return false;
        }
    };
    let answer = post(&gateway.inner.client, notice.channel, &notice.url, &request).await;
    let (status, body) = match &answer {
        Ok((status, body)) => (*status, String::from_utf8_lossy(body).into_owned()),
        Err(error) => (0, error.clone()),
    };
    let line = Traffic {
        at: gateway.now(),
        channel: notice.channel.as_str().to_owned(),
        direction: "sent",
        what: format!("POST {}", notice.url),
        status,
        request: readable(notice, &what, &request.body),
        answer: body,
    };
    gateway.inner.store.keep(&line).await;
    answer.is_ok_and(|(status, body)| schedule::acknowledges(notice.channel, status, &body))
}

/// What a person reads of a notification: for WeChat Pay also what lies sealed in it.
fn readable(notice: &Notice, what: &super::sign::What, body: &[u8]) -> String {
    let body = String::from_utf8_lossy(body);
    if notice.channel == ChannelId::Wechat {
        let content = serde_json::to_string(what).unwrap_or_default();
        format!("{content}\n{body}")
    } else {
        body.into_owned()
    }
}

/// A client that follows no redirect (one is no acknowledgement) and uses no proxy. A machine without root certificates can still send
/// to its own shop.
pub(super) fn client() -> Result<reqwest::Client, reqwest::Error> {
    let builder = || reqwest::Client::builder().redirect(Policy::none()).no_proxy();
    builder().build().or_else(|_| builder().tls_certs_only([]).build())
}

/// Posts a signed notification and waits for the answer as long as its provider would: status and body, or why there is none.
pub(super) async fn post(
    client: &reqwest::Client,
    channel: ChannelId,
    url: &str,
    request: &super::sign::SignedRequest,
) -> Result<(u16, Vec<u8>), String> {
    let sent = client
        .post(url)
        .headers(request.header_map())
        .body(request.body.clone())
        .timeout(schedule::answer_limit(channel))
        .send();
    // The address stays out of the error: it stands beside it.
    let answer = sent.await.map_err(|error| why(&error))?;
    let status = answer.status().as_u16();
    let body = answer.bytes().await.map_err(|error| why(&error))?;
    Ok((status, body.to_vec()))
}

fn why(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        "no answer in time".to_owned()
    } else if error.is_connect() {
        "nobody listens there".to_owned()
    } else {
        "no usable answer".to_owned()
    }
}
