// Calls over gRPC from programs, with the client packages, and in Go with generated code. The input is written as Protobuf JSON, which can
// express any message. The program ends with an error if the call fails.
import { DRY_RUN_HEADER, type SnippetCall, secretVariable } from "./snippet.ts";

/** The parts of a method's full name. */
interface MethodNames {
  /** `quintet/farkle/v1` */
  readonly folder: string;
  /** `FarkleService` */
  readonly service: string;
  /** `Score` */
  readonly method: string;
}

function namesOf({ rpc }: SnippetCall): MethodNames {
  const [whole = "", method = ""] = rpc.split("/");
  const parts = whole.split(".");
  return { folder: parts.slice(0, -1).join("/"), service: parts.at(-1) ?? "", method };
}

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

// `TokenPriceService` → `token_price`
const snakeOf = (service: string): string =>
  lowerFirst(service.replace(/Service$/, "")).replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** With Connect's transport for gRPC, and the types of the npm package. */
export function grpcTypescript(call: SnippetCall): string {
  const { folder, service, method } = namesOf(call);
  const name = lowerFirst(method);
  const headers = [
    `"x-gateway-key": process.env.${secretVariable(call.credential)} ?? ""`,
    ...(call.isDryRun ? [`"${DRY_RUN_HEADER[0]}": "${DRY_RUN_HEADER[1]}"`] : []),
  ].join(", ");
  const called = `client.${name}(request, { headers })`;
  const read = call.isStream
    ? `for await (const message of ${called}) {\n  console.log(toJsonString(output, message));\n}`
    : `console.log(toJsonString(output, await ${called}));`;
  return `import { fromJson, toJsonString } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ${service} } from "@quintet/client/gen/${folder}/${snakeOf(service)}_pb";

const transport = createGrpcTransport({ baseUrl: "${call.server}", idleConnectionTimeoutMs: 1000 });
const client = createClient(${service}, transport);
const { input, output } = ${service}.method.${name};
const request = fromJson(input, ${JSON.stringify(call.input)});
const headers = { ${headers} };
${read}`;
}

/** With the package for Python, over grpcio. */
export function grpcPython(call: SnippetCall): string {
  const { service, method } = namesOf(call);
  const name = snakeOf(service);
  const metadata = call.isDryRun ? `, metadata=[("${DRY_RUN_HEADER[0]}", "${DRY_RUN_HEADER[1]}")]` : "";
  const called = `quintet.${name}.${method}(request${metadata})`;
  const read = call.isStream
    ? `    for message in ${called}:\n        print(json_format.MessageToJson(message), flush=True)`
    : `    print(json_format.MessageToJson(${called}))`;
  return `import os

from google.protobuf import json_format
from quintet_client import Quintet, ${name}

request = json_format.Parse(${JSON.stringify(JSON.stringify(call.input))}, ${name}.${method}Request())
with Quintet("${call.server}", os.environ["${secretVariable(call.credential)}"]) as quintet:
${read}`;
}

/** With grpc-go, and code that is generated as the guide on clients says. */
export function grpcGo(call: SnippetCall): string {
  const { folder, service, method: name } = namesOf(call);
  // As protoc-gen-go writes it: `GetS2f` becomes `GetS2F`.
  const method = name.replaceAll(/(?<=\d)[a-z]/g, (letter) => letter.toUpperCase());
  const { host, hostname, port, protocol } = new URL(call.server);
  const isTls = protocol === "https:";
  const address = port === "" ? `${hostname}:${isTls ? 443 : 80}` : host;
  const credentials = isTls ? "credentials.NewTLS(nil)" : "insecure.NewCredentials()";
  const dryRun = call.isDryRun ? `, "${DRY_RUN_HEADER[0]}", "${DRY_RUN_HEADER[1]}"` : "";
  const fatal = (indent: string): string => `${indent}if err != nil {\n${indent}\tlog.Fatal(err)\n${indent}}`;
  const print = (message: string): string => `fmt.Println(protojson.Format(${message}))`;
  const read = call.isStream
    ? `	stream, err := client.${method}(ctx, request)
${fatal("\t")}
	for {
		message, err := stream.Recv()
		if err == io.EOF {
			return
		}
${fatal("\t\t")}
		${print("message")}
	}`
    : `	response, err := client.${method}(ctx, request)
${fatal("\t")}
	${print("response")}`;
  const standard = ["context", "fmt", ...(call.isStream ? ["io"] : []), "log", "os"].map((name) => `\t"${name}"`).join("\n");
  return `package main

import (
${standard}

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials${isTls ? "" : "/insecure"}"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protojson"

	pb "example.com/shop/gen/${folder}"
)

func main() {
	conn, err := grpc.NewClient("${address}", grpc.WithTransportCredentials(${credentials}))
${fatal("\t")}
	defer conn.Close()
	client := pb.New${service}Client(conn)
	request := &pb.${method}Request{}
	if err := protojson.Unmarshal([]byte(${JSON.stringify(JSON.stringify(call.input))}), request); err != nil {
		log.Fatal(err)
	}
	ctx := metadata.AppendToOutgoingContext(context.Background(), "x-gateway-key", os.Getenv("${secretVariable(call.credential)}")${dryRun})
${read}
}`;
}
