// Runs the sample of a page of the reference, and shows the real response in place of the recorded one. Loaded when a sample is first run.
import { isKeyFault } from "../api/console-key.ts";
import { isMarkedMember } from "../api/member-mark.ts";
import { consoleKeys } from "../api/page-console-key.ts";
import { readPublicKey } from "../api/public-key.ts";
import { partsOf } from "../components/code/parts.ts";
import { callSample, type Sample, type SampleResponse } from "./sample-call.ts";
import { type SampleKey, sampleKey } from "./sample-key.ts";

const CALL_MS_MAX = 60_000;

export interface SamplePlace {
  readonly sample: Sample;
  /** Whether the call takes a key. */
  readonly needsKey: boolean;
  readonly keyField: HTMLInputElement | null;
  /** Says how the call ended. */
  readonly status: HTMLElement;
  /** The block of code with the response. */
  readonly response: HTMLElement;
}

/** Runs the sample, and shows the response. Never rejects. */
export async function runSample({ sample, needsKey, keyField, status, response }: SamplePlace): Promise<void> {
  status.textContent = "In progress";
  try {
    const first = needsKey ? await findKey(keyField) : undefined;
    if (needsKey && first === undefined) {
      status.textContent = "Sign in, or enter a key.";
      openKey(keyField);
      return;
    }
    const { key, received } = await callWithRetry(sample, first, keyField);
    show(response, received.text);
    const cut = received.isCut ? ", cut off (the console shows the whole response)" : "";
    status.textContent = [`HTTP ${received.status}`, `${Math.round(received.ms)} ms${cut}`, key?.description]
      .filter(Boolean)
      .join(" · ");
  } catch (error) {
    const isKnown = error instanceof Error && error.name === "ConsoleKeyError";
    status.textContent = isKnown ? error.message : "The server cannot be reached, or did not respond within a minute. Try again.";
  }
}

const findKey = (field: HTMLInputElement | null): Promise<SampleKey | undefined> =>
  sampleKey({
    typed: field?.value.trim() ?? "",
    isMember: isMember(),
    publicSecret: readPublicKey()?.secret,
    consoleKeys,
  });

// The console's key may have expired. The call is then repeated with a new one; the first attempt was not counted.
async function callWithRetry(
  sample: Sample,
  key: SampleKey | undefined,
  field: HTMLInputElement | null,
): Promise<{ readonly key: SampleKey | undefined; readonly received: SampleResponse }> {
  const received = await call(sample, key);
  if (key === undefined || !isKeyFault(received.reason) || key.secret === field?.value.trim()) {
    return { key, received };
  }
  consoleKeys.discard(key.secret);
  const other = await findKey(field);
  return { key: other, received: await call(sample, other) };
}

const call = (sample: Sample, key: SampleKey | undefined): Promise<SampleResponse> =>
  callSample(sample, key?.secret, {
    fetch: (path, init) => fetch(path, init),
    nowMs: () => performance.now(),
    signal: AbortSignal.timeout(CALL_MS_MAX),
  });

function isMember(): boolean {
  try {
    return isMarkedMember();
  } catch {
    // A browser may forbid storage.
    return false;
  }
}

function openKey(field: HTMLInputElement | null): void {
  const details = field?.closest("details");
  if (details) {
    details.open = true;
  }
  field?.focus();
}

function show(block: HTMLElement, text: string): void {
  block.replaceChildren(
    ...partsOf(text, "json").map(({ text: part, kind }) => {
      const span = document.createElement("span");
      span.textContent = part;
      if (kind !== undefined) {
        span.className = `hljs-${kind}`;
      }
      return span;
    }),
  );
}
