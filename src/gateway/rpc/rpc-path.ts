// The path of an RPC. It is the same in gRPC, gRPC-Web and Connect.
import type { DescMethod } from "@bufbuild/protobuf";

/** `/quintet.farkle.v1.FarkleService/Score` */
export function rpcPath(desc: DescMethod): string {
  return `/${desc.parent.typeName}/${desc.name}`;
}
