// Makes the shown call of the front page, and shows the real response in place of the recorded one. Loaded when a call is first run.
import { readPublicKey } from "../api/public-key.ts";
import { callFront } from "./call.ts";
import { FRONT_REQUESTS } from "./requests.ts";

const CALL_MS_MAX = 60_000;

/** Runs the call whose button this is. Never rejects. */
export async function runCall(button: HTMLButtonElement): Promise<void> {
  const line = button.parentElement;
  const status = line?.querySelector("[role=status]");
  const response = line?.nextElementSibling?.querySelector("code");
  const chosen = button.closest("fieldset")?.querySelector<HTMLInputElement>(":checked");
  const request = FRONT_REQUESTS[`${chosen?.name.replace("protocol-", "")} ${chosen?.value}`];
  const key = readPublicKey();
  if (!line?.firstChild || !status || !response || request === undefined || key === undefined || button.ariaDisabled === "true") {
    return;
  }
  // It keeps the focus, which a disabled button would lose.
  button.ariaDisabled = "true";
  line.firstChild.textContent = "";
  status.textContent = "In progress";
  try {
    const { text, ms, isDecompressed } = await callFront(request, key.secret, {
      fetch: (path, init) => fetch(path, init),
      nowMs: () => performance.now(),
      signal: AbortSignal.timeout(CALL_MS_MAX),
      alpnOf: (url) => (performance.getEntriesByName(url).at(-1) as PerformanceResourceTiming | undefined)?.nextHopProtocol,
    });
    response.textContent = text;
    status.textContent = `Just now, in ${Math.round(ms)} ms, with the public key${isDecompressed ? ", decompressed" : ""}`;
  } catch {
    // Neither the recorded response nor an earlier one belongs to this call.
    response.textContent = "";
    status.textContent = "The server cannot be reached. Try again.";
  } finally {
    button.ariaDisabled = null;
  }
}
