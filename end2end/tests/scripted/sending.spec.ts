// The browser's code on a good network, a bad one and none: one token, as many attempts as it takes, one order.

import { answerFirst, loseAnswers, loseRequests } from "../../support/network.ts";
import { orderNumber, TEA } from "../../support/order-form.ts";
import { countOrders, expect, test } from "../../support/shop.ts";

test("offline, the page says so honestly, and the order goes out once the network is back", async ({ context, form }) => {
  await form.openAndFill();
  await context.setOffline(true);

  await form.submit.click();
  await expect(form.status).toHaveText(/offline.*only once/);
  await expect(form.submit).toHaveAttribute("aria-disabled", "true");
  await form.expectReceiver();
  await context.setOffline(false);

  await form.orderNumber();
  expect(await countOrders(context)).toBe(1);
});

test("an answer that is lost after the order was stored is asked for again, and is the same order", async ({ page, context, form, shop }) => {
  const before = await shop.available(TEA.sku);
  const losses = await loseAnswers(page, 2);
  await form.openAndFill();

  await form.submit.click();
  await expect(form.status).toContainText("you will not be charged twice");

  await form.orderNumber();
  expect(losses.attempts).toBe(3);
  expect(await countOrders(context)).toBe(1);
  expect(await shop.available(TEA.sku)).toBe(before - 1);
});

test("every attempt carries the same token and the same content", async ({ page, form }) => {
  const sent: (string | null)[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/orders") {
      sent.push(`${request.headers()["x-submit-token"]} ${request.postData()}`);
    }
  });
  await loseRequests(page, 2);
  await form.openAndFill();
  const token = await form.token();

  await form.order();

  expect(sent).toHaveLength(3);
  expect(new Set(sent).size).toBe(1);
  expect(sent[0]).toContain(token);
});

test("a form posted after its fetch was lost leads to the same order", async ({ page, context, form }) => {
  await loseAnswers(page, Number.POSITIVE_INFINITY);
  await form.openAndFill();
  await form.submit.click();
  await expect(form.status).toContainText("you will not be charged twice");

  // As if the browser's code had died with the attempt: the form is still a form.
  await form.form.evaluate((form) => HTMLFormElement.prototype.submit.call(form));

  await form.orderNumber();
  expect(await countOrders(context)).toBe(1);
});

test("the pause between two attempts ends when the buyer says so", async ({ page, context, form }) => {
  await answerFirst(page, 503, "600");
  await form.openAndFill();
  await form.submit.click();

  await page.locator("#try-now").click();

  await form.orderNumber();
  expect(await countOrders(context)).toBe(1);
});

for (const status of [409, 429, 503]) {
  test(`an answer ${status} that says when to come back is waited out with the same token`, async ({ page, context, form }) => {
    const losses = await answerFirst(page, status, "1");
    await form.openAndFill();

    await form.order();

    expect(losses.attempts).toBe(2);
    expect(await countOrders(context)).toBe(1);
  });
}

test("clicks while the browser is leaving for the order order nothing more", async ({ page, context, form, shop }) => {
  const before = await shop.available(TEA.sku);
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") {
      posts.push(request.url());
    }
  });
  await form.openAndFill();
  await form.status.evaluate((status, done) => {
    const press = (): void => {
      if (status.textContent === done) {
        document.querySelector<HTMLElement>("#place-order")?.click();
        document.querySelector<HTMLElement>("#default-submit")?.click();
      }
    };
    new MutationObserver(press).observe(status, { childList: true });
  }, await form.text("done"));

  await form.order();

  expect(posts).toHaveLength(1);
  expect(await countOrders(context)).toBe(1);
  expect(await shop.available(TEA.sku)).toBe(before - 1);
});

test.describe("on a slow server", () => {
  test.use({ ownServer: { ONCEMART_FAULT: "before_answer:delay:400" } });

  test("a double click becomes one order, and the button says what is going on", async ({ page, context, form, shop }) => {
    const before = await shop.available(TEA.sku);
    const attempts: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") {
        attempts.push(request.url());
      }
    });
    await form.openAndFill();

    await form.pressTwice();
    await expect(form.submit).toHaveText(await form.text("busy"));
    await expect(form.submit).toHaveAttribute("aria-disabled", "true");
    await page.keyboard.press("Enter");
    await form.pressBlindly();

    await form.orderNumber();
    expect(attempts).toHaveLength(1);
    expect(await countOrders(context)).toBe(1);
    expect(await shop.available(TEA.sku)).toBe(before - 1);
  });

  test("what is on its way cannot be changed meanwhile", async ({ page, form }) => {
    await form.openAndFill();

    await form.submit.click();

    await expect(form.status).toHaveText(await form.text("sending"));
    expect(await form.quantity(TEA.sku).evaluate((input) => input.closest("[inert]") !== null)).toBe(true);
    await orderNumber(page);
  });
});

test.describe("on a server that dies between the commit and the answer", () => {
  test.use({ ownServer: { ONCEMART_FAULT: "after_commit:abort" } });

  test("the retry gets the order that the dead server had stored", async ({ context, form, shop }) => {
    const before = await shop.available(TEA.sku);
    await form.openAndFill();
    await form.submit.click();
    await shop.ended();

    await shop.restart();

    await form.orderNumber();
    expect(await countOrders(context)).toBe(1);
    expect(await shop.available(TEA.sku)).toBe(before - 1);
  });
});

test.describe("on a server that dies before the commit", () => {
  test.use({ ownServer: { ONCEMART_FAULT: "after_claim:abort" } });

  test("the retry orders, after the dead server's claim has run out", async ({ context, form, shop }) => {
    const before = await shop.available(TEA.sku);
    await form.openAndFill();
    await form.submit.click();
    await shop.ended();
    expect(await shop.available(TEA.sku)).toBe(before);

    await shop.restart();

    await expect(form.page.locator("#order")).toBeVisible({ timeout: 30_000 });
    expect(await countOrders(context)).toBe(1);
    expect(await shop.available(TEA.sku)).toBe(before - 1);
  });
});
