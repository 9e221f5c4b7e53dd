// The sandbox's upstreams: a stand-in for each, the control server, and the environment variables that point a server at them.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../runtime/clock.ts";
import { isJsonObject, type JsonObject } from "../runtime/json-object.ts";
import { startAllStandIns } from "./stand-ins/all-stand-ins.ts";
import type { Misbehaviour, StandIn } from "./stand-ins/stand-in.ts";
import { STAND_IN_KEY, STAND_IN_WEBHOOK_SECRET, StripeStandIn } from "./stripe/stripe-stand-in.ts";

/** The misbehaviour, or a sentence that explains what is allowed. */
function parseMisbehaviour(text: string): Misbehaviour | { readonly error: string } {
  const fields = fieldsOf(text);
  if (fields === undefined) {
    return { error: 'the body must be a JSON object such as {"kind":"slow","delayMs":3000}' };
  }
  const { kind, ...rest } = fields;
  const [name, most] = NUMBER_FIELDS.get(String(kind)) ?? [];
  const unknown = Object.keys(rest).find((key) => key !== name);
  if (typeof kind !== "string" || !KINDS.includes(kind)) {
    return { error: `kind must be one of ${KINDS.join(", ")}` };
  }
  if (unknown !== undefined) {
    return { error: `${kind} takes no field "${unknown}"` };
  }
  if (name === undefined || most === undefined) {
    // The kinds without a number have no field besides `kind`.
    return { kind } as Misbehaviour;
  }
  const value = rest[name];
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > most) {
    return { error: `${kind} needs ${name}, a whole number from 0 to ${most}` };
  }
  return { kind, [name]: value } as Misbehaviour;
}

const KINDS = ["none", "slow", "dead", "limiting", "truncated", "html", "failing"] satisfies Misbehaviour["kind"][] as string[];

/** The kinds with a number: the number's name, and its maximum. */
const NUMBER_FIELDS: ReadonlyMap<string, readonly [string, number]> = new Map([
  ["slow", ["delayMs", 600_000]],
  ["limiting", ["retryAfterSeconds", 3600]],
]);

function fieldsOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The days, or a sentence that explains what is allowed. */
function parseDays(text: string): number | { readonly error: string } {
  const { days, ...rest } = fieldsOf(text) ?? {};
  const isDays = typeof days === "number" && days > 0 && days <= DAYS_MAX && Object.keys(rest).length === 0;
  return isDays ? days : { error: `the body must be {"days":N}, with N more than 0 and at most ${DAYS_MAX}` };
}

const DAYS_MAX = 400;
const DAY_MS = 86_400_000;

/** The time of the sandbox, which only goes forward. */
interface SandboxTime {
  nowMs(): number;
  advance(ms: number): void;
}

export interface Control {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  close(): Promise<void>;
}

const BODY_CHARACTERS_MAX = 1000;

interface ControlOptions {
  readonly standIns: readonly StandIn[];
  readonly time: SandboxTime;
  readonly port: number;
}

/**
 * Starts the control server on a port of 127.0.0.1, a free one if `port` is 0. `GET /` lists the stand-ins. `PUT /NAME` or
 * `POST /NAME` sets the misbehaviour in its JSON body, such as `{"kind":"slow","delayMs":3000}`; `{"kind":"none"}` ends it.
 * `PUT /clock` moves the time forward by `{"days":31}`.
 */
export async function startControl({ standIns, time, port }: ControlOptions): Promise<Control> {
  const server = createServer((request, response) => {
    handle(standIns, time, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(
  standIns: readonly StandIn[],
  time: SandboxTime,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://control");
  const method = request.method ?? "";
  const name = pathname.slice(1);
  const standIn = standIns.find((candidate) => candidate.name === name);
  const isRead = method === "GET" || method === "HEAD";
  // A web page could send a POST to this machine. With this type, a browser first sends a preflight request, which fails.
  const isJson = /^application\/json\b/i.test(request.headers["content-type"] ?? "");
  const isClock = name === "clock";
  if (name !== "" && standIn === undefined && !isClock) {
    const names = standIns.map((known) => known.name).join(", ");
    return send(response, 404, { error: `there is no stand-in called "${name}"; the stand-ins are ${names}` });
  }
  if (isRead) {
    return send(response, 200, isClock ? shownTime(time) : standIn === undefined ? standIns.map(described) : described(standIn));
  }
  if ((standIn === undefined && !isClock) || (method !== "PUT" && method !== "POST")) {
    response.setHeader("allow", name === "" ? "GET" : "GET, PUT, POST");
    return send(response, 405, { error: `${method} is not supported here; PUT a misbehaviour to the path of a stand-in` });
  }
  if (method === "POST" && !isJson) {
    return send(response, 415, { error: "POST needs the header content-type: application/json; PUT does not" });
  }
  const body = await bodyOf(request);
  if (standIn === undefined) {
    const days = parseDays(body);
    if (typeof days !== "number") {
      return send(response, 400, days);
    }
    time.advance(days * DAY_MS);
    return send(response, 200, shownTime(time));
  }
  const parsed = parseMisbehaviour(body);
  if ("error" in parsed) {
    return send(response, 400, parsed);
  }
  standIn.misbehaviour = parsed;
  return send(response, 200, described(standIn));
}

const shownTime = (time: SandboxTime): object => ({ now: new Date(time.nowMs()).toISOString() });

const described = ({ name, origin, misbehaviour, requestCount }: StandIn): object => ({ name, origin, misbehaviour, requestCount });

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const chunk of request) {
    text += chunk;
    if (text.length > BODY_CHARACTERS_MAX) {
      throw new Error("too long");
    }
  }
  return text;
}

function send(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(`${JSON.stringify(value, null, 2)}\n`);
}

/** The seed of all invented data: the same at every start. */
const SEED = 1;

export interface Sandbox {
  /** The given clock, moved forward as the control server was told. */
  readonly clock: Clock;
  readonly standIns: readonly StandIn[];
  readonly control: Control;
  /** Environment variables that point a server at the stand-ins, and at nothing else. */
  readonly variables: Readonly<Record<string, string>>;
  /** The stand-in for Stripe, and the variables with which a server takes cards there. */
  readonly stripe: { readonly origin: string; readonly variables: Readonly<Record<string, string>> };
  close(): Promise<void>;
}

/**
 * Starts every stand-in, on free ports of 127.0.0.1, and the control server on `controlPort`, 0 for a free one. Rejects, with nothing left
 * open, if that port is taken.
 */
export async function startSandbox({
  clock: base,
  controlPort,
  serverOrigin,
}: {
  readonly clock: Clock;
  readonly controlPort: number;
  /** Where Stripe's events are sent; undefined until the server listens. Left out for nowhere. */
  readonly serverOrigin?: () => string | undefined;
}): Promise<Sandbox> {
  let aheadMs = 0;
  const clock: Clock = { ...base, nowMs: () => base.nowMs() + aheadMs };
  const { standIns, variables } = await startAllStandIns({ seed: SEED, clock });
  const stripe = new StripeStandIn({ clock, ...(serverOrigin !== undefined && { serverOrigin }) });
  await stripe.listen();
  const closeStandIns = async (): Promise<void> => {
    await Promise.all([...standIns, stripe].map((standIn) => standIn.close()));
  };
  // As when somebody sets the machine's clock: timers run on as before.
  const time: SandboxTime = {
    nowMs: clock.nowMs,
    advance(ms) {
      aheadMs += ms;
      stripe.state.tick();
    },
  };
  const control = await startControl({ standIns, time, port: controlPort }).catch(async (error: unknown) => {
    await closeStandIns();
    throw error;
  });
  return {
    clock,
    standIns,
    control,
    variables,
    stripe: {
      origin: stripe.origin,
      variables: {
        QUINTET_STRIPE_KEY: STAND_IN_KEY,
        QUINTET_STRIPE_WEBHOOK_SECRET: STAND_IN_WEBHOOK_SECRET,
        QUINTET_STRIPE_API_URL: stripe.origin,
      },
    },
    async close() {
      await control.close();
      await closeStandIns();
    },
  };
}
