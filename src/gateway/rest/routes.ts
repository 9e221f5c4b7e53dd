// The routes of our methods: those of @quintet/transcoding, with the writers of our envelope.
import type { DescMethod, Message } from "@bufbuild/protobuf";
import * as transcoding from "@quintet/transcoding";
import { isUnixSeconds } from "../../problem/timestamp.ts";
import { compileData, compileSuccess, type WriteSuccess } from "./success.ts";

interface Writers {
  /** Writes the body of a successful response. */
  readonly writeSuccess: WriteSuccess;
  /** Writes one message of a stream as a single line of JSON. */
  readonly writeData: (output: Message) => string;
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
      return { writeSuccess: compileSuccess(rule), writeData: (output) => write(output).text };
    },
  });
