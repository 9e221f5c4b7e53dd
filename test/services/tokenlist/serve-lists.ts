// The token list service over small lists that a test defines.
import { type Client, ConnectError } from "@connectrpc/connect";
import { onTestFinished } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import type { TokenListService } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { systemClock } from "../../../src/runtime/clock.ts";
import { startTokenListStandIn, type TokenListStandIn } from "../../../src/sandbox/stand-ins/tokenlist/stand-ins.ts";
import { listDocument } from "./lists.ts";
import { startTokenList } from "./start-token-list.ts";

/** The stand-in's URLs for lists of these names. */
export const sourcesOf = ({ standIn }: TokenListStandIn, listNames: readonly string[]) =>
  listNames.map((name) => ({ name, urls: [`${standIn.origin}/${name}.json`] }));

/** The service over lists of these rows, until the test is over. */
export async function serve(rowsByName: Readonly<Record<string, readonly unknown[]>>): Promise<Client<typeof TokenListService>> {
  const lists = Object.entries(rowsByName).map(([key, rows]) => ({ key, document: listDocument(rows) }));
  const standIn = await startTokenListStandIn({ seed: 1, clock: systemClock, lists });
  const { client, close } = startTokenList(sourcesOf(standIn, Object.keys(rowsByName)));
  onTestFinished(async () => {
    await close();
    await standIn.standIn.close();
  });
  return client;
}

/** The failure of a call. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  const error = ConnectError.from(await call.catch((thrown: unknown) => thrown));
  const reason = error.findDetails(ErrorInfoSchema)[0]?.reason;
  const violations = error.findDetails(BadRequestSchema)[0]?.fieldViolations;
  return violations === undefined
    ? { reason, message: error.rawMessage }
    : { reason, violations: violations.map(({ field, description }) => ({ field, description })) };
}
