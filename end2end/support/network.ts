// A network that fails at chosen moments.

import type { Page } from "@playwright/test";

export interface Losses {
  /** Requests for an order that left the page. */
  attempts: number;
}

const ORDERS = "**/api/orders";

/** Lets the first orders reach the server and loses their answers. */
export async function loseAnswers(page: Page, count: number): Promise<Losses> {
  const losses = { attempts: 0 };
  await page.route(ORDERS, async (route) => {
    losses.attempts += 1;
    if (losses.attempts <= count) {
      await route.fetch();
      await route.abort("connectionreset");
    } else {
      await route.continue();
    }
  });
  return losses;
}

/** Loses the first orders on their way to the server. */
export async function loseRequests(page: Page, count: number): Promise<Losses> {
  const losses = { attempts: 0 };
  await page.route(ORDERS, async (route) => {
    losses.attempts += 1;
    await (losses.attempts <= count ? route.abort("connectionfailed") : route.continue());
  });
  return losses;
}

/** Answers the first orders as an overloaded server would, without asking the real one. */
export async function answerFirst(page: Page, status: number, retryAfter: string): Promise<Losses> {
  const losses = { attempts: 0 };
  await page.route(ORDERS, async (route) => {
    losses.attempts += 1;
    if (losses.attempts === 1) {
      await route.fulfill({
        status,
        headers: { "retry-after": retryAfter },
        contentType: "application/problem+json",
        body: JSON.stringify({ title: "Not now", status }),
      });
    } else {
      await route.continue();
    }
  });
  return losses;
}

/** Holds back the browser's code until the given function is called. */
export async function holdBackCode(page: Page): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/*.wasm", async (route) => {
    await released;
    // The page may be gone by now, and with it the request.
    await route.continue().catch(() => undefined);
  });
  return release;
}
