// The order form as a buyer meets it, and the order's page after it.

import { expect, type Locator, type Page } from "@playwright/test";

export interface Receiver {
  name: string;
  phone: string;
  address: string;
  note: string;
}

/** A receiver whose every field says whose it is. */
export const RECEIVER: Receiver = {
  name: "Lin Xia",
  phone: "+86 10 6552 9988",
  address: "北京市东城区朝阳门内大街 1 号",
  note: "Please ring twice",
};

/** A product of the first catalogue with plenty of pieces: jasmine tea. */
export const TEA = { sku: "SKU-3", name: "Tin of green tea", fen: 1_990 };
/** Another: a notebook. */
export const NOTEBOOK = { sku: "SKU-2", name: "Notebook", fen: 880 };

export class OrderForm {
  readonly form: Locator;
  readonly submit: Locator;
  readonly status: Locator;
  readonly notice: Locator;
  readonly errorSummary: Locator;
  readonly becameOrder: Locator;
  readonly total: Locator;

  constructor(
    readonly page: Page,
    private readonly scripted: boolean,
  ) {
    this.form = page.locator("#order-form");
    this.submit = page.locator("#place-order");
    this.status = page.locator("#send-status");
    this.notice = page.locator("#notice");
    this.errorSummary = page.locator("#error-summary");
    this.becameOrder = page.locator("#became-order");
    this.total = page.locator("#total");
  }

  /** The same form in another tab of the same browser. */
  async inNewTab(): Promise<OrderForm> {
    return new OrderForm(await this.page.context().newPage(), this.scripted);
  }

  async open(sku: string = TEA.sku): Promise<void> {
    await this.page.goto(`/order/new?sku=${encodeURIComponent(sku)}`);
    await this.untilAlive();
  }

  /** Opens the form and fills it in. */
  async openAndFill(sku: string = TEA.sku, receiver: Partial<Receiver> = {}): Promise<void> {
    await this.open(sku);
    await this.fill(receiver);
  }

  async fill(receiver: Partial<Receiver> = {}): Promise<void> {
    for (const [name, value] of Object.entries({ ...RECEIVER, ...receiver })) {
      await this.field(name).fill(value);
    }
  }

  field(name: string): Locator {
    return this.form.locator(`[name="${name}"]`);
  }

  line(sku: string): Locator {
    return this.form.locator(`[data-line][data-sku="${sku}"]`);
  }

  quantity(sku: string): Locator {
    return this.line(sku).locator('[name="qty"]');
  }

  async token(): Promise<string> {
    return this.field("submit_token").inputValue();
  }

  /** What the form's code says in one of its states; the texts stand on the form. */
  async text(state: "busy" | "sending" | "retry" | "offline" | "done" | "unknown"): Promise<string> {
    const text = await this.form.getAttribute(`data-text-${state}`);
    expect(text, `the text of the state "${state}"`).toBeTruthy();
    return text ?? "";
  }

  async setQuantity(sku: string, quantity: string): Promise<void> {
    await this.quantity(sku).fill(quantity);
  }

  async add(sku: string): Promise<void> {
    await this.field("add_sku").selectOption(sku);
    await this.page.locator("#add-line").click();
    await expect(this.line(sku)).toBeVisible();
  }

  async applyCoupon(code: string): Promise<void> {
    await this.field("coupon").fill(code);
    await this.page.locator("#apply-coupon").click();
  }

  async expectReceiver(receiver: Partial<Receiver> = {}): Promise<void> {
    for (const [name, value] of Object.entries({ ...RECEIVER, ...receiver })) {
      await expect(this.field(name)).toHaveValue(value);
    }
  }

  /** Presses the button twice, as an impatient buyer does, whatever the page makes of it in between. */
  async pressTwice(): Promise<void> {
    const { x, y } = await this.placeOfButton();
    await this.page.mouse.dblclick(x, y);
  }

  /** Where the button is, for a press that must not wait until the page is ready for it. */
  async placeOfButton(): Promise<{ x: number; y: number }> {
    await this.submit.scrollIntoViewIfNeeded();
    const box = await this.submit.boundingBox();
    if (box === null) {
      throw new Error("the button is nowhere on the page");
    }
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  /** Presses the button if it is there, without waiting for anything. */
  async pressBlindly(): Promise<void> {
    const press = (): void => document.querySelector<HTMLElement>("#place-order")?.click();
    // The browser may be leaving the page at this very moment.
    await this.page.evaluate(press).catch(() => undefined);
  }

  /** Waits for the order's page and gives the order's number. */
  async orderNumber(): Promise<string> {
    return orderNumber(this.page);
  }

  /** Orders and gives the order's number. */
  async order(): Promise<string> {
    await this.submit.click();
    return this.orderNumber();
  }

  /** What the form would send as it stands. */
  async content(): Promise<string> {
    return this.form.evaluate((form) => {
      const fields = [...new FormData(form as HTMLFormElement)].map(([name, value]) => [name, String(value)]);
      return new URLSearchParams(fields).toString();
    });
  }

  /** Posts the form as it stands without leaving the page, and gives the answer. */
  async postBehindThePage(): Promise<{ status: number; location: string }> {
    const address = new URL(this.page.url());
    const response = await this.page.request.post(address.href, {
      headers: { "content-type": "application/x-www-form-urlencoded", origin: address.origin, accept: "text/html" },
      data: await this.content(),
      maxRedirects: 0,
    });
    return { status: response.status(), location: response.headers()["location"] ?? "" };
  }

  /** Waits until the browser's code has taken the form over, where there is any: then the total follows an input. */
  async untilAlive(): Promise<void> {
    if (!this.scripted || (await this.form.count()) === 0) {
      return;
    }
    await expect.poll(() => this.alive(), { message: "the form's code is running" }).toBe(true);
  }

  async alive(): Promise<boolean> {
    return this.form.evaluate((form) => {
      const total = form.querySelector("#total");
      if (total === null) {
        return false;
      }
      const shown = total.textContent;
      total.textContent = "";
      form.dispatchEvent(new Event("input", { bubbles: true }));
      const follows = total.textContent !== "";
      total.textContent = shown;
      form.dispatchEvent(new Event("input", { bubbles: true }));
      return follows;
    });
  }
}

/** Waits for an order's page and gives the order's number. */
export async function orderNumber(page: Page): Promise<string> {
  const order = page.locator("#order");
  await expect(order).toBeVisible();
  const number = (await order.getAttribute("data-order")) ?? "";
  expect(new URL(page.url()).pathname).toBe(`/orders/${number}`);
  return number;
}
