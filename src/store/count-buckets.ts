// Accounts are divided into buckets. Counts of calls are written and added up one bucket at a time.

const BUCKETS = 64;
const FNV_BASIS = 2_166_136_261;
const FNV_PRIME = 16_777_619;

/**
 * The bucket of an account's counts, from 0 to 63. All servers and versions must agree on it, because two of them must never add up the
 * counts of the same account at the same time. FNV-1a, over UTF-16 units. http://www.isthe.com/chongo/tech/comp/fnv/
 */
export function bucketOf(accountId: string): number {
  let hash = FNV_BASIS;
  for (let index = 0; index < accountId.length; index++) {
    hash = Math.imul(hash ^ accountId.charCodeAt(index), FNV_PRIME);
  }
  return (hash >>> 0) % BUCKETS;
}
