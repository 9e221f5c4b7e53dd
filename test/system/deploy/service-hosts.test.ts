// A host name for each service: nginx passes its paths on as those of the service.
import { expect, onTestFinished, test } from "vitest";
import { DATA_SERVICES } from "../../../gen/data-services.ts";
import { dialHttp2, fetchHttp2 } from "../../../packages/http/test/listening.ts";
import { startGateway } from "../../fixtures/gateway.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { nginx, startBalancer } from "../rolling-restart/balancer.ts";

const calls = Object.entries(DATA_SERVICES).map(
  ([name, { firstCall }]) => [name, firstCall.slice(name.length + 1), firstCall] as const,
);

describeWith(nginx, "nginx with a host name for each service", () => {
  async function start() {
    const gateway = await startGateway();
    onTestFinished(() => gateway.close());
    const node = `127.0.0.1:${gateway.port}`;
    const balancer = await startBalancer({ configuration: "nginx.conf", nodes: [node, node] });
    onTestFinished(() => balancer.close());
    const { secret } = await gateway.makeCustomer({ farkle: "free" });
    const session = dialHttp2(balancer.port);
    const call = async (host: string, path: string, key?: string): Promise<string> => {
      const { status, body } = await fetchHttp2(session, {
        ":authority": host,
        ":path": path,
        ...(key && { "x-gateway-key": key }),
      });
      return `${status} ${(JSON.parse(body) as { error?: { reason: string } }).error?.reason ?? body}`;
    };
    return { call, secret };
  }

  test("serves a service's paths under its own host name, and all paths under the common one", async () => {
    const { call } = await start();
    for (const [name, path, whole] of calls) {
      // Without a key, a path that exists says so.
      expect([
        await call(`${name}.api.example.com`, path),
        await call("api.example.com", whole),
        await call(`${name}.api.example.com`, whole),
        await call("api.example.com", path),
      ]).toEqual(["401 KEY_MISSING", "401 KEY_MISSING", "401 KEY_MISSING", "404 METHOD_UNKNOWN"]);
    }
  });

  test("passes the query on", async () => {
    const { call, secret } = await start();
    expect(await call("farkle.api.example.com", "/v1/score?dice=1,5&dice=6", secret)).toMatch(
      /^200 .*"score":150,.*"dead_dice":\[6\]/,
    );
  });
});
