// What the package exports. README.md explains each.
export { byteSize } from "./byte-size.ts";
export type { Client } from "./client/client.ts";
export { ClientCertificate } from "./client/client-certificate.ts";
export type { ProxyTrust } from "./client/trusted-proxies.ts";
export { type Clock, systemClock } from "./clock.ts";
export { containUncaught } from "./connection-scope.ts";
export type { ConnectionCounts } from "./connections.ts";
export type { Exchange, FaultHandler, RequestHandler } from "./exchange.ts";
export {
  beginsElement,
  CONNECTION_SPECIFIC,
  checkHeaderValue,
  memberParameters,
  type RequestHeaders,
  type ResponseHeaders,
  SEMICOLON,
} from "./headers.ts";
export { hasHostBits, IpNetworks, networkText, parseIpNetwork } from "./ip-network.ts";
export { DEFAULT_LIMITS, type ServerLimits } from "./limits.ts";
export type { Log } from "./log.ts";
export { type BodyRoom, bodyTooLarge, noRoomForBody, withinRoom } from "./request-body.ts";
export { headersTooLarge, uriTooLong } from "./request-head.ts";
export { type ResponseBody, type SizedText, sized, TextBuilder } from "./response-body.ts";
export type { ResponseStream } from "./response-stream.ts";
export { createServer, type Server, type ServerOptions } from "./server.ts";
export type { TlsMaterial } from "./tls.ts";
export { FAULT_STATUS, type FaultReason, TransportError, type TransportFault } from "./transport-fault.ts";
