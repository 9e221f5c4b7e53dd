// Whether Redis evicts keys when it is out of memory. An evicted bucket would count as full, so its customer would be admitted again
// immediately.

/**
 * The eviction policy of the servers, such as `noeviction`; if they differ, the policy of one that evicts. Undefined if we are not allowed
 * to ask. Never rejects. `send` sends a command to each server.
 */
export async function readEvictionPolicy(send: (command: string[]) => Promise<readonly unknown[]>): Promise<string | undefined> {
  // Does not use CONFIG, which hosted Redis services refuse.
  const memories = await send(["INFO", "memory"]).catch(() => []);
  const policies = memories.map((memory) => /^maxmemory_policy:(\S+)/m.exec(String(memory))?.[1]);
  return policies.find(evicts) ?? policies[0];
}

/** Whether keys may be lost with this policy. */
export const evicts = (policy: string | undefined): boolean => policy !== undefined && policy !== "noeviction";

/** The message about a policy that may lose counts, and what to do about it: two sentences. */
export const mayEvict = (policy: string | undefined): string =>
  `Redis may evict counts of requests when it is out of memory: its maxmemory-policy is ${policy}. Set it to noeviction.`;
