// Gets token prices from Quintet, or watches them, with grpc-js.
//
// node prices.ts price|watch TOKEN...
import { readFileSync } from "node:fs";
import { credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { client, type TokenPriceClient } from "./client.ts";
import { detailsOf } from "./details.ts";
import type { GetPricesResponse__Output } from "./gen/quintet/tokenprice/v1/GetPricesResponse.ts";
import type { WatchPricesResponse__Output } from "./gen/quintet/tokenprice/v1/WatchPricesResponse.ts";

/** The time limit of a call, including its retries. */
const TIMEOUT_MS = 10_000;

function connect(): TokenPriceClient {
  const server = new URL(process.env.QUINTET_URL ?? "http://127.0.0.1:8080");
  const isSecure = server.protocol === "https:";
  return client(
    `${server.hostname}:${server.port || (isSecure ? 443 : 80)}`,
    isSecure ? credentials.createSsl() : credentials.createInsecure(),
    {
      // What is retried, and how often.
      "grpc.service_config": readFileSync("grpc-service-config.json", "utf8"),
    },
  );
}

function keyMetadata(): Metadata {
  const metadata = new Metadata();
  if (process.env.QUINTET_KEY !== undefined) {
    metadata.set("x-gateway-key", process.env.QUINTET_KEY);
  }
  return metadata;
}

function price(prices: TokenPriceClient, tokens: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    prices.getPrices({ tokens }, keyMetadata(), { deadline: Date.now() + TIMEOUT_MS }, (error, answer) => {
      if (answer === undefined) {
        reject(error);
        return;
      }
      print(answer);
      resolve();
    });
  });
}

// A stream has no deadline: it continues until one side ends it. Ctrl-C cancels it.
async function watch(prices: TokenPriceClient, tokens: string[]): Promise<void> {
  const stream = prices.watchPrices({ tokens }, keyMetadata());
  let isCancelled = false;
  process.once("SIGINT", () => {
    isCancelled = true;
    stream.cancel();
  });
  try {
    for await (const change of stream) {
      print(change);
    }
  } catch (error) {
    if (!isCancelled) {
      throw error;
    }
  }
}

function print({ results, missing }: GetPricesResponse__Output | WatchPricesResponse__Output): void {
  for (const result of results) {
    console.log(`${result.token} ${result.price} USD`);
  }
  for (const token of missing) {
    console.log(`${token} has no price`);
  }
}

// Programs decide by the reason; the message is for people.
function printError(error: ServiceError): void {
  let reason: string | undefined = status[error.code];
  const more: string[] = [];
  for (const detail of detailsOf(error)) {
    switch (detail.type) {
      case "google.rpc.ErrorInfo":
        reason = detail.value.reason;
        break;
      case "google.rpc.RetryInfo": {
        const { seconds = 0, nanos = 0 } = detail.value.retryDelay ?? {};
        more.push(`  retry after: ${Number(seconds) + nanos / 1e9} s`);
        break;
      }
      case "google.rpc.QuotaFailure":
        more.push(...detail.value.violations.map(({ subject }) => `  quota: ${subject}`));
        break;
      case "google.rpc.BadRequest":
        more.push(...detail.value.fieldViolations.map(({ field, description }) => `  field: ${field} ${description}`));
        break;
    }
  }
  console.error([`${reason}: ${error.details}`, ...more].join("\n"));
}

const [command, ...tokens] = process.argv.slice(2);
if ((command !== "price" && command !== "watch") || tokens.length === 0) {
  console.error("usage: node prices.ts price|watch TOKEN...");
  process.exit(2);
}
// One client serves all calls of a program. It connects for the first call.
const prices = connect();
try {
  await (command === "price" ? price(prices, tokens) : watch(prices, tokens));
} catch (error) {
  printError(error as ServiceError);
  process.exitCode = 1;
} finally {
  prices.close();
}
