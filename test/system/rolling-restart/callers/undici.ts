// undici, the client behind Node's fetch: with keep-alive connections, and a name with several addresses, so that it tries the next one if
// one refuses a connection.
import type { LookupFunction } from "node:net";
import { Agent, request } from "undici";
import { type Caller, callOn, type Outcome } from "../caller.ts";

// Like a resolver with several addresses: in a different order each time.
function lookUp(hosts: readonly string[]): LookupFunction {
  let turn = 0;
  return (_name, _options, done) => {
    turn += 1;
    done(
      null,
      hosts.map((_, index) => ({ address: hosts[(index + turn) % hosts.length] ?? "", family: 4 })),
    );
  };
}

const overUndici = (name: string, method: "GET" | "POST"): Caller => ({
  name,
  start({ hosts, http1Port: port, key }) {
    const dispatcher = new Agent({ connect: { lookup: lookUp(hosts), autoSelectFamily: true } });
    const query = method === "GET" ? "?dice=1,1,5" : "";
    const send = async (): Promise<Outcome> => {
      const { statusCode, body } = await request(`http://quintet.test:${port}/farkle/v1/score${query}`, {
        dispatcher,
        method,
        headers: { "x-gateway-key": key, "content-type": "application/json" },
        body: method === "GET" ? null : '{"dice":[1,1,5]}',
      });
      const text = await body.text();
      if (statusCode === 200) {
        return "answered";
      }
      return statusCode === 429 ? "limited" : { lost: `HTTP ${statusCode}: ${JSON.parse(text).error?.reason}` };
    };
    const call = (): Promise<Outcome> => send().catch((error) => ({ lost: reasonOf(error) }));
    return callOn(call, () => dispatcher.close());
  },
});

const reasonOf = ({ message, code }: NodeJS.ErrnoException): string => `${code ?? ""} ${message}`.trim();

/** REST over HTTP/1.1, by GET and by POST. */
export const undiciCallers: readonly Caller[] = [overUndici("undici, GET", "GET"), overUndici("undici, POST", "POST")];
