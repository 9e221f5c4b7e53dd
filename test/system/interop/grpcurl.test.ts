// Calls the server with grpcurl, which is built on grpc-go and has none of our protos: it asks the server for them.
import { type ExecFileException, execFile } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";
import { installGoTool } from "../../fixtures/go-tool.ts";
import { GRPCURL } from "./grpcurl.ts";

const INSTALL_WITHIN_MS = 900_000;

describe("grpcurl", () => {
  let grpcurl: string;
  let gateway: Gateway;
  let key: string;
  beforeAll(async () => {
    grpcurl = installGoTool(GRPCURL);
    gateway = await startGateway({
      variables: { QUINTET_REFLECTION: "on" },
      plans: { farkle: [{ name: "free", callsPerMonth: 1, requestsPerSecond: 9 }] },
    });
    key = (await gateway.makeCustomer({ farkle: "free" })).secret;
  }, INSTALL_WITHIN_MS);
  afterAll(() => gateway.close());

  const run = (options: readonly string[], ...what: string[]): Promise<{ exitCode: number; printed: string; failure: string }> =>
    new Promise((resolve) => {
      const args = ["-plaintext", ...options, `127.0.0.1:${gateway.port}`, ...what];
      execFile(grpcurl, args, (error: ExecFileException | null, printed, failure) => {
        resolve({ exitCode: Number(error?.code ?? 0), printed, failure });
      });
    });

  test("lists the services", async () => {
    const { printed } = await run([], "list");
    expect(printed.split("\n")).toEqual(expect.arrayContaining(["grpc.health.v1.Health", "quintet.farkle.v1.FarkleService"]));
  });

  test("describes a message with its rules, which come with the imports", async () => {
    const { printed } = await run([], "describe", "quintet.farkle.v1.ScoreRequest");
    expect(printed).toContain("repeated int32 dice = 1");
    expect(printed).toContain("(.buf.validate.field)");
  });

  test("checks the health of the server and of a service", async () => {
    const overall = await run([], "grpc.health.v1.Health/Check");
    const farkle = await run(["-d", '{"service":"quintet.farkle.v1.FarkleService"}'], "grpc.health.v1.Health/Check");
    expect([overall, farkle].map(({ printed }) => JSON.parse(printed))).toEqual([{ status: "SERVING" }, { status: "SERVING" }]);
  });

  test("calls, and prints the details of a refusal", async () => {
    const call = ["-H", `x-gateway-key: ${key}`, "-d", '{"dice":[2,3]}'];
    const first = await run(call, "quintet.farkle.v1.FarkleService/Score");
    expect(JSON.parse(first.printed)).toEqual({ farkle: true, deadDice: [2, 3] });
    const second = await run(call, "quintet.farkle.v1.FarkleService/Score");
    expect(second.exitCode).toBe(64 + 8);
    expect(second.failure).toContain("Code: ResourceExhausted");
    expect(second.failure).toContain('"reason": "QUOTA_EXCEEDED"');
  });
});
