// The file of mesh principals (QUINTET_MESH_PRINCIPALS): callers inside the operator's own network, who authenticate with a client
// certificate and need no key. Each has identities, and a plan for each service that it may call. A file with any fault is
// refused, and all faults are reported at once.
import { readFileSync } from "node:fs";
import { isJsonObject } from "../runtime/json-object.ts";
import { SERVICE_NAMES, type ServiceName } from "./service-names.ts";

/** One principal. Plain data, because it is passed to other threads. */
export interface MeshPrincipal {
  /** Unique in the file. */
  readonly name: string;
  /**
   * SPIFFE IDs, SPIFFE IDs that end with `/*` to match everything below, and DNS names in lower case. Each belongs to only one
   * principal.
   */
  readonly identities: readonly string[];
  /** The plan's name for each service that the principal may call. */
  readonly plans: Readonly<Partial<Record<ServiceName, string>>>;
}

const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,46}[a-z0-9])?$/;
const PRINCIPALS_MAX = 1000;
const IDENTITIES_MAX = 100;

// https://github.com/spiffe/spiffe/blob/main/standards/SPIFFE-ID.md#2-spiffe-identity
const SPIFFE_ID = /^spiffe:\/\/[a-z0-9._-]{1,255}(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._-]+)+$/;
const SPIFFE_PREFIX = /^spiffe:\/\/[a-z0-9._-]{1,255}(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._-]+)*\/\*$/;
const SPIFFE_BYTES_MAX = 2048;
const DNS_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Whether a string is the SPIFFE ID of a workload: a trust domain and a path, in the only form that the standard allows. */
export const isSpiffeId = (text: string): boolean => text.length <= SPIFFE_BYTES_MAX && SPIFFE_ID.test(text);

const isIdentity = (text: unknown): text is string =>
  typeof text === "string" &&
  text.length <= SPIFFE_BYTES_MAX &&
  (SPIFFE_ID.test(text) || SPIFFE_PREFIX.test(text) || DNS_NAME.test(text));

/** The principals, and everything wrong with the file at `path`. The principals are usable only if there are no faults. */
export function readPrincipals(path: string): {
  readonly principals: readonly MeshPrincipal[];
  readonly faults: readonly string[];
} {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const what = error instanceof SyntaxError ? "is not JSON" : "cannot be read";
    return { principals: [], faults: [`${what}: ${error instanceof Error ? error.message : String(error)}`] };
  }
  return checkPrincipals(json);
}

/** The same for a parsed file. */
export function checkPrincipals(json: unknown): ReturnType<typeof readPrincipals> {
  if (!isJsonObject(json) || Object.keys(json).length > PRINCIPALS_MAX) {
    return { principals: [], faults: [`must be an object with at most ${PRINCIPALS_MAX} principals, keyed by name`] };
  }
  const faults: string[] = [];
  const owners = new Map<string, string>();
  const principals = Object.entries(json).map(([name, entry]): MeshPrincipal => {
    const fault = (description: string): void => void faults.push(`principal "${name.slice(0, 60)}": ${description}`);
    if (!NAME.test(name)) {
      fault(
        "its name must be 1 to 48 lower-case letters, digits, dots, dashes or underscores, and begin and end with a letter or digit",
      );
    }
    if (!isJsonObject(entry)) {
      fault('must be an object such as {"identities": ["spiffe://example.org/shop"], "plans": {"farkle": "free"}}');
      return { name, identities: [], plans: {} };
    }
    for (const field of Object.keys(entry)) {
      if (field !== "identities" && field !== "plans") {
        fault(`${field} is not a field of a principal; the fields are identities and plans`);
      }
    }
    return {
      name,
      identities: checkIdentities(name, entry.identities, owners, fault),
      plans: checkPlans(entry.plans, fault),
    };
  });
  return { principals, faults };
}

function checkIdentities(name: string, list: unknown, owners: Map<string, string>, fault: (what: string) => void): string[] {
  if (!Array.isArray(list) || list.length < 1 || list.length > IDENTITIES_MAX) {
    fault(`identities must be a list of 1 to ${IDENTITIES_MAX} identities`);
    return [];
  }
  return list.flatMap((identity: unknown) => {
    if (!isIdentity(identity)) {
      fault(
        `identities must contain SPIFFE IDs such as spiffe://example.org/ns/shop/sa/checkout, SPIFFE IDs that end with /* to match everything below, ` +
          `or DNS names in lower case; ${JSON.stringify(identity)?.slice(0, 100)} is none of these`,
      );
      return [];
    }
    const owner = owners.get(identity);
    if (owner !== undefined) {
      fault(
        owner === name
          ? `identities contains ${identity} twice`
          : `identities contains ${identity}, which belongs to the principal ${owner}`,
      );
    }
    owners.set(identity, name);
    return [identity];
  });
}

function checkPlans(given: unknown, fault: (what: string) => void): MeshPrincipal["plans"] {
  if (!isJsonObject(given) || Object.keys(given).length === 0) {
    fault('plans must be an object with a plan for each service that the principal may call, such as {"farkle": "free"}');
    return {};
  }
  const checked: Partial<Record<ServiceName, string>> = {};
  for (const [name, plan] of Object.entries(given)) {
    const service = SERVICE_NAMES.find((known) => known === name);
    if (service === undefined) {
      fault(`plans: ${name} is not a service; the services are ${SERVICE_NAMES.join(", ")}`);
    } else if (typeof plan !== "string") {
      fault(`plans: ${service} must have the name of a plan, such as "free"`);
    } else {
      checked[service] = plan;
    }
  }
  return checked;
}
