// The official gRPC-Web client in a browser. It streams only in the text form, over XMLHttpRequest, which cannot read bytes while they
// arrive.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { expect, onTestFinished, test } from "vitest";
import { WatchPricesRequestSchema, WatchPricesResponseSchema } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { ROOT } from "../../fixtures/root.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { HEARTBEAT_MS, startWatchScene } from "../streams/watch-scene.ts";

const BROWSER = ["chromium", "google-chrome"].find((name) => spawnSync(name, ["--version"]).status === 0);
// A little longer than three heartbeats.
const INTERVAL_SECONDS = 50;

// What the page receives, each sent on to the test in order.
interface Heard {
  readonly event: string;
  readonly [name: string]: unknown;
}

// Runs in the page.
const scriptOf = (origin: string, key: string, request: Uint8Array): string => `
  import { GrpcWebClientBase, MethodDescriptor, MethodType } from "/grpc-web.js";
  let last = Promise.resolve();
  const tell = (heard) => {
    last = last.then(() => fetch("/heard", { method: "POST", body: JSON.stringify(heard) }));
  };
  const path = "/quintet.tokenprice.v1.TokenPriceService/WatchPrices";
  const input = new Uint8Array(${JSON.stringify([...request])});
  const method = new MethodDescriptor(path, MethodType.SERVER_STREAMING, Uint8Array, Uint8Array, (bytes) => bytes, (bytes) => bytes);
  const client = new GrpcWebClientBase({ format: "text" });
  const stream = client.serverStreaming("${origin}" + path, input, { "x-gateway-key": "${key}" }, method);
  stream.on("data", (bytes) => tell({ event: "data", bytes: [...bytes] }));
  stream.on("error", ({ code, message }) => tell({ event: "error", code, message }));
  stream.on("end", () => tell({ event: "end" }));
`;

// Serves the page, and passes on what it receives.
async function servePage(script: string): Promise<{ readonly url: string; next(): Promise<Heard> }> {
  const files: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
    "/": ["text/html", `<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>`],
    "/page.js": ["text/javascript", script],
    "/grpc-web.js": ["text/javascript", readFileSync(join(ROOT, "node_modules/grpc-web/index.esm.js"))],
  };
  const heard: Heard[] = [];
  const waiting: ((heard: Heard) => void)[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === "/heard") {
      const one = JSON.parse((await request.toArray()).join("")) as Heard;
      response.end();
      const hear = waiting.shift() ?? ((late: Heard) => heard.push(late));
      hear(one);
      return;
    }
    const [type, body] = files[request.url ?? ""] ?? ["text/plain", ""];
    response.writeHead(200, { "content-type": type }).end(body);
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    next: () => {
      const one = heard.shift();
      return one === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(one);
    },
  };
}

function openBrowser(browser: string, url: string): void {
  const { path, remove } = makeTemporaryDirectory();
  const options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"];
  const child = spawn(browser, [...options, `--user-data-dir=${path}`, url], { stdio: "ignore", detached: true });
  onTestFinished(async () => {
    process.kill(-(child.pid as number), "SIGKILL");
    await once(child, "exit");
    remove();
  });
}

test.runIf(BROWSER !== undefined)(
  "the official gRPC-Web client gets each message as it arrives, heartbeats, and the failure that ends the stream (skipped without Chromium)",
  async () => {
    const scene = await startWatchScene();
    const { gateway, clock, secret, key, prices } = scene;
    const request = create(WatchPricesRequestSchema, { tokens: ["coingecko:bitcoin"], intervalSeconds: INTERVAL_SECONDS });
    const page = await servePage(scriptOf(gateway.origin, secret, toBinary(WatchPricesRequestSchema, request)));
    const message = async (): Promise<unknown> => {
      const { event, bytes, ...others } = await page.next();
      const read = Array.isArray(bytes) ? fromBinary(WatchPricesResponseSchema, new Uint8Array(bytes)) : undefined;
      return read === undefined ? { event, ...others } : toJson(WatchPricesResponseSchema, read);
    };
    openBrowser(BROWSER as string, page.url);
    expect(await message()).toMatchObject({ results: [{ token: "coingecko:bitcoin", price: 95_000 }] });
    for (let beat = 0; beat < 3; beat += 1) {
      await scene.untilSilent();
      clock.advance(HEARTBEAT_MS);
      expect(await message()).toEqual({ heartbeat: true });
    }
    prices.set("coingecko:bitcoin", 96_000);
    await scene.untilSilent();
    clock.advance(INTERVAL_SECONDS * 1000 - 3 * HEARTBEAT_MS);
    expect(await message()).toMatchObject({ results: [{ price: 96_000 }] });
    await gateway.store.revokeKey(key.id);
    expect(await message()).toMatchObject({ event: "error", code: 16, message: expect.stringContaining("revoked") });
  },
);
