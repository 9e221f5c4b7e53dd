// A person with a client: what they call, and the responses they should get.
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { FarkleService } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { CUSTOMER_METHODS } from "../../fixtures/account-clients.ts";
import type { Gateway } from "../../fixtures/gateway.ts";
import type { Seen } from "../matrix/seen.ts";
import { type Client, grpc, rest } from "./clients.ts";
import { type Expected, failed, OF_ACCOUNT, OF_DATA, outputOf, REQUEST_ID, succeeded } from "./responses.ts";

/** The methods of the account services. */
export const METHODS = { ...CUSTOMER_METHODS, ...SignInService.method };
const { score } = FarkleService.method;

/** What a call sends besides its input. */
export type Headers = Readonly<Record<string, string>>;

// The rate limit of usage reports.
const SLOWEST_PACE_MS = 1000;

/** Everybody's password in these tests. */
export const PASSWORD = "four loaded dice";

/** The server or servers that somebody calls. */
export interface Place {
  /** Where the next call goes. */
  origin(): string;
  /** Advances the time, in milliseconds. */
  pass(ms: number): void;
  /** The result of a call once earlier changes are known wherever it may go; on a single server that is at once. */
  onceKnown(call: () => Promise<Seen>, code: string): Promise<Seen>;
  /** How many calls of a month other servers may hold in leases, which only they can use; 0 by default. */
  readonly heldElsewhereMax?: number;
  /** Whether timers, too, follow the time that passes. */
  readonly movesTimers?: boolean;
}

/** A single gateway whose clock the test moves. Changes apply from the next call on. */
export const placeOf = ({ origin, clock }: Pick<Gateway, "origin" | "clock">): Place => ({
  origin: () => origin,
  pass: (ms) => clock.advance(ms),
  onceKnown: (call) => call(),
  movesTimers: true,
});

/** The header that carries a session's token. */
export const bearing = (token: string): Headers => ({ authorization: `Bearer ${token}` });

const SCORED = {
  score: 100,
  farkle: false,
  hot_dice: true,
  breakdown: [{ combination: "single_one", dice: [1], points: 100 }],
  dead_dice: [],
};

/** A person. */
export class Person {
  readonly #place: Place;
  readonly client: Client;

  constructor(place: Place, client: Client) {
    this.#place = place;
    this.client = client;
  }

  /** Calls an account service, no faster than any rate limit allows. */
  call(method: DescMethodUnary, input: JsonObject, headers: Headers = {}): Promise<Seen> {
    this.#place.pass(SLOWEST_PACE_MS);
    return this.#send(this.client, method, input, headers);
  }

  /** Calls, compares the whole response, and returns its message. `output` may hold matchers. */
  async get<Output extends object>(
    method: DescMethodUnary,
    input: JsonObject,
    output: { readonly [Name in keyof Output]: unknown },
    headers: Headers = {},
    responseHeaders: object = OF_ACCOUNT,
  ): Promise<Output> {
    const seen = await this.call(method, input, headers);
    expect(seen).toEqual(succeeded(this.client, method, output, responseHeaders));
    return outputOf(this.client, method, seen);
  }

  /** Calls, and returns the message of the response, which must be a success. */
  async take<Output extends object>(method: DescMethodUnary, input: JsonObject, headers: Headers = {}): Promise<Output> {
    const seen = await this.call(method, input, headers);
    expect(seen).toMatchObject({ code: "ok" });
    return outputOf(this.client, method, seen);
  }

  /** Signs up, and returns the header that carries the session. */
  async begin(email: string): Promise<Headers> {
    const { session } = await this.take<{ session: { token: string } }>(METHODS.signUp, { email, password: PASSWORD });
    return bearing(session.token);
  }

  /** The same, by signing in to an existing account. */
  async signIn(email: string): Promise<Headers> {
    const { session } = await this.take<{ session: { token: string } }>(METHODS.signIn, { email, password: PASSWORD });
    return bearing(session.token);
  }

  /** How many calls the account's usage has this month. */
  async countCalls(session: Headers): Promise<number> {
    const { results } = await this.take<{ results: { calls: number }[] }>(METHODS.getUsage, {}, session);
    return results.reduce((sum, { calls }) => sum + calls, 0);
  }

  /** Calls, and compares the whole response, which must be a failure. */
  async fail(method: DescMethodUnary, input: JsonObject, expected: Expected, headers: Headers = {}): Promise<void> {
    const seen = await this.call(method, input, headers);
    // The RPC protocols list the full names of enums.
    const text = JSON.stringify(seen).replaceAll(/\b(?:USAGE|REFUSAL)_DIMENSION_([A-Z]+)/g, (_, name: string) =>
      name.toLowerCase(),
    );
    expect(this.client.protocol === "rest" ? seen : JSON.parse(text)).toEqual(failed(this.client, expected));
  }

  /** Scores a roll with a key in three calls: in the person's own protocol, by REST and by gRPC. */
  async play(key: string): Promise<void> {
    for (const client of [this.client, rest, grpc]) {
      const seen = await this.#place.onceKnown(() => this.#play(client, key), "ok");
      expect(seen).toEqual(succeeded(client, score, SCORED, OF_DATA));
    }
  }

  /** Tries the same, and is refused each time. */
  async failToPlay(key: string, expected: Expected): Promise<void> {
    for (const client of [this.client, rest, grpc]) {
      const wanted = failed(client, expected, { "cache-control": "private" }) as Seen;
      expect(await this.#place.onceKnown(() => this.#play(client, key), wanted.code)).toEqual(wanted);
    }
  }

  #play(client: Client, key: string): Promise<Seen> {
    return this.#send(client, score, { dice: [1] }, { "x-gateway-key": key });
  }

  #send(client: Client, method: DescMethodUnary, input: JsonObject, headers: Headers): Promise<Seen> {
    return client.call({ origin: this.#place.origin(), method, input, headers: { "x-request-id": REQUEST_ID, ...headers } });
  }
}
