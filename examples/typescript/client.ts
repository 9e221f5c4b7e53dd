// The client, created from the protos when the program starts. Its types are generated from the same protos.
import { type ChannelCredentials, type ChannelOptions, loadPackageDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { ProtoGrpcType as Errors } from "./gen/error_details.ts";
import type { TokenPriceServiceClient } from "./gen/quintet/tokenprice/v1/TokenPriceService.ts";
import type { ProtoGrpcType as Rpc } from "./gen/status.ts";
import type { ProtoGrpcType as Prices } from "./gen/token_price.ts";

export type TokenPriceClient = TokenPriceServiceClient;

// The same as in the script "generate".
const OPTIONS = {
  includeDirs: ["../../proto", "../../third_party"],
  longs: String,
  enums: String,
  oneofs: true,
  defaults: true,
  arrays: true,
};
const FILES = ["quintet/tokenprice/v1/token_price.proto", "google/rpc/status.proto", "google/rpc/error_details.proto"];

const loaded = loadPackageDefinition(loadSync(FILES, OPTIONS)) as unknown as Prices & Rpc & Errors;

/** `google.rpc`: the messages of errors. */
export const rpc = loaded.google.rpc as Rpc["google"]["rpc"] & Errors["google"]["rpc"];

/** A client for the server at `HOST:PORT`. */
export const client = (server: string, credentials: ChannelCredentials, options: ChannelOptions): TokenPriceClient =>
  new loaded.quintet.tokenprice.v1.TokenPriceService(server, credentials, options);
