// Waits until a gateway has read every token list.
import { createClient, type Transport } from "@connectrpc/connect";
import { expect, vi } from "vitest";
import { TokenListService } from "../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { TIME_LIMITS } from "../time-limits.ts";

/**
 * Resolves when every list has been read once. From two seconds on, calls are served with the lists that have been read until then, which
 * on a busy machine are not all of them, and a page keeps what it found among them.
 */
export async function readAllLists(transport: Transport): Promise<void> {
  const lists = createClient(TokenListService, transport);
  const unread = async (): Promise<readonly string[]> => {
    const { results } = await lists.listLists({});
    return results.filter(({ freshness }) => freshness?.fetchedAt === undefined).map(({ name }) => name);
  };
  await vi.waitFor(async () => expect(await unread()).toEqual([]), { timeout: TIME_LIMITS.expect.poll.timeout, interval: 1000 });
}
