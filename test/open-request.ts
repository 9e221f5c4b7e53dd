// A request of which only the head is sent: its body is announced and stays away, so whatever answers has not waited for it.
import { once } from "node:events";
import { request } from "node:http";
import type { ClientHttp2Session, IncomingHttpHeaders } from "node:http2";

/** The head. */
export interface OpenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** False where the request ends with its head. */
  readonly announcesBody: boolean;
}

/** The answer to it, without what HTTP itself puts into a head. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const OF_HTTP = new Set([":status", "date", "connection", "keep-alive", "content-length", "transfer-encoding"]);

const own = (headers: IncomingHttpHeaders | NodeJS.Dict<string | string[]>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_HTTP.has(name)));

/** Over HTTP/1.1, with a length of a hundred bytes that never come. */
export async function askHttp1(port: number, { method, path, headers, announcesBody }: OpenRequest): Promise<OpenAnswer> {
  const sent = request({
    host: "127.0.0.1",
    port,
    method,
    path,
    agent: false,
    headers: { ...headers, ...(announcesBody && { "content-length": "100" }) },
  });
  try {
    if (announcesBody) {
      sent.flushHeaders();
    } else {
      sent.end();
    }
    const [response] = await once(sent, "response");
    const length = Number(response.headers["content-length"]);
    let body = "";
    response.setEncoding("utf8");
    // The server keeps the connection open for a while after the answer, so its end is told by its length.
    for await (const chunk of response) {
      body += chunk;
      if (Buffer.byteLength(body) >= length) {
        break;
      }
    }
    return { status: response.statusCode, headers: own(response.headers), body };
  } finally {
    // What the connection comes to after the answer is nobody's concern.
    sent.on("error", () => {});
    sent.destroy();
  }
}

/** Over HTTP/2, on a stream that stays open. */
export async function askHttp2(
  session: ClientHttp2Session,
  { method, path, headers, announcesBody }: OpenRequest,
): Promise<OpenAnswer> {
  const stream = session.request({ ":method": method, ":path": path, ...headers }, { endStream: !announcesBody });
  const [head] = await once(stream, "response");
  const body = (await stream.setEncoding("utf8").toArray()).join("");
  stream.close();
  return { status: head[":status"], headers: own(head), body };
}
