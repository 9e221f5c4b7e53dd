// The names of everything that Quintet keeps in Redis. All of it may be lost at any moment, and all of it expires automatically.

// The number changes with the contents of the keys: servers of two versions count separately.
const PREFIX = "quintet:2:";

// A script may use only keys that are on the same server, which a Redis Cluster ensures for keys with the same hash tag. So the buckets are
// divided into as many parts as there are tags, each with its own keys. These tags are spread evenly over the 16384 slots.
const CLUSTER_TAGS = ["lb", "kz", "yx", "cb", "zx", "hz", "mz", "jb", "wa", "sy", "nz", "ib"];

/** The keys of one part of the buckets. They are all on the same server. */
export class RedisPart {
  readonly #prefix: string;
  /** The nodes that count together, in a sorted set by the time of their last heartbeat. */
  readonly nodes: string;
  /** The nodes that recently counted together, in another sorted set. */
  readonly recent: string;
  /** When Redis last lost buckets, so that missing buckets are not mistaken for full ones; 0 if it never did. */
  readonly memory: string;

  constructor(tag?: string) {
    this.#prefix = tag === undefined ? PREFIX : `${PREFIX}{${tag}}:`;
    this.nodes = `${this.#prefix}nodes`;
    this.recent = `${this.#prefix}recent`;
    this.memory = `${this.#prefix}memory`;
  }

  /** The bucket of an account and service, named as the guard names their limits. */
  bucket(name: string): string {
    return `${this.#prefix}bucket:${name}`;
  }

  /** What a node writes with each heartbeat, to prove that Redis has memory for a bucket. */
  heartbeat(node: string): string {
    return `${this.#prefix}heartbeat:${node}`;
  }
}

/** The parts if all keys are on one Redis: only one. */
export const ONE_PART: readonly RedisPart[] = [new RedisPart()];

export const CLUSTER_PARTS: readonly RedisPart[] = CLUSTER_TAGS.map((tag) => new RedisPart(tag));

/** The part that a bucket is in, the same on every node. */
export function partOf(parts: readonly RedisPart[], name: string): RedisPart {
  let hash = 0;
  for (let index = 0; parts.length > 1 && index < name.length; index++) {
    hash = (Math.imul(hash, 31) + name.charCodeAt(index)) >>> 0;
  }
  return parts[hash % parts.length] as RedisPart;
}
