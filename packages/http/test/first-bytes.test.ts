import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { dial, dialHttp2, echo, fetchHttp2, listening, until } from "./listening.ts";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** An empty SETTINGS frame. */
const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

describe("one cleartext port", () => {
  test("serves HTTP/1.1 and HTTP/2 with prior knowledge", async () => {
    const { port } = await listening(echo);
    const response1 = await fetch(`http://127.0.0.1:${port}/a%20b?c=d`);
    const response2 = await fetchHttp2(dialHttp2(port), { ":path": "/a%20b?c=d" });
    expect([await response1.text(), response2.body]).toEqual(["1 GET /a%20b c=d", "2 GET /a%20b c=d"]);
  });

  test("recognizes HTTP/2 by its preface, even byte by byte", async () => {
    const { port } = await listening(echo);
    const peer = await dial(port);
    for (const byte of PREFACE) {
      peer.send(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    peer.send(SETTINGS);
    // The server's SETTINGS, then its acknowledgement of ours.
    const acknowledgement = "\0\0\0\x04\x01\0\0\0\0";
    expect(await peer.until(acknowledgement)).toContain(acknowledgement);
  });

  test.each(["POST", "PUT", "PROPFIND", "GET"])("recognizes HTTP/1.1 by %s, even byte by byte", async (method) => {
    const { port } = await listening(echo);
    const peer = await dial(port);
    for (const byte of `${method} /a HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`) {
      peer.send(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await peer.until(`1 ${method} /a`)).toContain("HTTP/1.1 200 OK\r\n");
  });

  test.each(["", "P", "PRI"])("closes a connection that sends only %j", async (sent) => {
    const { port, clock } = await listening(echo, { limits: { firstByteTimeoutMs: 5000 } });
    const peer = await dial(port);
    peer.send(sent);
    await until(() => clock.pending === 1);
    clock.advance(4999);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    expect(await peer.closed()).toBe("");
  });

  test("closes a connection that ends before its protocol is known", async () => {
    const { port, clock } = await listening(echo);
    const peer = await dial(port);
    peer.socket.end("PR");
    expect(await peer.closed()).toBe("");
    await until(() => clock.pending === 0);
  });
});

describe("listening", () => {
  test("rejects when the port is taken", async () => {
    const { port } = await listening(echo);
    await expect(listening(echo, { sharedPort: port })).rejects.toMatchObject({ code: "EADDRINUSE", port });
  });

  test("shares a port with `reusePort`", async () => {
    const first = await listening(echo, { sharedPort: 0 });
    const second = await listening(echo, { sharedPort: first.port });
    await first.listener.close();
    const response = await fetch(`http://127.0.0.1:${second.port}/second`);
    expect([second.port, await response.text()]).toEqual([first.port, "1 GET /second "]);
  });

  test("leaves nothing open after closing", async () => {
    const { port, listener, clock } = await listening(echo);
    const session = dialHttp2(port);
    await fetchHttp2(session, { ":path": "/" });
    const peer = await dial(port);
    peer.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    await peer.until("1 GET /");
    const silent = await dial(port);
    const sessionClosed = once(session, "close");
    await listener.close();
    await Promise.all([peer.closed(), silent.closed(), sessionClosed]);
    expect(clock.pending).toBe(0);
  });
});
