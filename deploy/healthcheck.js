// The image's HEALTHCHECK: exits with 0 if the server in this container responds to /livez, otherwise with 1. A server that is stopping, or
// has lost its database, counts as alive.
import { get as getCleartext } from "node:http";
import { get as getSecure } from "node:https";

const { QUINTET_PORT = "8080", QUINTET_TLS_CERT, QUINTET_TLS_CLIENT_CA } = process.env;
const TIMEOUT_MS = 4000;

const end = (isAlive) => process.exit(isAlive ? 0 : 1);
const options = { host: "127.0.0.1", port: Number(QUINTET_PORT), path: "/livez", timeout: TIMEOUT_MS };
const request =
  QUINTET_TLS_CERT === undefined
    ? getCleartext(options, ({ statusCode }) => end(statusCode === 200))
    : // Its certificate is not verified: nothing else runs in the container.
      getSecure({ ...options, rejectUnauthorized: false }, ({ statusCode }) => end(statusCode === 200));
request.on("timeout", () => end(false));
// A server that requires client certificates ends the handshake, or the connection right after it, so it is alive.
request.on("error", ({ code }) => end(QUINTET_TLS_CLIENT_CA !== undefined && code !== "ECONNREFUSED"));
