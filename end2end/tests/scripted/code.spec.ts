// The browser's code arrives late, or is cheated: the form is the server's HTML, and what is seen is what is sent.

import { expectAccessible } from "../../support/accessibility.ts";
import { holdBackCode } from "../../support/network.ts";
import { NOTEBOOK, RECEIVER, TEA } from "../../support/order-form.ts";
import { countOrders, expect, test } from "../../support/shop.ts";

test("what was typed before the code arrived is still there after it", async ({ page, form }) => {
  const release = await holdBackCode(page);
  await page.goto(`/order/new?sku=${TEA.sku}`, { waitUntil: "commit" });
  await form.fill();
  await form.setQuantity(TEA.sku, "7");
  expect(await form.alive()).toBe(false);

  release();
  await form.untilAlive();

  await form.expectReceiver();
  await expect(form.quantity(TEA.sku)).toHaveValue("7");
  await expect(form.total).toHaveText("¥139.30");
});

test("a press before the code arrived is a plain post that shows no field in an address", async ({ page, context, form }) => {
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  const release = await holdBackCode(page);
  await page.goto(`/order/new?sku=${TEA.sku}`, { waitUntil: "commit" });
  await form.fill({ name: "Nowhere In An Address" });

  await form.submit.click();

  await form.orderNumber();
  release();
  expect(addresses.filter((address) => decodeURIComponent(address).includes("Nowhere"))).toEqual([]);
  expect(addresses.some((address) => address.includes("/api/orders"))).toBe(false);
  expect(await countOrders(context)).toBe(1);
});

test("values that a program filled in without events are sent", async ({ page, form }) => {
  await form.open();
  await form.form.evaluate((form, receiver) => {
    for (const [name, value] of Object.entries(receiver)) {
      (form.querySelector(`[name="${name}"]`) as HTMLInputElement).value = value;
    }
  }, RECEIVER);

  await form.order();

  await expect(page.locator("#receiver-name")).toHaveText(RECEIVER.name);
  await expect(page.locator("#receiver-address")).toHaveText(RECEIVER.address);
});

test("the total follows the typing", async ({ form }) => {
  await form.open();

  await form.setQuantity(TEA.sku, "3");
  await expect(form.total).toHaveText("¥59.70");
  await form.setQuantity(TEA.sku, "x");

  await expect(form.total).toHaveText(await form.text("unknown"));
});

test("an edit keeps the page, what was typed and the focus", async ({ page, form }) => {
  await form.openAndFill();
  let loads = 0;
  page.on("load", () => (loads += 1));

  await form.add(NOTEBOOK.sku);

  await expect(form.quantity(NOTEBOOK.sku)).toBeFocused();
  await form.expectReceiver();
  expect(loads).toBe(0);
});

test("two presses by a program, in a form that has become an order, lead to that order", async ({ context, form }) => {
  await form.openAndFill();
  const { location } = await form.postBehindThePage();

  await form.form.evaluate((form) => {
    (form as HTMLFormElement).requestSubmit();
    (form as HTMLFormElement).requestSubmit();
  });

  expect(`/orders/${await form.orderNumber()}`).toBe(location);
  expect(await countOrders(context)).toBe(1);
});

test("the form is accessible while an order is on its way and when the network is gone", async ({ context, form }) => {
  await form.openAndFill();
  await context.setOffline(true);
  await form.submit.click();
  await expect(form.status).toHaveText(await form.text("offline"));

  await expectAccessible(form.page);

  await context.setOffline(false);
  await form.orderNumber();
});
