// The pages around the form: language, hostile input, narrow screens, dark screens, rules of accessibility.

import type { Page } from "@playwright/test";
import { expectAccessible, expectNoOverflow } from "../../support/accessibility.ts";
import { TEA, type OrderForm } from "../../support/order-form.ts";
import { expect, test } from "../../support/shop.ts";

test("the chosen language is kept", async ({ page, form }) => {
  await page.goto(`/order/new?sku=${TEA.sku}`);
  await page.locator('button[name="language"][value="zh"]').click();

  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
  expect(new URL(page.url()).pathname).toBe("/order/new");
  await page.goto("/");
  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
  await expect(page.locator(`[data-sku="${TEA.sku}"]`)).toContainText("茉莉花茶");
  await form.openAndFill();
  await form.order();
  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
});

test("the language switch leads to no other site", async ({ page, shop }) => {
  await page.goto("/");
  await page.locator('input[name="return_to"]').evaluate((input) => ((input as HTMLInputElement).value = "//example.org/"));

  await page.locator('button[name="language"][value="zh"]').click();

  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
  expect(new URL(page.url()).origin).toBe(shop.url);
});

test.describe("hostile input", () => {
  const attack = '"\'></textarea></title><script>document.title="owned"</script><img src=x onerror=document.title="owned">&lt;';
  const hostile = { name: attack.slice(0, 60), address: attack, note: attack };

  async function expectInert(page: Page): Promise<void> {
    await expect(page).not.toHaveTitle(/owned/);
    expect(await page.locator("main img[onerror], main script").count()).toBe(0);
  }

  test("is shown as text when the form comes back", async ({ page, form }) => {
    await form.openAndFill(TEA.sku, { ...hostile, phone: attack });
    await form.field("coupon").fill(attack);
    await form.setQuantity(TEA.sku, attack);

    await form.submit.click();

    await expect(form.errorSummary).toBeVisible();
    await expect(form.field("note")).toHaveValue(attack);
    await expect(form.field("address")).toHaveValue(attack);
    await expect(form.quantity(TEA.sku)).toHaveValue(attack);
    await expectInert(page);
  });

  test("is shown as text on the order's page and in the list", async ({ page, form }) => {
    await form.openAndFill(TEA.sku, hostile);
    await form.order();

    await expect(page.locator("#receiver-note")).toHaveText(attack);
    await expectInert(page);
    await page.goto("/orders");
    await expect(page.locator("#orders")).toBeVisible();
    await expectInert(page);
  });

  test("in the address is shown as text", async ({ page }) => {
    await page.goto(`/order/new?sku=${encodeURIComponent(attack)}`);

    await expect(page.locator("main")).toBeVisible();
    await expectInert(page);
  });
});

/** Every page and state, by name, with the way to get there. */
const PLACES: [string, (page: Page, form: OrderForm) => Promise<void>][] = [
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
  test(`${name} is accessible in light and in dark`, async ({ page, form }) => {
    await reach(page, form);

    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await expectAccessible(page);
  });

  test(`${name} fits a screen of 320 pixels`, async ({ page, form }) => {
    await page.setViewportSize({ width: 320, height: 640 });

    await reach(page, form);

    await expectNoOverflow(page);
  });
}

test("every page can be walked through from the keyboard, beginning with the way past the navigation", async ({ page, form }) => {
  await form.open();

  await page.keyboard.press("Tab");

  await expect(page.locator(".skip-link")).toBeFocused();
  await page.keyboard.press("Enter");
  expect(new URL(page.url()).hash).toBe("#main");
});
