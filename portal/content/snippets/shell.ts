// Calls from a shell: curl for REST and Connect, buf and grpcurl for gRPC.
import { credentialHeader, DRY_RUN_HEADER, restCall, type Snippet, type SnippetCall, secretVariable } from "./snippet.ts";

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const isTls = ({ server }: SnippetCall): boolean => server.startsWith("https:");

// Reflection may be off, but every server publishes its descriptors.
const descriptors = ({ server }: SnippetCall): string => `curl -sSf -o quintet.binpb ${server}/descriptors.binpb\n`;

// curl, buf and grpcurl all take headers like this.
function headerFlags(call: SnippetCall): string {
  const header = credentialHeader(call.credential);
  const credential = header === undefined ? "" : ` -H "${header[0]}: ${header[1]}$${secretVariable(call.credential)}"`;
  return call.isDryRun ? `${credential} -H ${quote(DRY_RUN_HEADER.join(": "))}` : credential;
}

// Prints the body of an error, and fails.
const curl = "curl -sS --fail-with-body";

function curlRest(call: SnippetCall): string {
  const { verb, target, body } = restCall(call);
  const method = verb === "GET" || verb === "POST" ? "" : ` -X ${verb}`;
  const sent = body === undefined ? "" : ` \\\n  -H 'content-type: application/json' -d ${quote(body)}`;
  return `${curl}${call.isStream ? " -N" : ""}${method}${headerFlags(call)}${sent} \\\n  ${quote(`${call.server}${target}`)}`;
}

const curlConnect = (call: SnippetCall): string =>
  `${curl}${headerFlags(call)} -H 'content-type: application/json' \\\n  -d ${quote(JSON.stringify(call.input))} \\\n  ${call.server}/${call.rpc}`;

const bufCurl = (call: SnippetCall, protocol: "grpc" | "grpcweb"): string =>
  `${descriptors(call)}buf curl --schema quintet.binpb --protocol ${protocol}${isTls(call) ? "" : " --http2-prior-knowledge"}${headerFlags(call)} \\\n  -d ${quote(JSON.stringify(call.input))} \\\n  ${call.server}/${call.rpc}`;

const grpcurl = (call: SnippetCall): string =>
  `${descriptors(call)}grpcurl -protoset quintet.binpb${isTls(call) ? "" : " -plaintext"}${headerFlags(call)} \\\n  -d ${quote(JSON.stringify(call.input))} \\\n  ${authorityOf(call)} ${call.rpc}`;

// grpcurl requires a port.
function authorityOf({ server }: SnippetCall): string {
  const { hostname, port, protocol } = new URL(server);
  return `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
}

/** REST, Connect and gRPC from a shell. A stream over Connect has frames, which curl cannot write. */
export const shellSnippets = (call: SnippetCall): readonly Snippet[] => [
  { title: "REST", language: "bash", code: curlRest(call) },
  ...(call.isStream ? [] : [{ title: "Connect", language: "bash", code: curlConnect(call) } as const]),
  { title: "gRPC (buf)", language: "bash", code: bufCurl(call, "grpc") },
  { title: "gRPC (grpcurl)", language: "bash", code: grpcurl(call) },
];

/** One call in each of the four protocols. Not for streams. */
export const protocolSnippets = (call: SnippetCall): readonly Snippet[] => [
  { title: "REST", language: "bash", code: curlRest(call) },
  { title: "Connect", language: "bash", code: curlConnect(call) },
  { title: "gRPC", language: "bash", code: bufCurl(call, "grpc") },
  { title: "gRPC-Web", language: "bash", code: bufCurl(call, "grpcweb") },
];
