// What a buyer can do in the form before it is sent, and what it says when something is wrong.

import { NOTEBOOK, TEA } from "../../support/order-form.ts";
import { countOrders, expect, test } from "../../support/shop.ts";

/** Ten were made. */
const MUG = "SKU-10";

test("lines can be added, changed and removed", async ({ page, form }) => {
  await form.openAndFill();
  await form.add(NOTEBOOK.sku);
  await form.expectReceiver();

  await form.setQuantity(NOTEBOOK.sku, "3");
  await page.locator("#recalculate").click();
  await expect(form.total).toHaveText("¥46.30");
  await form.line(TEA.sku).locator('[name="edit"]').click();
  await expect(form.line(TEA.sku)).toHaveCount(0);
  await expect(form.total).toHaveText("¥26.40");
  await form.expectReceiver();

  await form.order();
  await expect(page.locator("#order [data-sku]")).toHaveCount(1);
  await expect(page.locator(`#order [data-sku="${NOTEBOOK.sku}"]`)).toContainText("3");
});

test("editing the form keeps its token and orders nothing", async ({ context, form }) => {
  await form.openAndFill();
  const token = await form.token();

  await form.add(NOTEBOOK.sku);

  expect(await form.token()).toBe(token);
  expect(await countOrders(context)).toBe(0);
});

test("a coupon is taken off and stands on the order", async ({ page, form }) => {
  await form.openAndFill();
  await form.applyCoupon("WELCOME5");
  await expect(page.locator("#discount")).toHaveText("−¥5.00");
  await expect(form.total).toHaveText("¥14.90");

  await form.order();

  await expect(page.locator("#total")).toHaveText("¥14.90");
  await expect(page.locator("#order")).toContainText("WELCOME5");
});

test("a coupon that does not exist orders nothing, above all not at the full price", async ({ context, form }) => {
  await form.openAndFill();
  const token = await form.token();
  await form.field("coupon").fill("NO-SUCH-COUPON");

  await form.submit.click();

  await expect(form.notice).toHaveAttribute("data-notice", "coupon-not-usable");
  await form.expectReceiver();
  expect(await form.token()).toBe(token);
  expect(await countOrders(context)).toBe(0);
});

test("an empty form sent from the keyboard says what is missing, where the focus is", async ({ page, context, form }) => {
  await form.open();
  await form.field("name").focus();

  await page.keyboard.press("Enter");

  await expect(form.errorSummary).toBeVisible();
  const messages = page.locator("#form-messages");
  await expect(messages).toBeFocused();
  for (const name of ["name", "phone", "address"]) {
    await expect(form.field(name)).toHaveAttribute("aria-invalid", "true");
    const described = await form.field(name).getAttribute("aria-describedby");
    expect(described).toContain(`${name}-error`);
    await expect(page.locator(`#${name}-error`)).not.toBeEmpty();
  }
  await expect(form.field("note")).not.toHaveAttribute("aria-invalid");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(form.field("name")).toBeFocused();
  expect(await countOrders(context)).toBe(0);
});

test("a mistake is corrected in the same form with the same token", async ({ context, form }) => {
  await form.openAndFill(TEA.sku, { phone: "call me" });
  const token = await form.token();

  await form.submit.click();
  await expect(form.field("phone")).toHaveAttribute("aria-invalid", "true");
  await form.untilAlive();
  await form.expectReceiver({ phone: "call me" });
  expect(await form.token()).toBe(token);
  await form.field("phone").fill("010 1234567");
  await form.order();

  expect(await countOrders(context)).toBe(1);
});

for (const quantity of ["0", "-1", "1.5", "100", "many", ""]) {
  test(`a quantity of "${quantity}" is not accepted and not rounded`, async ({ context, form }) => {
    await form.openAndFill();
    await form.setQuantity(TEA.sku, quantity);

    await form.submit.click();

    await expect(form.quantity(TEA.sku)).toHaveAttribute("aria-invalid", "true");
    await expect(form.quantity(TEA.sku)).toHaveValue(quantity);
    expect(await countOrders(context)).toBe(0);
  });
}

test.describe("in a shop of its own", () => {
  test.use({ ownServer: {} });

  test("a form that asks for more than is left is corrected with the same token", async ({ context, form, shop }) => {
    await shop.setStock(MUG, 3);
    await form.openAndFill(MUG);
    const token = await form.token();
    await form.setQuantity(MUG, "4");

    await form.submit.click();
    await expect(form.notice).toHaveAttribute("data-notice", "sold-out");
    await expect(form.notice).toContainText("3");
    await form.untilAlive();
    await form.expectReceiver();
    await expect(form.quantity(MUG)).toHaveValue("4");
    expect(await form.token()).toBe(token);
    expect(await shop.available(MUG)).toBe(3);
    await form.setQuantity(MUG, "3");
    await form.order();

    expect(await countOrders(context)).toBe(1);
    expect(await shop.available(MUG)).toBe(0);
  });

  test("a price that changed meanwhile is shown before anything is ordered", async ({ page, context, form, shop }) => {
    await form.openAndFill();
    await shop.setPrice(TEA.sku, 2_990);

    await form.submit.click();
    await expect(form.notice).toHaveAttribute("data-notice", "price-changed");
    await expect(form.total).toHaveText("¥29.90");
    expect(await countOrders(context)).toBe(0);
    await form.untilAlive();
    await form.order();

    await expect(page.locator("#total")).toHaveText("¥29.90");
  });

  test("a product that went off sale is not ordered", async ({ page, context, form, shop }) => {
    await form.openAndFill();
    await shop.setOnSale(TEA.sku, false);

    await form.submit.click();

    await expect(form.notice).toHaveAttribute("data-notice", "product-off-sale");
    expect(await countOrders(context)).toBe(0);
    await page.goto("/");
    await expect(page.locator(`[data-sku="${TEA.sku}"] [data-availability]`)).toHaveAttribute("data-availability", "off-sale");
  });
});
