// What a connection costs that does nothing: a thousand over HTTP/2, each of which has made one call.
import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { setTimeout as wait } from "node:timers/promises";
import { startContender } from "./contender.ts";
import { COMMANDS, type ContenderName } from "./contenders.ts";
import { headersOf, urlOf } from "./load.ts";
import type { Workload } from "./workloads.ts";

const CONNECTIONS = 1000;
/** Connections that come first, so that neither what a server sets up once is counted nor how its collector's young space grows. */
const FIRST_CONNECTIONS = 1000;
const SETTLE_MS = 1000;
const MEASURED: readonly ContenderName[] = ["quintet", "grpc-go", "grpc-js", "node:http2"];

/** KiB of resident memory a connection, by contender. */
export async function measureIdleConnections(
  workload: Workload,
  more: (name: ContenderName) => readonly string[],
): Promise<ReadonlyMap<ContenderName, number>> {
  const costs = new Map<ContenderName, number>();
  for (const name of MEASURED.filter((each) => COMMANDS.has(each))) {
    const contender = await startContender(name, { more: more(name) });
    const open = async (count: number): Promise<readonly ClientHttp2Session[]> => {
      const sessions: ClientHttp2Session[] = [];
      for (let made = 0; made < count; made += 1) {
        const session = connect(new URL(urlOf(contender, workload)).origin);
        sessions.push(session);
        const stream = session.request({ ":method": "POST", ":path": workload.path, ...headersOf(contender, workload) });
        stream.end(workload.body).resume();
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
