// The stand-in of the token list service: the lists' publishers.

import { createHash } from "node:crypto";
import type { Clock } from "../../../runtime/clock.ts";
import { pictureOf } from "../picture.ts";
import type { StandIn, StandInContext, StandIns } from "../stand-in.ts";
import { type StandInResponse, startStandIn } from "../stand-in-server.ts";
import { LOGO_ORIGIN, type SandboxList, sandboxLists } from "./lists.ts";

// A stand-in for the publishers of the five lists: one server with a path for each, with validators for conditional requests; and
// the tokens' logos.
interface TokenListStandInOptions {
  /** The same seed gives the same lists. */
  readonly seed: number;
  readonly clock: Clock;
  /** Default: the five lists of `seed`. */
  readonly lists?: readonly SandboxList[];
}

/** The running stand-in, and the variables that point a server at it. */
export interface TokenListStandIn {
  readonly standIn: StandIn;
  readonly variables: Readonly<Record<string, string>>;
  /** Publishes another version of a list. */
  publish(list: SandboxList): void;
}

const LOGO_HEADERS = { "content-type": "image/svg+xml", "access-control-allow-origin": "*", "cache-control": "max-age=3600" };

interface Published {
  readonly body: string;
  readonly etag: string;
  readonly lastModified: string;
}

const publishedAt = (list: SandboxList, origin: string): Published => {
  const body = JSON.stringify(list.document).replaceAll(LOGO_ORIGIN, origin);
  return {
    body,
    etag: `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`,
    lastModified: new Date(list.document.timestamp).toUTCString(),
  };
};

// Tags are compared weakly, and there may be several: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
const namesTag = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.split(",").some((each) => ["*", etag].includes(each.trim().replace(/^W\//, "")));

/** Starts the stand-in on a free port of 127.0.0.1. The lists are at `/NAME.json`, the logos at `/logos/SYMBOL.svg`. */
export async function startTokenListStandIn({
  seed,
  clock,
  lists = sandboxLists(seed),
}: TokenListStandInOptions): Promise<TokenListStandIn> {
  const published = new Map<string, Published>();
  const standIn = await startStandIn({
    name: "token-lists",
    clock,
    handle: ({ pathname }, { headers }): StandInResponse => {
      const [, symbol] = /^\/logos\/([^/]{1,40})\.svg$/.exec(pathname) ?? [];
      if (symbol !== undefined) {
        return { status: 200, headers: LOGO_HEADERS, body: pictureOf(symbol) };
      }
      const found = published.get(pathname);
      if (found === undefined) {
        return { status: 404, headers: { "content-type": "text/plain" }, body: "404: Not Found" };
      }
      const { body, etag, lastModified } = found;
      const validators = { etag, "last-modified": lastModified, "cache-control": "max-age=300" };
      // The entity tag takes precedence, if there is one: https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2
      const unchanged =
        headers["if-none-match"] === undefined
          ? Date.parse(headers["if-modified-since"] ?? "") >= Date.parse(lastModified)
          : namesTag(headers["if-none-match"], etag);
      // Raw files are always served as plain text.
      return unchanged
        ? { status: 304, headers: validators, body: "" }
        : { status: 200, headers: { ...validators, "content-type": "text/plain; charset=utf-8" }, body };
    },
  });
  const publish = (list: SandboxList): void => {
    published.set(`/${list.key}.json`, publishedAt(list, standIn.origin));
  };
  lists.forEach(publish);
  return {
    standIn,
    variables: { QUINTET_TOKEN_LISTS: lists.map(({ key }) => `${key}=${standIn.origin}/${key}.json`).join(",") },
    publish,
  };
}

export async function startStandIns(context: StandInContext): Promise<StandIns> {
  const { standIn, variables } = await startTokenListStandIn(context);
  return { standIns: [standIn], variables };
}
