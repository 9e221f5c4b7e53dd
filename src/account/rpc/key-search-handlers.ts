// OperatorService.FindKeys. No error repeats a key, or a part of one.
import type { FindKeysRequest, OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { KEY_PREFIXES, KEY_REST, parseKey } from "../../guard/keys/key.ts";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Store } from "../../store/store.ts";
import { type FoundKey, keysWithEnding, keysWithSecret } from "../key-search.ts";
import type { Handlers, SignedIn } from "./handlers.ts";
import { accountMessage, keyMessage } from "./messages.ts";

const FOUND_MAX = 20;
const SHAPE = `${KEY_PREFIXES.live} or ${KEY_PREFIXES.sandbox} followed by ${KEY_REST}, the last 6 of which are a checksum`;

export function createKeySearchHandlers({
  store,
  clock,
}: {
  readonly store: Store;
  readonly clock: Pick<Clock, "nowMs">;
}): Pick<Handlers<typeof OperatorService, SignedIn>, "findKeys"> {
  return {
    async findKeys(request) {
      const found = await find(store, request);
      const nowMs = clock.nowMs();
      const results = found.map(({ key, account, lastUsedAtMs }) => ({
        key: keyMessage(key, nowMs, { lastUsedAtMs }),
        account: accountMessage(account),
      }));
      return { count: results.length, results };
    },
  };
}

function find(store: Store, { key, lastFour }: FindKeysRequest): Promise<readonly FoundKey[]> {
  if ((key === "") === (lastFour === "")) {
    const description = key === "" ? "is required, unless last_four is given" : "cannot be given together with last_four";
    throw new Failure(invalidArgument([{ field: "key", description }]));
  }
  if (key === "") {
    return keysWithEnding(store, lastFour, FOUND_MAX);
  }
  const parsed = parseKey(key);
  if (parsed.kind !== "ok") {
    throw new Failure(invalidArgument([{ field: "key", description: `must be ${SHAPE}; this one is mistyped or incomplete` }]));
  }
  return keysWithSecret(store, parsed.key);
}
