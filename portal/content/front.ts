// The calls of the front page, and what each of them prints: recorded on the free plans by test/system/portal/front-responses.test.ts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS, type OperationPage } from "./operations.ts";
import { SERVICES, type ShownService } from "./services.ts";
import { callOf } from "./snippets/call.ts";
import { protocolSnippets } from "./snippets/shell.ts";
import type { Snippet } from "./snippets/snippet.ts";
import { PROTOCOLS, type Protocol, type WireRequest, wireRequest } from "./wire.ts";

// The services whose calls the top of the page shows.
const HERO_SERVICES = ["farkle", "token-price", "radio"];

/** A call from a shell. */
export interface ShownCall {
  readonly snippet: Snippet;
  /** The name under which the call's response is recorded. */
  readonly name: string;
}

/** The operation that represents a service: the operation of its first call. */
export function exampleOperation({ name, firstCall }: ShownService): OperationPage {
  const operation = OPERATIONS.find(({ verb, restPath }) => verb === "GET" && firstCall.split("?", 1)[0] === restPath);
  if (operation === undefined) {
    throw new Error(`The first call of ${name} matches no operation`);
  }
  return operation;
}

/** A call in one protocol, and its request as it is sent. */
export interface HeroCall extends ShownCall {
  readonly protocol: Protocol;
  readonly request: WireRequest;
}

/** The calls at the top of the page: of some services, each in every protocol. */
export const heroCalls = (): readonly { readonly service: ShownService; readonly calls: readonly HeroCall[] }[] =>
  SERVICES.filter(({ name }) => HERO_SERVICES.includes(name))
    .toSorted((a, b) => HERO_SERVICES.indexOf(a.name) - HERO_SERVICES.indexOf(b.name))
    .map((service) => {
      const operation = exampleOperation(service);
      const call = callOf(operation);
      const snippets = protocolSnippets(call);
      const calls = PROTOCOLS.flatMap((protocol) =>
        snippets
          .filter(({ title }) => title === protocol)
          .map((snippet) => ({
            snippet,
            name: `${operation.operationId} ${protocol}`,
            protocol,
            request: wireRequest(call, protocol),
          })),
      );
      return { service, calls };
    });

/** The example call of a service, over REST. */
export function exampleCall(service: ShownService): ShownCall {
  const operation = exampleOperation(service);
  const [rest] = protocolSnippets(callOf(operation));
  if (rest === undefined) {
    throw new Error(`${operation.operationId} has no snippet`);
  }
  return { snippet: rest, name: `${operation.operationId} ${rest.title}` };
}

/** The snippets of all calls on the front page, by the calls' names. */
export const frontCommands = (): ReadonlyMap<string, Snippet> =>
  new Map([...heroCalls().flatMap(({ calls }) => calls), ...SERVICES.map(exampleCall)].map(({ name, snippet }) => [name, snippet]));

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "recorded/front.json"), "utf8")) as Record<string, unknown>;

export function recordedResponse({ name }: Pick<ShownCall, "name">): unknown {
  if (!(name in recorded)) {
    throw new Error(`${name} has no recorded response: record it with test/system/portal/front-responses.test.ts -u`);
  }
  return recorded[name];
}
