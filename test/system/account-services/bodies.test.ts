// The account services check bodies before reading them: they must be short, uncompressed, and nested no deeper than their message.
import { once } from "node:events";
import { connect } from "node:http2";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Gateway, startGateway } from "../../fixtures/gateway.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const RPC = "/quintet.account.v1.SignInService/SignIn";
const NOT_COMPRESSED = "This method does not accept a compressed request; send it without an encoding.";

// Sends only the head, or part of a body, so the response cannot have waited for the rest.
async function responseTo(path: string, headers: Readonly<Record<string, string>>, body?: Uint8Array) {
  const session = connect(gateway.origin);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ":method": "POST", ":path": path, ...headers }, { endStream: false });
  if (body !== undefined) {
    stream.end(body);
  }
  const [head] = await once(stream, "response");
  return { head, text: (await stream.setEncoding("utf8").toArray()).join("") };
}

describe("a compressed sign-in request is refused before its body is read", () => {
  test.each([
    ["REST", "/account/v1/sign-in", "application/json", "content-encoding", 415],
    ["REST, as a form", "/account/v1/sign-in", "application/x-www-form-urlencoded", "content-encoding", 415],
    ["Connect JSON", RPC, "application/json", "content-encoding", 501],
    ["Connect binary", RPC, "application/proto", "content-encoding", 501],
  ])("%s", async (_, path, type, name, status) => {
    const { head, text } = await responseTo(path, { "content-type": type, [name]: "gzip" });
    expect([head[":status"], head["accept-encoding"], JSON.parse(text).message]).toEqual([status, "identity", NOT_COMPRESSED]);
  });

  test.each(["application/grpc", "application/grpc-web+proto"])("%s", async (type) => {
    const { head } = await responseTo(RPC, { "content-type": type, te: "trailers", "grpc-encoding": "gzip" });
    const said = ["grpc-status", "grpc-accept-encoding", "grpc-message"].map((name) => head[name]);
    expect(said).toEqual(["12", "identity", NOT_COMPRESSED]);
  });
});

test("a request of more than 4 KiB is refused before its body is read", async () => {
  const { head, text } = await responseTo("/account/v1/sign-in", { "content-type": "application/json", "content-length": "4097" });
  expect([head[":status"], JSON.parse(text).message]).toEqual([413, "The body is longer than 4 KiB."]);
});

test.each([
  ["/account/v1/sign-in", "body nests deeper than 6 levels"],
  [RPC, "The request's JSON nests deeper than 6 levels."],
])("%s accepts no JSON that nests deeper than its message, whatever its length", async (path, message) => {
  const deep = Buffer.from(`{"x":${"[".repeat(62)}${"]".repeat(62)}}`);
  const { head, text } = await responseTo(path, { "content-type": "application/json" }, deep);
  expect([head[":status"], JSON.parse(text).message]).toEqual([400, message]);
});

test("a body that decompresses to 240 kB is not decompressed", async () => {
  const packed = gzipSync(`{"x":[${`${"[".repeat(59)}${"]".repeat(59)},`.repeat(2000)}0]}`);
  const { head } = await responseTo(
    "/account/v1/sign-in",
    { "content-type": "application/json", "content-encoding": "gzip" },
    packed,
  );
  expect(head[":status"]).toBe(415);
});
