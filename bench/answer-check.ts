// Asks a contender once: one that answers wrongly is fast for nothing.
import { request as http1 } from "node:http";
import { connect as http2 } from "node:http2";
import { request as https1 } from "node:https";
import type { Contender } from "./contender.ts";
import { headersOf, urlOf } from "./load.ts";
import type { Workload } from "./workloads.ts";

/** Rejects when the answer does not hold what it should. */
export async function checkAnswer(contender: Contender, workload: Workload): Promise<void> {
  const text = await (workload.http === 1 ? askHttp1(contender, workload) : askHttp2(contender, workload));
  if (!text.includes(workload.holds)) {
    throw new Error(`${contender.name}, ${workload.name}: a wrong answer: ${text.slice(0, 300)}`);
  }
}

function askHttp1(contender: Contender, workload: Workload): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options = { headers: headersOf(contender, workload), agent: false, rejectUnauthorized: false } as const;
  (contender.isSecure ? https1 : http1)(urlOf(contender, workload), options, async (response) => {
    resolve((await response.setEncoding("latin1").toArray()).join(""));
  })
    .on("error", reject)
    .end();
  return promise;
}

async function askHttp2(contender: Contender, workload: Workload): Promise<string> {
  const session = http2(new URL(urlOf(contender, workload)).origin, { rejectUnauthorized: false });
  try {
    const stream = session.request({ ":method": "POST", ":path": workload.path, ...headersOf(contender, workload) });
    stream.end(workload.body);
    return (await stream.setEncoding("latin1").toArray()).join("");
  } finally {
    session.close();
  }
}
