// Cells behind nginx: each key reaches the servers that know it, by the digits in the key alone.
import { expect, onTestFinished, test } from "vitest";
import { FarkleService } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { grpc, rest } from "../account-services/clients.ts";
import { type Balancer, nginx, startBalancer } from "../rolling-restart/balancer.ts";

const { score } = FarkleService.method;

describeWith(nginx, "nginx in front of two cells", () => {
  async function start(cell: string | undefined): Promise<Gateway & { readonly secret: string }> {
    const gateway = await startGateway({ variables: cell === undefined ? {} : { QUINTET_CELL: cell } });
    onTestFinished(() => gateway.close());
    const { secret } = await gateway.makeCustomer({ farkle: "free" });
    return { ...gateway, secret };
  }

  async function call(client: typeof rest, origin: string, secret: string): Promise<string> {
    const { code } = await client.call({ origin, method: score, input: { dice: [1] }, headers: { "x-gateway-key": secret } });
    return code.toLowerCase();
  }

  const originOf = (balancer: Balancer, client: typeof rest): string =>
    `http://127.0.0.1:${client === grpc ? balancer.port : balancer.http1Port}`;

  test("sends a key to the cell that it names, and a key without a cell to the first one", async () => {
    const [first, second] = [await start(undefined), await start("01")];
    expect(second.secret).toMatch(/^qk_live_01[0-9A-Za-z]{38}$/);
    const nodes = [`127.0.0.1:${first.port}`, `127.0.0.1:${second.port}`] as const;
    const balancer = await startBalancer({ configuration: "cells.conf", nodes });
    onTestFinished(() => balancer.close());
    for (const client of [rest, grpc]) {
      const origin = originOf(balancer, client);
      expect([await call(client, origin, first.secret), await call(client, origin, second.secret)]).toEqual(["ok", "ok"]);
      // Neither cell knows the other's key.
      expect([await call(client, second.origin, first.secret), await call(client, first.origin, second.secret)]).toEqual([
        "unauthenticated",
        "unauthenticated",
      ]);
    }
  });
});
