// What the sandbox prints once it serves: its key, its URLs, and a curl command for each protocol.
import { folderNameOf, SERVICE_NAMES } from "../catalogue/service-names.ts";
import { DEMO_SIGN_IN } from "./demo-accounts.ts";

/** The values in the text. */
export interface SandboxFacts {
  readonly origin: string;
  /** Where browsers sign in, and return to from other pages. */
  readonly siteOrigin: string;
  readonly key: string;
  /** The server that makes the stand-ins misbehave. */
  readonly control: string;
  readonly dataDir: string;
  /** Undefined without an admin port. */
  readonly adminOrigin: string | undefined;
}

const INPUT = '{"dice":[1,1,1,5,5,5]}';
const METHOD = "quintet.farkle.v1.FarkleService/Score";
// The five bytes that gRPC puts before a message: no flags, and the message's length.
const FRAMED = `printf '\\0\\0\\0\\0\\${INPUT.length.toString(8)}%s' '${INPUT}'`;

// The message comes from a file: curl 7.88 sometimes waits for ever after a refusal that came before it had read the message from a pipe.
export function welcome({ origin, siteOrigin, key, control, dataDir, adminOrigin }: SandboxFacts): string {
  const { customer, operator, password } = DEMO_SIGN_IN;
  const header = `-H 'x-gateway-key: ${key}'`;
  return `Quintet's sandbox serves at ${origin}
Every upstream is a stand-in on this machine; responses are marked x-quintet-data: sandbox.

  key      ${key}
  REST     ${origin}/{${SERVICE_NAMES.join(",")}}/v1/…
  RPC      ${origin}/quintet.{${SERVICE_NAMES.map(folderNameOf).join(",")}}.v1.…Service/…
  OpenAPI  ${origin}/openapi.json
  sign in  ${siteOrigin}/app as ${customer}, or as ${operator}; the password is: ${password}
  control  ${control}   (make a stand-in misbehave)
  data     ${dataDir}   (QUINTET_DATA_DIR=${dataDir} for the other commands)
${adminOrigin === undefined ? "" : `  metrics  ${adminOrigin}/metrics\n`}
REST
  curl ${header} '${origin}/farkle/v1/score?dice=1,1,1,5,5,5'

Connect
  curl ${header} --json '${INPUT}' ${origin}/${METHOD}

gRPC-Web
  ${FRAMED} > /tmp/roll && curl -s ${header} -H 'content-type: application/grpc-web+json' --data-binary @/tmp/roll ${origin}/${METHOD} | tr -d '\\0'

gRPC
  ${FRAMED} > /tmp/roll && curl -s --http2-prior-knowledge ${header} -H 'content-type: application/grpc+json' -H 'te: trailers' --data-binary @/tmp/roll ${origin}/${METHOD} | tr -d '\\0'

Failover: curl -X PUT -d '{"kind":"dead"}' ${control}/radio-1   then   curl ${header} '${origin}/radio/v1/search?tag=jazz&limit=3'
`;
}
