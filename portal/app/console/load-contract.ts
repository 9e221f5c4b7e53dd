// Loads the contract once per page. After a failure, the next caller tries again.
import type { ConsoleMethodText } from "../../content/console.ts";
import { type Contract, readContract } from "./contract/contract.ts";

let loading: Promise<Contract> | undefined;

/** The contract. Rejects if the server cannot be reached. */
export function loadContract(): Promise<Contract> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Contract> {
  const [descriptors, texts] = await Promise.all(["/console.binpb", "/console.json"].map(fetched));
  return readContract(
    new Uint8Array((await descriptors?.arrayBuffer()) ?? new ArrayBuffer()),
    (await texts?.json()) as readonly ConsoleMethodText[],
  );
}

async function fetched(path: string): Promise<Response> {
  const response = await fetch(path, { credentials: "omit" });
  if (!response.ok) {
    throw new Error(`${path} returned ${response.status}`);
  }
  return response;
}
