// Whether Redis evicts keys when it is out of memory. An evicted bucket would count as full, so its customer would be admitted again
// immediately.

/** Redis's eviction policy, such as `noeviction`; undefined if we are not allowed to ask. Never rejects. */
export async function readEvictionPolicy(send: (command: string[]) => Promise<unknown>): Promise<string | undefined> {
  // Does not use CONFIG, which hosted Redis services refuse.
  const memory = await send(["INFO", "memory"]).catch(() => "");
  return /^maxmemory_policy:(\S+)/m.exec(String(memory))?.[1];
}

/** Whether keys may be lost with this policy. */
export const evicts = (policy: string | undefined): boolean => policy !== undefined && policy !== "noeviction";

/** What is wrong, and what to do: two sentences. */
export const mayEvict = (policy: string | undefined): string =>
  `Redis may evict counts of requests when it is out of memory: its maxmemory-policy is ${policy}. Set it to noeviction.`;
