// All clients of the matrix.
import type { Client } from "./client.ts";
import { connectBinary, connectGet, connectJson, grpcWeb } from "./clients/connect.ts";
import { grpc } from "./clients/grpc.ts";
import { restGet, restGetWithBody, restPost } from "./clients/rest.ts";

/** One client for each way of calling. */
export const CLIENTS: readonly Client[] = [
  restGet,
  restGetWithBody,
  restPost,
  connectJson,
  connectBinary,
  connectGet,
  grpcWeb,
  grpc,
];
