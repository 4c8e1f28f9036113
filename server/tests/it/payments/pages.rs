//! The order page's forms as a browser without script sends them: each leads back to the page, or shows what is wrong and keeps
//! what was typed.

use super::cashier::{QUICK, press, ship, state_at};
use crate::support::{
    client::{Client, Reply, one_pencil},
    on_both_databases,
    page::{field, notice},
    payment::{PENCIL_FEN, Provider, assert_acknowledged},
    shop::{Backend, Place},
};
use reqwest::Method;
use server::channels::ChannelId;
use std::time::{Duration, Instant};

on_both_databases!(
    a_press_leads_back_to_a_page_that_shows_how_to_pay,
    a_closed_order_shows_that_late_money_goes_back,
    a_wrong_refund_shows_itself_again_with_what_was_typed,
    a_press_that_comes_too_late_says_so,
);

/// A browser without script on the page of its order.
struct Browser {
    client: Client,
    order_no: String,
    language: &'static str,
}

impl Browser {
    async fn at(shop: &str, language: &'static str) -> Self {
        let client = Client::new(shop);
        let order_no = client.place(&client.api_token().await, &one_pencil()).await.order_no();
        Self {
            client,
            order_no,
            language,
        }
    }

    async fn page(&self) -> Reply {
        let request = self.client.request(Method::GET, &format!("/orders/{}", self.order_no));
        Reply::to(request.header("accept-language", self.language)).await
    }

    async fn press(&self, step: &str, fields: &[(&str, &str)]) -> Reply {
        let path = format!("/orders/{}/{step}", self.order_no);
        let request = self.client.request(Method::POST, &path).form(fields);
        Reply::to(request.header("accept-language", self.language)).await
    }

    /// Presses, and is led back to the page.
    async fn press_through(&self, step: &str, fields: &[(&str, &str)]) -> String {
        let reply = self.press(step, fields).await;
        let back = format!("/orders/{}", self.order_no);
        let location = reply.header("location").to_owned();
        assert_eq!(
            (reply.status.as_u16(), location.split('?').next()),
            (303, Some(back.as_str())),
            "{}",
            reply.body
        );
        let request = self.client.request(Method::GET, &location);
        let page = Reply::to(request.header("accept-language", self.language)).await;
        assert_eq!(page.status, 200);
        page.body
    }

    async fn wait_for(&self, what: &str) -> String {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let page = self.page().await.body;
            if page.contains(what) {
                return page;
            }
            assert!(Instant::now() < deadline, "{what} in {page}");
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    async fn paid(&self, place: &Place, shop: &str) {
        self.press_through("payments", &[("channel", "webhook")]).await;
        let provider = Provider::of(place);
        let what = provider.paid(
            &format!("{}-S1", self.order_no),
            &format!("T-{}", self.order_no),
            PENCIL_FEN,
        );
        assert_acknowledged(
            ChannelId::Webhook,
            &provider.send(shop, ChannelId::Webhook, &what).await,
        );
    }
}

/// Where the link of that id leads.
fn link(page: &str, id: &str) -> String {
    let tag = page.split("<a ").find(|tag| tag.contains(&format!("id=\"{id}\"")));
    let tag = tag.unwrap_or_else(|| panic!("a link {id} in {page}"));
    let start = tag.find("href=\"").expect("an address") + 6;
    tag[start..].split('"').next().unwrap_or_default().replace("&amp;", "&")
}

async fn a_press_leads_back_to_a_page_that_shows_how_to_pay(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    for (language, words) in [("en", "<html lang=\"en"), ("zh", "<html lang=\"zh")] {
        let browser = Browser::at(&shop.url, language).await;
        assert!(browser.page().await.body.contains("id=\"pay-form\""));
        for _ in 0..2 {
            let page = browser.press_through("payments", &[("channel", "wechat")]).await;
            assert!(
                page.contains(words) && page.contains("src=\"data:image/svg+xml;base64,"),
                "{page}"
            );
            assert_eq!(state_at(&browser.client, &link(&page, "pay-here")).await, "open");
        }
        let page = browser.press_through("payments", &[("channel", "webhook")]).await;
        assert_eq!(
            state_at(&browser.client, &link(&page, "continue-payment")).await,
            "open"
        );
        let unknown = browser.press("payments", &[("channel", "cash")]).await;
        assert_eq!(unknown.status, 422);
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM payment").await, 4);
}

async fn a_closed_order_shows_that_late_money_goes_back(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[QUICK]).await;
    for (language, words) in [("en", "¥0.03"), ("zh", "已为您退款")] {
        let browser = Browser::at(&shop.url, language).await;
        let page = browser.press_through("payments", &[("channel", "webhook")]).await;
        let cashier = link(&page, "continue-payment");
        let closed = browser.press_through("cancel", &[]).await;
        assert!(
            !closed.contains("id=\"pay-form\"") && !closed.contains("id=\"open-payment\""),
            "{closed}"
        );
        assert!(!closed.contains("id=\"cancel-form\""));
        place.wait_until_relayed().await;
        assert_eq!(state_at(&browser.client, &cashier).await, "closed");
        press(&browser.client, &cashier, "pay-although-closed", "none").await;
        let page = browser.wait_for("data-surplus=\"refunded\"").await;
        assert!(page.contains(words), "{page}");
        assert_eq!(page.matches("data-surplus=").count(), 1);
    }
    place.assert_consistent().await;
}

async fn a_wrong_refund_shows_itself_again_with_what_was_typed(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open_with(&[QUICK]).await;
    for (language, words) in [("en", "19.90"), ("zh", "请输入以元为单位的金额")] {
        let browser = Browser::at(&shop.url, language).await;
        browser.paid(&place, &shop.url).await;
        let page = browser.page().await.body;
        let refund_no = field(&page, "refund_no");
        assert_ne!(
            refund_no,
            field(&browser.page().await.body, "refund_no"),
            "each page has its own"
        );
        let hostile = "\"><script>alert('1')</script>";
        for amount in ["0", "-1", "0.005", "1e1", "1,5", "abc", hostile] {
            let fields = [
                ("refund_no", refund_no.as_str()),
                ("amount", amount),
                ("reason", hostile),
            ];
            let again = browser.press("refunds", &fields).await;
            assert_eq!(
                (again.status.as_u16(), notice(&again.body).as_str()),
                (422, "refund-amount-invalid")
            );
            assert!(again.body.contains(words), "{}", again.body);
            assert_eq!(field(&again.body, "amount"), amount);
            assert_eq!(field(&again.body, "reason"), hostile);
            assert_eq!(
                field(&again.body, "refund_no"),
                refund_no,
                "it is still the same refund"
            );
            assert!(!again.body.contains("<script>alert"), "{}", again.body);
        }
        let fields = [
            ("refund_no", refund_no.as_str()),
            ("amount", "0.04"),
            ("reason", "many"),
        ];
        let again = browser.press("refunds", &fields).await;
        assert_eq!(
            (again.status.as_u16(), notice(&again.body).as_str()),
            (409, "refund-too-large")
        );
        assert_eq!(
            (field(&again.body, "amount"), field(&again.body, "reason")),
            ("0.04".to_owned(), "many".to_owned())
        );
        let long = "x".repeat(81);
        let fields = [
            ("refund_no", refund_no.as_str()),
            ("amount", "0.01"),
            ("reason", long.as_str()),
        ];
        let again = browser.press("refunds", &fields).await;
        assert_eq!(
            (again.status.as_u16(), notice(&again.body).as_str()),
            (422, "refund-reason-invalid")
        );
        assert_eq!(field(&again.body, "amount"), "0.01");
        let fields = [
            ("refund_no", refund_no.as_str()),
            ("amount", "¥0.01"),
            ("reason", hostile),
        ];
        for _ in 0..2 {
            let page = browser.press_through("refunds", &fields).await;
            assert_eq!(page.matches("data-refund=").count(), 1);
            assert!(!page.contains("<script>alert"));
        }
        let fields = [("refund_no", refund_no.as_str()), ("amount", "0.02"), ("reason", "")];
        let other = browser.press("refunds", &fields).await;
        assert_eq!(
            (other.status.as_u16(), notice(&other.body).as_str()),
            (422, "refund-number-taken")
        );
        // A number that was tampered with is nothing that a person typed.
        let fields = [("refund_no", "a b"), ("amount", "0.01"), ("reason", "")];
        assert_eq!(browser.press("refunds", &fields).await.status, 422);
    }
    assert_eq!(place.number("SELECT COUNT(*) FROM refund").await, 2);
    place.assert_consistent().await;
}

async fn a_press_that_comes_too_late_says_so(backend: Backend) {
    let place = Place::new(backend).await;
    let shop = place.open().await;
    let browser = Browser::at(&shop.url, "en").await;
    let early = browser.press("receipt", &[]).await;
    assert_eq!(
        (early.status.as_u16(), notice(&early.body).as_str()),
        (409, "cannot-confirm")
    );
    browser.paid(&place, &shop.url).await;
    let late = browser.press("cancel", &[]).await;
    assert_eq!(
        (late.status.as_u16(), notice(&late.body).as_str()),
        (409, "cannot-cancel")
    );
    let late = browser.press("payments", &[("channel", "alipay")]).await;
    assert_eq!(
        (late.status.as_u16(), notice(&late.body).as_str()),
        (409, "not-payable")
    );
    ship(&shop, &browser.order_no).await;
    for _ in 0..2 {
        let page = browser.press_through("receipt", &[]).await;
        assert!(!page.contains("id=\"receipt-form\""), "{page}");
    }
    let read = browser
        .client
        .get(&format!("/api/orders/{}", browser.order_no))
        .await
        .json();
    assert_eq!(read["status"], "COMPLETED");
    place.assert_consistent().await;
}
