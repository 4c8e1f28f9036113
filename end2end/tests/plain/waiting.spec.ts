// Without the browser's code, the server's pages do the waiting.

import { TEA } from "../../support/order-form.ts";
import { countOrders, expect, test } from "../../support/shop.ts";

test("the form is a plain post, and no field is in an address", async ({ page, form }) => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(`${request.method()} ${decodeURIComponent(request.url())}`));
  await form.openAndFill(TEA.sku, { name: "Nowhere In An Address" });

  await form.order();

  expect(requests.filter((request) => request.startsWith("POST ")).length).toBe(1);
  expect(requests.filter((request) => request.includes("Nowhere"))).toEqual([]);
});

test("a page without code asks for none", async ({ page }) => {
  await page.goto("/");

  expect(await page.locator("script[src]").count()).toBe(0);
});

test.describe("on a server that takes three seconds", () => {
  test.use({ ownServer: { ONCEMART_FAULT: "after_claim:delay:3000" } });

  test("a page says that the order is being worked on and looks again until it is there", async ({ page, context, form, shop }) => {
    const before = await shop.available(TEA.sku);
    await form.openAndFill();

    await form.pressTwice();

    await expect(page.locator("#still-working")).toBeVisible();
    await form.orderNumber();
    expect(await countOrders(context)).toBe(1);
    expect(await shop.available(TEA.sku)).toBe(before - 1);
  });
});

test.describe("on a server that dies between the commit and the answer", () => {
  test.use({ ownServer: { ONCEMART_FAULT: "after_commit:abort" } });

  test("sending the form again after going back leads to the stored order", async ({ page, context, form, shop }) => {
    await form.openAndFill();
    await form.submit.click({ noWaitAfter: true });
    await shop.ended();
    await shop.restart();

    await form.open();
    await page.locator("#became-order-link").click();

    await form.orderNumber();
    expect(await countOrders(context)).toBe(1);
  });
});
