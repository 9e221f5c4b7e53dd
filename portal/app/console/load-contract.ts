// Loads the contract once per page. After a failure, the next caller tries again.
import type { ConsoleMethodText } from "../../content/console.ts";
import { type Contract, type ContractFile, readContract } from "./contract/contract.ts";

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
  const [file, texts] = await Promise.all(["/console-contract.json", "/console.json"].map(fetched));
  return readContract(file as ContractFile, texts as readonly ConsoleMethodText[]);
}

async function fetched(path: string): Promise<unknown> {
  const response = await fetch(path, { credentials: "omit" });
  if (!response.ok) {
    throw new Error(`${path} returned ${response.status}`);
  }
  return await response.json();
}
