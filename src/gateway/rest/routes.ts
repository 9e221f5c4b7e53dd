// The routes of our methods: those of @quintet/transcoding, with the writers of our envelope.
import { type DescMethod, hasOption, type Message } from "@bufbuild/protobuf";
import * as transcoding from "@quintet/transcoding";
import { data_service } from "../../../gen/quintet/options/v1/options_pb.js";
import { isUnixSeconds } from "../../problem/timestamp.ts";
import { compileTable, type WriteTable } from "./csv.ts";
import { compileData, compileSuccess, type WriteSuccess } from "./success.ts";

interface Writers {
  /** Writes the body of a successful response. */
  readonly writeSuccess: WriteSuccess;
  /** Writes one message of a stream as a single line of JSON. */
  readonly writeData: (output: Message) => string;
  /** Writes a successful response of a data service as CSV; undefined if it is not a table. */
  readonly writeTable: WriteTable | undefined;
}

/** A compiled route: one HTTP method and path of one RPC. */
export type Route = transcoding.Route & Writers;

export type Routes = transcoding.Routes<Writers>;

/**
 * Compiles the HTTP rules of the methods. Methods without a rule are skipped. Throws an Error that names the first invalid rule.
 */
export const compileRoutes = (methods: Iterable<DescMethod>): Routes =>
  transcoding.compileRoutes(methods, {
    isUnixSeconds,
    compile(rule) {
      const write = compileData(rule);
      return {
        writeSuccess: compileSuccess(rule),
        writeData: (output) => write(output).text,
        writeTable: hasOption(rule.rpc.parent, data_service) ? compileTable(rule.rpc.output) : undefined,
      };
    },
  });
