// A page that gets token prices from Quintet, or watches them, with connect-web.
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { errorText } from "./error-text.ts";
import { type TokenPrice, TokenPriceService } from "./gen/quintet/tokenprice/v1/token_price_pb.ts";
import { retryInterceptor } from "./retry.ts";

/** The time limit of a call, including its retries. */
const TIMEOUT_MS = 10_000;

const form = document.querySelector("form") as HTMLFormElement;
const stop = form.elements.namedItem("stop") as HTMLButtonElement;
const prices = document.querySelector("#prices") as HTMLElement;
const failure = document.querySelector("#error") as HTMLElement;
const inputOf = (name: string): string => (form.elements.namedItem(name) as HTMLInputElement).value;

// Sends the key with every call.
const keyInterceptor: Interceptor = (next) => (request) => {
  if (inputOf("key") !== "") {
    request.header.set("x-gateway-key", inputOf("key"));
  }
  return next(request);
};

async function call(isStream: boolean, signal: AbortSignal): Promise<void> {
  const baseUrl = inputOf("server");
  const interceptors = [await retryInterceptor(baseUrl), keyInterceptor];
  // Speaks Connect. createGrpcWebTransport speaks gRPC-Web.
  const client = createClient(TokenPriceService, createConnectTransport({ baseUrl, interceptors }));
  const tokens = inputOf("tokens").split(" ");
  if (!isStream) {
    print(await client.getPrices({ tokens }, { signal, timeoutMs: TIMEOUT_MS }));
    return;
  }
  // A stream has no deadline: it continues until one side ends it.
  for await (const change of client.watchPrices({ tokens }, { signal })) {
    print(change);
  }
}

function print({ results, missing }: { results: TokenPrice[]; missing: string[] }): void {
  prices.append(
    ...results.map(({ token, price }) => `${token} ${price} USD\n`),
    ...missing.map((token) => `${token} has no price\n`),
  );
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const leaving = new AbortController();
  stop.onclick = () => leaving.abort();
  stop.disabled = false;
  prices.textContent = "";
  failure.textContent = "";
  try {
    await call((event.submitter as HTMLButtonElement).name === "watch", leaving.signal);
  } catch (error) {
    if (!leaving.signal.aborted) {
      failure.textContent = errorText(error);
    }
  } finally {
    stop.disabled = true;
  }
});
