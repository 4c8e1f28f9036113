// What happens to an order without a press: its time runs out, its goods are sent off, money comes too late.

import { expect, test } from "../../support/shop.ts";

test.describe("with little time to pay", () => {
  test.use({ ownServer: { ONCEMART_PAYMENT_DEADLINE_SECONDS: "3", ONCEMART_CLOSE_DELAY_SECONDS: "0" } });

  test("an order that is not paid in time closes by itself and gives its pieces back", async ({ form, order, page, shop }) => {
    const before = await shop.available("SKU-3");
    await form.openAndFill();
    await form.order();
    await order.choose("alipay");

    await order.expectStatus("CLOSED");
    await expect(page.locator('#journal [data-event="deadline_passed"]')).toHaveCount(1);
    await expect(page.locator("#pay-form, #open-payment, #cancel")).toHaveCount(0);
    await expect.poll(() => shop.available("SKU-3")).toBe(before);
  });
});

test("money for an order that was cancelled meanwhile goes back by itself, and the page says so", async ({ form, order, page }) => {
  await form.openAndFill();
  await form.order();
  await order.choose("webhook");
  const cashier = await order.openCashier();
  await order.cancel();
  await order.expectStatus("CLOSED");

  // The shop closes the payment there a moment after the order; the provider takes money for it all the same.
  await expect(async () => {
    await cashier.reload();
    await expect(cashier.locator("#cashier")).toHaveAttribute("data-state", "closed", { timeout: 500 });
  }).toPass();
  await cashier.locator("#corner summary").click();
  await cashier.locator("#pay-although-closed").click();

  await order.expectToShow(page.locator('[data-surplus="refunded"]'));
});

test("a shipped order is received", async ({ form, order, page, shop }) => {
  await form.openAndFill();
  await form.order();
  await order.pay("wechat");
  await shop.ship(await order.number());
  await order.expectStatus("SHIPPED");

  await page.locator("#receipt-form button").click();

  await order.expectStatus("COMPLETED");
  await expect(page.locator("#receipt-form")).toHaveCount(0);
});
