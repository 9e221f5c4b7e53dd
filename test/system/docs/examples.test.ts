// The examples of README.md and docs/ are true: each is run against the sandbox, and prints what is shown under it.
// `npm test -- test/system/docs/examples.test.ts -u` writes their current output into the pages.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pages, readPage } from "../../../scripts/docs/tables.ts";
import { storeDemoKey } from "../../../src/cli/demo-key.ts";
import { CURL_IS_ABLE } from "../../fixtures/curl.ts";
import { ROOT } from "../../fixtures/root.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory, temporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { type Example, examplesOf, run, shown } from "./examples.ts";

/** The first line of an example that is not run → why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "quintet account create explore": "starts a server",
  "docker build -f deploy/Dockerfile -t quintet .": "needs Docker, and images from elsewhere",
  "docker buildx imagetools inspect gcr.io/distroless/cc-debian12:nonroot --format '{{.Manifest.Digest}}'":
    "needs Docker, and asks a registry",
  "docker buildx build -f deploy/Dockerfile --build-arg SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) \\":
    "needs Docker; image.test.ts builds the image's root twice",
  "npm run build:portal": "writes into the project; package.test.ts builds, packs and installs the package",
  "npm install --global ./quintet-0.1.0.tgz": "installs for the whole machine; package.test.ts installs it elsewhere",
  "helm install quintet deploy/helm/quintet --namespace quintet --create-namespace --set image.repository=registry.example/quintet":
    "needs a cluster; kubernetes.test.ts renders the chart",
  'curl -s -H \'content-type: application/json\' -d \'{"challenge":"CHALLENGE","code":"492039"}\' http://127.0.0.1:8080/account/v1/sign-in':
    "needs an authenticator app; two-factor.test.ts has one",
  "sudo install -d -m 700 /etc/quintet": "needs systemd; deployment-files.test.ts checks the unit",
  "quintet() {": "needs systemd",
  "npm ci && npm run sandbox": "installs what the test runs on, and starts a server",
  "npm ci && npm test": "installs what the test runs on, and runs this test",
  "npm ci": "installs what the test runs on, and starts a server",
  'import { createQuintet, reasonOf, resultsOf } from "@quintet/client";':
    "needs the package; clients.test.ts installs and runs it",
  "protoc --descriptor_set_in=quintet.binpb --java_out=src/main/java \\":
    "needs protoc; descriptors.test.ts generates from the same set with buf",
  "curl -s -o protos.zip http://127.0.0.1:8080/protos.zip": "writes into the project; descriptors.test.ts unpacks it",
  "buf push --label v0.1.0": "needs a registry; descriptors.test.ts pushes to one that is not there",
  "curl -s http://127.0.0.1:8080/openapi.json | jq 'del(.paths[][] | select(.\"x-internal\"))' > openapi.json":
    "writes into the project",
  "curl -s -o quintet.binpb http://127.0.0.1:8080/descriptors.binpb": "writes into the project",
  "grpcurl -plaintext 127.0.0.1:8080 describe quintet.farkle.v1.FarkleService": "needs grpcurl; grpcurl.test.ts makes such calls",
  "QUINTET_DATA_DIR=$(mktemp -d) QUINTET_TLS_CERT=cert.pem QUINTET_TLS_KEY=key.pem QUINTET_PORT=8443 npm run sandbox -- --control-port 8444":
    "serves until it is stopped",
  "curl -s -X PUT -d '{\"days\":31}' http://127.0.0.1:8081/clock": "moves the time; failed-payment.test.ts moves it as much",
  "npm run -s quintet -- doctor": "queries the real upstreams; doctor.test.ts queries others",
  "curl --cacert cert.pem https://localhost:8443/openapi.json": "calls the server above",
  "export QUINTET_DATABASE_URL='postgres://quintet:secret@db.example/quintet?sslmode=verify-full'": "needs PostgreSQL and Redis",
  'pg_dump --format=custom --file=quintet.dump "$QUINTET_DATABASE_URL"': "needs PostgreSQL",
};

/** The exit codes of curl and buf when they leave a stream after a given time. */
const LEFT = [
  { option: "--max-time", code: "28" },
  { option: "--timeout", code: "32" },
];

const WITHIN_MS = 300_000;

const firstLine = ({ text }: Example): string => text.slice(0, text.indexOf("\n"));
const isRun = (example: Example): boolean => !(firstLine(example) in NOT_RUN);

// The pages of docs/operate/ continue where docs/operate.md ends: with a database and its first accounts.
const START = "docs/operate.md";
const beforeIt = (path: string): readonly Example[] =>
  path.startsWith("docs/operate/") ? examplesOf(readPage(START)).filter(isRun) : [];

const PAGES = pages().map((path) => ({ path, page: readPage(path), examples: examplesOf(readPage(path)).filter(isRun) }));

test("the examples that are not run are still there", () => {
  const all = pages().flatMap((path) => examplesOf(readPage(path)).map(firstLine));
  expect(Object.keys(NOT_RUN).filter((line) => !all.includes(line))).toEqual([]);
});

test("every response is under its example", () => {
  const orphans = PAGES.flatMap(({ path, page }) => {
    const responses = page.match(/^```(?:json|jsonc|text)\n/gm) ?? [];
    const responded = examplesOf(page).filter(({ response }) => response !== undefined);
    return responses.length === responded.length ? [] : [path];
  });
  expect(orphans).toEqual([]);
});

describe.skipIf(!CURL_IS_ABLE)("what the examples print:", () => {
  const data = makeTemporaryDirectory();
  let servers: SandboxGateway;
  beforeAll(async () => {
    servers = await startSandboxGateway(data.path);
  });
  afterAll(async () => {
    await servers.close();
    data.remove();
  });

  test.each(PAGES.filter(({ examples }) => examples.length > 0))(
    "$path",
    async ({ path, page, examples }) => {
      const { gateway, sandbox } = servers;
      // The only service whose largest plan returns more.
      const plans = path === "docs/services/farkle.md" ? { ...LARGEST_PLANS, farkle: "free" } : LARGEST_PLANS;
      const { secret } = await gateway.makeCustomer(plans);
      storeDemoKey(data.path, secret);
      const { origin } = gateway;
      const directory = temporaryDirectory();
      const place = { directory, dataDir: data.path, key: secret, origin, control: sandbox.control.origin, sandbox };
      const before = beforeIt(path);
      const ended = (await run([...before, ...examples], place, WITHIN_MS)).slice(before.length);
      const failures = ended.flatMap(({ code, output }, index) => {
        const example = examples[index] as Example;
        const isLeft = LEFT.some((left) => left.code === code && example.text.includes(left.option));
        const isRefused = example.response === undefined && /"status":"error"|^\{"code":"/m.test(output);
        return (code === "0" || isLeft) && !isRefused ? [] : [{ example: example.text, code, output }];
      });
      expect(failures).toEqual([]);
      let recorded = page;
      for (const [index, example] of examples.entries()) {
        if (example.response !== undefined) {
          const whole = `\`\`\`${example.language}\n${example.text}\`\`\`\n\n`;
          recorded = recorded.replace(
            whole + example.response.block,
            () => whole + shown(example, ended[index]?.output ?? "", place),
          );
        }
      }
      await expect(recorded).toMatchFileSnapshot(join(ROOT, path));
    },
    WITHIN_MS + 20_000,
  );
});
