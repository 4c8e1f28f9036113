// Paying, cancelling and asking money back, with and without the browser's code.

import { CHANNELS, OrderPage } from "../../support/payment.ts";
import { expect, test } from "../../support/shop.ts";

test.beforeEach(async ({ form }) => {
  await form.openAndFill();
  await form.order();
});

for (const channel of CHANNELS) {
  test(`an order is paid by ${channel}`, async ({ page, order }) => {
    await order.choose(channel);
    await order.atTheCashier("pay");

    await order.expectStatus("PAID");
    await expect(page.locator("#paid")).toHaveText("¥19.90");
    await expect(page.locator('#journal [data-event="payment_succeeded"]')).toHaveCount(1);
    await expect(page.locator("#pay-form, #open-payment, #cancel")).toHaveCount(0);
  });
}

test("a payment that failed can be made another way", async ({ page, order }) => {
  await order.choose("wechat");
  await order.atTheCashier("fail");
  await order.expectToShow(page.locator("#payment-failed"));

  await order.pay("alipay");

  await expect(page.locator("#paid")).toHaveText("¥19.90");
});

test("a double click on a channel opens one payment", async ({ order }) => {
  await order.pressTwice("#pay-wechat");

  await expect(order.openPayment).toHaveAttribute("data-channel", "wechat");
  const payments = await order.page.request.get(`/api${await order.path()}`);
  expect(((await payments.json()) as { payments: unknown[] }).payments).toHaveLength(1);
});

test("the channel that was pressed last is the one that is shown", async ({ order }) => {
  await order.choose("wechat");
  await order.choose("alipay");
  await order.choose("wechat");
});

test("the cashier can be read in the other language", async ({ order }) => {
  await order.choose("alipay");
  const cashier = await order.openCashier();

  await cashier.getByRole("button", { name: "中文" }).click();

  await expect(cashier.locator("#cashier")).toHaveAttribute("data-channel", "alipay");
  await expect(cashier.locator("html")).toHaveAttribute("lang", /^zh/);
});

test("the way back to a QR code is a plain link", async ({ page, order }) => {
  await order.choose("wechat");

  await page.locator("#look-again").click();

  await expect(order.openPayment).toBeVisible();
  await expect(page.locator("#payment-qr")).toBeVisible();
});

test("a cancelled order is closed, says so and can no longer be paid", async ({ page, order, shop }) => {
  const before = await shop.available("SKU-3");
  await order.choose("wechat");
  await order.cancel();

  await order.expectStatus("CLOSED");
  await expect(page.locator('#journal [data-event="cancelled"]')).toHaveCount(1);
  await expect(page.locator("#pay-form, #open-payment, #cancel, #pay-before")).toHaveCount(0);
  // The stock follows a moment after the order.
  await expect.poll(() => shop.available("SKU-3")).toBe(before + 1);
});

test("part of the money and then the rest goes back", async ({ page, order }) => {
  await order.pay("wechat");

  await order.refund("One is enough", "5.00");
  await order.expectRefunded("5.00");
  await expect(page.locator("#refunded")).toHaveText("−¥5.00");
  await expect(page.locator("#refund-amount")).toHaveValue("14.90");

  await order.refund("None, after all");
  await order.expectStatus("REFUNDED");
  await order.expectRefunded("14.90");
  await expect(page.locator("#refunded")).toHaveText("−¥19.90");
  await expect(page.locator("#refund")).toHaveCount(0);
});

test("a double click on a refund makes one refund", async ({ page, order }) => {
  await order.pay("alipay");
  await order.fillRefund("Pressed twice", "5.00");

  await order.pressTwice("#ask-refund");

  await order.expectRefunded("5.00");
  await expect(order.refunds).toHaveCount(1);
  await expect(page.locator('#journal [data-event="refund_asked"]')).toHaveCount(1);
});

for (const [typed, notice] of [
  ["19.91", "refund-too-large"],
  ["0", "refund-amount-invalid"],
  ["five", "refund-amount-invalid"],
] as const) {
  test(`a refund of ${typed} is refused and comes back as it was typed`, async ({ page, order }) => {
    await order.pay("webhook");

    await order.refund("A reason to keep", typed);

    await expect(order.notice).toHaveAttribute("data-notice", notice);
    await expect(page.locator("#refund-amount")).toHaveValue(typed);
    await expect(page.locator("#refund-amount")).toHaveAttribute("aria-invalid", "true");
    await expect(page.locator("#refund-reason")).toHaveValue("A reason to keep");
    await expect(order.refunds).toHaveCount(0);
    await order.refund("A reason to keep", "5.00");
    await order.expectRefunded("5.00");
  });
}

test("a reason is shown as text", async ({ page, order }) => {
  const attack = '"><img src=x onerror=document.title="owned">';
  await order.pay("wechat");

  await order.refund(attack, "1.00");

  await order.expectToShow(order.refunds.filter({ hasText: attack }));
  await expect(page).not.toHaveTitle(/owned/);
  expect(await page.locator("main img[onerror]").count()).toBe(0);
});

test("the page of a stranger's order stays closed", async ({ order, anotherBrowser, shop }) => {
  const path = await order.path();
  const page = await (await anotherBrowser()).newPage();
  await page.goto(`${shop.url}${path}`);

  await expect(new OrderPage(page, true).order).toHaveCount(0);
});
