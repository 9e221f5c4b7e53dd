// The paths that docs/architecture.md describes are the real paths of calls: the call has run code of each file that it names, and the path
// of a REST call is short enough to read. V8 counts which functions were called.
import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { describe, expect, test } from "vitest";
import { FarkleService } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { dialHttp2, fetchHttp2 } from "../../packages/http/test/listening.ts";
import { WATCH_CLIENTS, type WatchClient } from "./streams/watch-clients.ts";
import { startWatchScene, type WatchScene } from "./streams/watch-scene.ts";

const ARCHITECTURE = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8");
const FILES_MAX = 15;

/** The files that the section under a heading names, in order. */
function walkOf(heading: string): readonly string[] {
  const [, section = ""] = ARCHITECTURE.split(`\n## ${heading}\n`);
  const [walk = ""] = section.split("\n## ");
  return [...new Set(Array.from(walk.matchAll(/\]\(\.\.\/((?:packages\/[\w-]+\/)?src\/[^)]+)\)/g), ([, file]) => file as string))];
}

/** The files of src/ with a function that was called during the run. */
async function filesThatRun(call: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await session.post("Profiler.takePreciseCoverage");
    await call();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
      .flatMap(({ url }) => /\/((?:packages\/[\w-]+\/)?src\/[^?]+\.ts)/.exec(url)?.[1] ?? []);
  } finally {
    session.disconnect();
  }
}

const FRAMED_ROLL = new Uint8Array([0, 0, 0, 0, 4, 10, 2, 1, 1]);

/** A scene with the key of a customer who may score rolls. */
interface Stage {
  readonly scene: WatchScene;
  readonly scoringKey: string;
}

interface Way {
  readonly heading: string;
  readonly call: (stage: Stage) => Promise<unknown>;
  /** What the call returns, or the first message of its stream. */
  readonly responded: unknown;
  /** Files that this call must not need, because they belong to other paths. */
  readonly otherWays: readonly string[];
}

const UNARY = "src/gateway/rpc/unary-pipeline.ts";
const REST_STREAM = "src/gateway/rest/stream-pipeline.ts";
const CONNECT = "src/gateway/rpc/connect-pipeline.ts";
const REST_CODEC = "src/gateway/rest/rest-codec.ts";
const GRPC_CODEC = "src/gateway/rpc/codecs/grpc.ts";

async function firstMessage({ scene }: Stage, name: string): Promise<unknown> {
  const client = WATCH_CLIENTS.find((one) => one.name === name) as WatchClient;
  for await (const message of scene.watch(client)) {
    return (message as { results: readonly unknown[] }).results.length;
  }
  return undefined;
}

const WAYS: readonly Way[] = [
  {
    heading: "The path of a REST call",
    async call({ scene, scoringKey }) {
      const response = await fetch(`${scene.gateway.origin}/farkle/v1/score?dice=1,1`, {
        headers: { "x-gateway-key": scoringKey },
      });
      return ((await response.json()) as { data: { score: number } }).data.score;
    },
    responded: 200,
    otherWays: [REST_STREAM, CONNECT, GRPC_CODEC],
  },
  {
    heading: "The path of a gRPC call",
    async call({ scene, scoringKey }) {
      const fields = {
        ":method": "POST",
        ":path": `/${FarkleService.typeName}/Score`,
        "content-type": "application/grpc",
        "x-gateway-key": scoringKey,
      };
      return (await fetchHttp2(dialHttp2(scene.gateway.port), fields, FRAMED_ROLL)).trailers?.["grpc-status"];
    },
    responded: "0",
    otherWays: [REST_STREAM, CONNECT, REST_CODEC],
  },
  {
    heading: "The path of a stream over REST",
    call: (stage) => firstMessage(stage, "REST, NDJSON"),
    responded: 1,
    otherWays: [UNARY, CONNECT, GRPC_CODEC],
  },
  {
    heading: "The path of a stream over gRPC",
    call: (stage) => firstMessage(stage, "gRPC"),
    responded: 1,
    otherWays: [UNARY, REST_STREAM, REST_CODEC],
  },
];

describe.each(WAYS)("$heading", ({ heading, call, responded, otherWays }) => {
  test("is the one that the call really takes", async () => {
    const scene = await startWatchScene();
    const { secret: scoringKey } = await scene.gateway.makeCustomer({ farkle: "free" });
    let received: unknown;
    const ran = await filesThatRun(async () => {
      received = await call({ scene, scoringKey });
    });
    const walk = walkOf(heading);
    expect({
      received,
      walk: walk.filter((file) => ran.includes(file)),
      otherWays: otherWays.filter((file) => ran.includes(file)),
    }).toEqual({ received: responded, walk, otherWays: [] });
  });
});

test.each(WAYS)("$heading names files", ({ heading }) => {
  expect(walkOf(heading)).not.toEqual([]);
});

test("The path of a REST call is short enough to read in one sitting", () => {
  expect(walkOf("The path of a REST call").length).toBeLessThanOrEqual(FILES_MAX);
});
