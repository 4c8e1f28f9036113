//! A shop and a gateway that know each other only by the settings that the gateway prints: another process, other keys, other
//! merchants, another address. Going live is the same with other settings.

use crate::support::{
    client::Client,
    daemon::free_port,
    on_both_databases,
    payment::{PENCIL_FEN, Provider, assert_acknowledged},
    shop::{Backend, Place, ShopProcess, program},
};
use server::{
    channels::ChannelId,
    sandbox::{keys::SandboxKeys, sign::Tamper},
};
use tempfile::TempDir;

on_both_databases!(a_shop_is_paid_and_gives_back_through_another_gateway);

async fn a_shop_is_paid_and_gives_back_through_another_gateway(backend: Backend) {
    let elsewhere = TempDir::new().unwrap();
    let data_dir = format!("--data-dir={}", elsewhere.path().display());
    let mut command = program();
    command.args([
        "sandbox",
        "serve",
        "--addr=127.0.0.1:0",
        "--sandbox-gap-scale=0.01",
        &data_dir,
    ]);
    let gateway = ShopProcess::start(&mut command, "The sandbox gateway is open at ");
    let address = format!("127.0.0.1:{}", free_port());
    let printed = program()
        .args(["sandbox", "settings", &data_dir])
        .args([format!("--gateway={}", gateway.url), format!("--addr={address}")])
        .output()
        .unwrap();
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    let settings = elsewhere.path().join("settings.env");
    std::fs::write(&settings, printed.stdout).unwrap();

    let place = Place::new(backend).await;
    let shop = place.spawn_configured(&address, &settings);
    let client = Client::new(&shop.url);
    let stranger = Provider::of(&place);
    let provider = Provider::with_keys(SandboxKeys::open(elsewhere.path()).unwrap());
    assert_ne!(
        provider.keys().names.wechat_merchant,
        stranger.keys().names.wechat_merchant
    );
    assert_eq!(
        client.get("/sandbox/").await.status,
        404,
        "it has no gateway of its own"
    );
    for channel in ChannelId::ALL {
        let (order_no, payment_no) = client.demo_waiting(&format!("elsewhere-{channel}"), channel).await;
        let forged = stranger.paid(&payment_no, "T-1", PENCIL_FEN);
        for tamper in [Tamper::None, Tamper::Probe] {
            let reply = stranger.send_tampered(&shop.url, channel, &forged, tamper).await;
            assert_eq!(reply.status, 401, "{channel}: {}", reply.body);
        }
        client.pay_at_cashier(&order_no, &payment_no, "twice-at-once").await;
        let paid = client.demo_wait_status(&order_no, "PAID").await;
        assert_eq!(paid["paid_fen"], PENCIL_FEN);
        place.assert_paid_once(&order_no).await;
        let late = provider.news(server::sandbox::sign::Kind::Closed, &payment_no, PENCIL_FEN);
        assert_acknowledged(channel, &provider.send(&shop.url, channel, &late).await);
        for (number, amount_fen) in [("one", 1), ("rest", PENCIL_FEN - 1)] {
            let refund_no = format!("{order_no}-{number}");
            let asked = client.demo_refund(&order_no, &refund_no, amount_fen).await;
            assert!(asked.status.is_success(), "{channel}: {}", asked.body);
        }
        let refunded = client.demo_wait_status(&order_no, "REFUNDED").await;
        assert_eq!(refunded["refunded_fen"], PENCIL_FEN);
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM anomaly").await, 0);
    place.wait_until_relayed().await;
    place.assert_consistent().await;
}
