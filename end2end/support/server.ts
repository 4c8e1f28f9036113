// The real server, with a data directory of its own (and hence an empty SQLite database) on a free port of this machine.

import { execFile, spawn, type ChildProcess } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

export type Environment = Record<string, string>;

/** A row of `oncemart product list --json`. */
export interface Product {
  sku: string;
  available: number;
  price_fen: number;
  on_sale: boolean;
}

const root = resolve(import.meta.dirname, "../..");
const binary = process.env.ONCEMART_BINARY ?? join(root, "target/debug/oncemart");
const run = promisify(execFile);

export class Server {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly directory: string,
    private readonly port: number,
  ) {}

  static async start(environment: Environment = {}): Promise<Server> {
    const server = new Server(mkdtempSync(join(tmpdir(), "oncemart-")), await freePort());
    await server.serve(environment);
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Whether the process lives. */
  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts again on the same data and the same port, as after an update or on another day. */
  async restart(environment: Environment = {}): Promise<void> {
    await this.end("SIGTERM");
    await this.serve(environment);
  }

  /** Waits until the process has ended by itself. */
  async ended(): Promise<void> {
    const child = this.child;
    if (child !== undefined && this.running) {
      await new Promise((resolve) => child.once("exit", resolve));
    }
  }

  /** Ends the process at once, as a loss of power would. */
  async kill(): Promise<void> {
    await this.end("SIGKILL");
  }

  /** Ends the process in order and removes its data. */
  async stop(): Promise<void> {
    await this.end("SIGTERM");
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** What the process has said. */
  log(): string {
    return readFileSync(this.logFile, "utf8");
  }

  async setStock(sku: string, pieces: number): Promise<void> {
    await this.command("product", "set", "--sku", sku, "--stock", String(pieces));
  }

  async setPrice(sku: string, fen: number): Promise<void> {
    await this.command("product", "set", "--sku", sku, "--price-fen", String(fen));
  }

  async setOnSale(sku: string, onSale: boolean): Promise<void> {
    await this.command("product", "set", "--sku", sku, "--on-sale", String(onSale));
  }

  /** Sends a paid order off. */
  async ship(order: string): Promise<void> {
    await this.command("ship", order);
  }

  /** Pieces of a product that can still be ordered. */
  async available(sku: string): Promise<number> {
    const lines = (await this.command("product", "list", "--json")).split("\n").filter((line) => line !== "");
    const product = lines.map((line) => JSON.parse(line) as Product).find((product) => product.sku === sku);
    if (product === undefined) {
      throw new Error(`the catalogue has no ${sku}`);
    }
    return product.available;
  }

  private get logFile(): string {
    return join(this.directory, "server.log");
  }

  private environment(more: Environment): NodeJS.ProcessEnv {
    return {
      ...process.env,
      LEPTOS_OUTPUT_NAME: process.env.LEPTOS_OUTPUT_NAME ?? "oncemart",
      LEPTOS_SITE_ROOT: process.env.LEPTOS_SITE_ROOT ?? join(root, "target/site"),
      LEPTOS_SITE_PKG_DIR: process.env.LEPTOS_SITE_PKG_DIR ?? "pkg",
      LEPTOS_HASH_FILES: "true",
      ONCEMART_SITE_ROOT: process.env.ONCEMART_SITE_ROOT ?? join(root, "target/site"),
      ONCEMART_ADDR: `127.0.0.1:${this.port}`,
      ONCEMART_PUBLIC_URL: this.url,
      ONCEMART_DATA_DIR: this.directory,
      // Whatever the caller has configured, these tests are about the embedded database.
      DATABASE_URL: undefined,
      REDIS_URL: undefined,
      ...more,
    };
  }

  private async serve(environment: Environment): Promise<void> {
    const log = openSync(this.logFile, "a");
    this.child = spawn(binary, ["serve"], {
      cwd: this.directory,
      env: this.environment(environment),
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    const deadline = Date.now() + 20_000;
    while (!(await this.ready())) {
      if (!this.running || Date.now() > deadline) {
        await this.kill();
        throw new Error(`the server did not become ready; it said:\n${this.log()}`);
      }
      await pause(25);
    }
  }

  private async ready(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/health/ready`)).ok;
    } catch {
      return false;
    }
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.running) {
      this.child?.kill(signal);
      await this.ended();
    }
  }

  private async command(...words: string[]): Promise<string> {
    const { stdout } = await run(binary, words, { cwd: this.directory, env: this.environment({}) });
    return stdout;
  }
}

/** A port that nobody uses. It must be known beforehand, because the pages' addresses outlive a restart of the server. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
