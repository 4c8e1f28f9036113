// Every page and every state of it: rules of accessibility in light and dark, and narrow screens. The server's HTML is the same without
// the browser's code, so looking at it once is enough; the one state that exists only without it is looked at in `plain/waiting.spec.ts`.

import type { Page } from "@playwright/test";
import { expectAccessible, expectNoOverflow } from "../../support/accessibility.ts";
import { TEA, type OrderForm } from "../../support/order-form.ts";
import type { OrderPage } from "../../support/payment.ts";
import { expect, test } from "../../support/shop.ts";

/** Every page and state, by name, with the way to get there. */
const PLACES: [string, (page: Page, form: OrderForm, order: OrderPage) => Promise<void>][] = [
  ["the catalogue", async (page) => void (await page.goto("/"))],
  ["the empty form", async (_, form) => form.open()],
  [
    "a form with mistakes",
    async (_, form) => {
      await form.open();
      await form.setQuantity(TEA.sku, "0");
      await form.submit.click();
      await expect(form.errorSummary).toBeVisible();
    },
  ],
  [
    "a refused form",
    async (_, form) => {
      await form.openAndFill();
      await form.field("coupon").fill("NO-SUCH-COUPON");
      await form.submit.click();
      await expect(form.notice).toBeVisible();
    },
  ],
  [
    "a form that became an order",
    async (_, form) => {
      await form.openAndFill();
      await form.postBehindThePage();
      await form.open();
      await expect(form.becameOrder).toBeVisible();
    },
  ],
  [
    "an order",
    async (_, form) => {
      await form.openAndFill();
      await form.order();
    },
  ],
  [
    "an order with a QR code to scan",
    async (_, form, order) => {
      await form.openAndFill();
      await form.order();
      await order.choose("wechat");
    },
  ],
  [
    "an order with a payment to go to",
    async (_, form, order) => {
      await form.openAndFill();
      await form.order();
      await order.choose("alipay");
    },
  ],
  [
    "an order whose payment failed",
    async (page, form, order) => {
      await form.openAndFill();
      await form.order();
      await order.choose("wechat");
      await order.atTheCashier("fail");
      await expect(page.locator("#payment-failed")).toBeVisible();
    },
  ],
  [
    "a cancelled order",
    async (page, form, order) => {
      await form.openAndFill();
      await form.order();
      await page.locator("#cancel > summary").click();
      await expectAccessible(page);
      await page.locator("#cancel-order").click();
      await order.expectStatus("CLOSED");
    },
  ],
  [
    "a paid order with a refund and the form of another",
    async (_, form, order) => {
      await form.openAndFill();
      await form.order();
      await order.pay("webhook");
      await order.refund("One is enough", "5.00");
      await order.expectRefunded("5.00");
      await order.fillRefund("None, after all");
    },
  ],
  [
    "a refused refund",
    async (_, form, order) => {
      await form.openAndFill();
      await form.order();
      await order.pay("alipay");
      await order.refund("Much too much", "999999.00");
      await expect(order.notice).toBeVisible();
    },
  ],
  [
    "a refunded order",
    async (_, form, order) => {
      await form.openAndFill();
      await form.order();
      await order.pay("wechat");
      await order.refund("None, after all");
      await order.expectStatus("REFUNDED");
    },
  ],
  [
    "a list of orders",
    async (page, form) => {
      await form.openAndFill();
      await form.order();
      await page.goto("/orders");
    },
  ],
  ["an empty list of orders", async (page) => void (await page.goto("/orders"))],
  ["the list of problems", async (page) => void (await page.goto("/problems"))],
  ["a problem", async (page) => void (await page.goto("/problems/sold-out"))],
  ["a page that does not exist", async (page) => void (await page.goto("/orders/none"))],
];

for (const [name, reach] of PLACES) {
  test(`${name} is accessible in light and in dark`, async ({ page, form, order }) => {
    await reach(page, form, order);

    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await expectAccessible(page);
  });

  test(`${name} fits a screen of 320 pixels`, async ({ page, form, order }) => {
    await page.setViewportSize({ width: 320, height: 640 });

    await reach(page, form, order);

    await expectNoOverflow(page);
  });
}
