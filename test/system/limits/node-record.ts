// What happened to one node, derived from the faults and its reports: when it counted its rates by itself, and when its month changed.
import { dayAt } from "../../../src/runtime/calendar.ts";
import type { Event } from "./history.ts";
import type { NodeNews } from "./node-log.ts";

// How late or early a node may notice that a month is over, because its clock is not read at the same time.
const NOTICE_MS = 50;

interface Span {
  readonly fromMs: number;
  untilMs: number;
  readonly nodes: number;
}

/** A node's record. */
export class NodeRecord {
  readonly #node: string;
  readonly #events: Event[];
  readonly #open = new Map<number, Span>();
  readonly #spans: Span[] = [];
  // The difference between the node's time of day and the monotonic clock.
  #differenceMs: number;
  readonly #machineMs: number;
  #sinceMs: number;

  constructor(node: string, atMs: number, offsetMs: number) {
    this.#node = node;
    this.#events = [{ kind: "node started", node, atMs }];
    this.#machineMs = Date.now() - atMs;
    this.#differenceMs = this.#machineMs + offsetMs;
    this.#sinceMs = atMs;
  }

  /** The events, up to now. */
  get events(): readonly Event[] {
    const shares = this.#spans.map((span): Event => ({ kind: "rate shared out", node: this.#node, ...span }));
    return [...this.#events, ...shares];
  }

  hear(news: NodeNews): void {
    if (news.kind === "worker killed") {
      this.#events.push({ kind: "worker killed", node: this.#node, atMs: news.atMs });
      this.#close(news.thread, news.atMs);
    } else if (news.kind === "share") {
      this.#close(news.thread, news.atMs);
      if (news.nodes !== undefined) {
        const span = { fromMs: news.atMs, untilMs: Number.POSITIVE_INFINITY, nodes: news.nodes };
        this.#open.set(news.thread, span);
        this.#spans.push(span);
      }
    }
  }

  /** Its time of day was set at some time in between. */
  stepped(fromMs: number, untilMs: number, offsetMs: number): void {
    this.#turned(fromMs);
    const before = this.#monthAt(fromMs);
    this.#differenceMs = this.#machineMs + offsetMs;
    this.#sinceMs = untilMs;
    if (this.#monthAt(untilMs) !== before) {
      this.#events.push({ kind: "month changed", node: this.#node, fromMs, untilMs: untilMs + NOTICE_MS });
    }
  }

  killed(atMs: number): void {
    this.#events.push({ kind: "node killed", node: this.#node, atMs });
    this.ended(atMs);
  }

  ended(atMs: number): void {
    this.#turned(atMs);
    for (const thread of [...this.#open.keys()]) {
      this.#close(thread, atMs);
    }
  }

  // The actual end of the month.
  #turned(untilMs: number): void {
    const endMs = dayAt(Math.floor(this.#sinceMs + this.#differenceMs)).monthEndMs - this.#differenceMs;
    if (endMs <= untilMs) {
      this.#events.push({ kind: "month changed", node: this.#node, fromMs: endMs - NOTICE_MS, untilMs: endMs + NOTICE_MS });
    }
  }

  #monthAt(atMs: number): string {
    return dayAt(Math.floor(atMs + this.#differenceMs)).month;
  }

  #close(thread: number, atMs: number): void {
    const span = this.#open.get(thread);
    if (span !== undefined) {
      span.untilMs = atMs;
      this.#open.delete(thread);
    }
  }
}
