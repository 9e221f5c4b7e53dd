// connect-node as in its documentation: the adapter on node:http2 without TLS, no interceptors, the same scoring for a caller without
// limits.
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { createContextValues } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { FarkleService } from "../../gen/quintet/farkle/v1/farkle_pb.js";
import { entitlementsKey, HIGHEST_ENTITLEMENTS } from "../../src/catalogue/entitlements.ts";
import { createFarkle } from "../../src/services/farkle/service.ts";
import { ready } from "../ready.ts";

const { implementation } = createFarkle();
const values = createContextValues().set(entitlementsKey, HIGHEST_ENTITLEMENTS);
const server = createServer(
  connectNodeAdapter({ routes: (router) => router.service(FarkleService, implementation), contextValues: () => values }),
);
server.listen(0, "127.0.0.1", () => ready({ port: (server.address() as AddressInfo).port }));
