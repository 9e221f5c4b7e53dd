// Measures the memory of an idle connection: opens a thousand over HTTP/2 and makes one call on each.
import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { setTimeout as wait } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { ScoreRequestSchema } from "../gen/quintet/farkle/v1/farkle_pb.js";
import { writeEnvelope } from "../src/gateway/rpc/envelope.ts";
import { startContender } from "./contender.ts";
import type { ContenderName } from "./contenders.ts";

const CONNECTIONS = 1000;
/** Earlier connections, so that neither a server's one-time setup nor the growth of its young generation is counted. */
const FIRST_CONNECTIONS = 1000;
const SETTLE_MS = 1000;
const MEASURED: readonly ContenderName[] = ["quintet", "grpc-go", "grpc-js", "node:http2"];

const CALL = {
  ":method": "POST",
  ":path": "/quintet.farkle.v1.FarkleService/Score",
  "content-type": "application/grpc",
  te: "trailers",
} as const;
const BODY = writeEnvelope(toBinary(ScoreRequestSchema, create(ScoreRequestSchema, { dice: [1, 1, 1, 5, 5, 5] })), false);

/** KiB of resident memory per connection, by contender. */
export async function measureIdleConnections(
  more: (name: ContenderName) => readonly string[],
): Promise<ReadonlyMap<ContenderName, number>> {
  const costs = new Map<ContenderName, number>();
  for (const name of MEASURED) {
    const contender = await startContender(name, { more: more(name) });
    const open = async (count: number): Promise<readonly ClientHttp2Session[]> => {
      const sessions: ClientHttp2Session[] = [];
      for (let created = 0; created < count; created += 1) {
        const session = connect(`http://127.0.0.1:${contender.port}`);
        sessions.push(session);
        const stream = session.request({ ...CALL, ...(contender.keys && { "x-gateway-key": contender.keys[0] }) });
        stream.end(BODY).resume();
        await once(stream, "close");
      }
      await wait(SETTLE_MS);
      return sessions;
    };
    const first = await open(FIRST_CONNECTIONS);
    const before = contender.residentMib();
    const sessions = await open(CONNECTIONS);
    costs.set(name, ((contender.residentMib() - before) * 1024) / CONNECTIONS);
    for (const session of [...first, ...sessions]) {
      session.destroy();
    }
    await contender.stop();
  }
  return costs;
}
