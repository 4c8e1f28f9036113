// An order's page follows the order, without a reload and without disturbing whoever uses it.

import { CHANNELS } from "../../support/payment.ts";
import { expect, test } from "../../support/shop.ts";

test.beforeEach(async ({ form }) => {
  await form.openAndFill();
  await form.order();
});

for (const channel of CHANNELS) {
  test(`a payment by ${channel} shows without a reload and is said aloud`, async ({ page, order }) => {
    await order.choose(channel);
    await expect(order.announcement).toHaveText("");
    let loads = 0;
    page.on("load", () => (loads += 1));

    await order.atTheCashier("pay");

    await expect(order.status).toHaveAttribute("data-status", "PAID");
    await expect(order.announcement).toContainText("Paid");
    await expect(page.locator("#refund")).toBeVisible();
    expect(loads).toBe(0);
  });
}

test("what is being typed stays while the rest of the page moves on", async ({ page, order }) => {
  await order.pay("wechat");
  await order.fillRefund("Half a sent", "2.00");
  await page.locator("#refund-reason").focus();
  const number = await page.locator("#refund-form [name=refund_no]").inputValue();

  const elsewhere = await order.inNewTab();
  await elsewhere.refund("From another tab", "5.00");
  await order.expectRefunded("5.00");

  await expect(page.locator("#refund-reason")).toHaveValue("Half a sent");
  await expect(page.locator("#refund-reason")).toBeFocused();
  await expect(page.locator("#refund-amount")).toHaveValue("2.00");
  await expect(page.locator("#refund-form [name=refund_no]")).toHaveValue(number);
  await page.locator("#ask-refund").click();
  await order.expectRefunded("2.00");
  await expect(order.refunds).toHaveCount(2);
});

test("a part that was opened stays open", async ({ page, order }) => {
  await order.pay("wechat");
  await page.locator("#refund > summary").click();
  await page.locator("#order-heading").focus();

  const elsewhere = await order.inNewTab();
  await elsewhere.refund("From another tab", "5.00");
  await order.expectRefunded("5.00");

  await expect(page.locator("#refund-amount")).toBeVisible();
  await expect(page.locator("#refund-amount")).toHaveValue("14.90");
});

test("the focus goes to the heading when what it was on is gone", async ({ page, order }) => {
  await page.locator("#pay-wechat").focus();

  const elsewhere = await order.inNewTab();
  await elsewhere.cancel();
  await expect(order.status).toHaveAttribute("data-status", "CLOSED");

  await expect(page.locator("#order-heading")).toBeFocused();
});

test.describe("on a server of its own", () => {
  test.use({ ownServer: {} });

  test("a page finds its way back to a server that was away", async ({ order, shop }) => {
    await order.choose("alipay");
    await shop.restart();

    await order.atTheCashier("pay");

    await expect(order.status).toHaveAttribute("data-status", "PAID", { timeout: 20_000 });
  });
});

test("a page that was left and returned to has buttons that can be pressed", async ({ page, order }) => {
  await order.choose("wechat");
  await page.goto("/");
  await page.goBack();

  await expect(page.locator("#order [aria-disabled], #order [aria-busy]")).toHaveCount(0);
  await order.choose("alipay");
});
