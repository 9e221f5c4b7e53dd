// The snippets of the reference are true: each is run as shown against the sandbox, and gets the service's response.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS, type OperationPage } from "../../../portal/content/operations.ts";
import { callOf } from "../../../portal/content/snippets/call.ts";
import { programSnippets } from "../../../portal/content/snippets/programs.ts";
import { shellSnippets } from "../../../portal/content/snippets/shell.ts";
import { SNIPPET_SERVER, type Snippet } from "../../../portal/content/snippets/snippet.ts";
import { type SandboxGateway, startSandboxGateway } from "../../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { ALL_FREE } from "../../fixtures/world.ts";
import { type Language, RUNNERS, runSnippet, WITHIN_MS } from "./run-snippet.ts";

const snippetsOf = (operation: OperationPage): readonly Snippet[] => {
  const call = callOf(operation);
  return [...shellSnippets(call), ...programSnippets(call)];
};

const unary = OPERATIONS.filter((operation) => callOf(operation).credential === "key" && !operation.isStream);
const inEvery = (language: Language, title?: string): readonly { operation: OperationPage; path: string; title: string }[] =>
  unary.flatMap((operation) =>
    snippetsOf(operation)
      .filter((snippet) => snippet.language === language && (title === undefined || snippet.title === title))
      .map((snippet) => ({ operation, path: operation.path, title: snippet.title })),
  );

describe("Every snippet gets the response of its operation:", () => {
  const data = makeTemporaryDirectory();
  let servers: SandboxGateway;
  beforeAll(async () => {
    servers = await startSandboxGateway(data.path);
  });
  afterAll(async () => {
    await servers.close();
    data.remove();
  });

  // The clients for gRPC are run by test/system/interop.
  const refused = unary
    .filter(({ path }) => path === "/reference/farkle/score")
    .map((operation) => ({ ...callOf(operation), input: { dice: [9] } }))
    .flatMap((call) => [...shellSnippets(call), ...programSnippets(call)])
    .filter(({ title, language }) => RUNNERS[language].isThere && !/^gRPC (?!\(buf)/.test(title));

  test.each(refused)(
    "a call that is refused ends $title with an error that says why",
    async ({ language, code }) => {
      const { secret } = await servers.gateway.makeCustomer(ALL_FREE);
      const { origin } = servers.gateway;
      const own = code.replaceAll(SNIPPET_SERVER, origin);
      const { stdout, stderr, failed } = await runSnippet({ title: "", language, code: own }, secret);
      expect({ failed, says: /dice\[0\] must be a whole number from 1 to 6, not 9/.test(stdout + stderr) }).toEqual({
        failed: true,
        says: true,
      });
    },
    WITHIN_MS,
  );

  async function printed(operation: OperationPage, title: string): Promise<string> {
    // A customer for each test, because the clock stands still and so do the rate limits.
    const { gateway } = servers;
    const { secret } = await gateway.makeCustomer(ALL_FREE);
    const snippet = snippetsOf(operation).find((one) => one.title === title);
    if (snippet === undefined) {
      throw new Error(`${operation.path} has no snippet in ${title}`);
    }
    const { origin } = gateway;
    const code = snippet.code.replaceAll(SNIPPET_SERVER, origin).replaceAll(new URL(SNIPPET_SERVER).host, new URL(origin).host);
    const { stdout, stderr, failed } = await runSnippet({ ...snippet, code }, secret);
    expect({ failed, stderr: failed ? stderr : "" }).toEqual({ failed: false, stderr: "" });
    return stdout;
  }

  const recordedData = (operation: OperationPage): Record<string, unknown> =>
    (operation.recorded.response as { readonly data: Record<string, unknown> }).data;

  test.each(inEvery("bash", "REST"))("$path, $title", async ({ operation, title }) => {
    const response = JSON.parse(await printed(operation, title));
    expect({ ...response, data: Object.keys(response.data) }).toEqual({
      data: Object.keys(recordedData(operation)),
      meta: expect.anything(),
      status: "ok",
      message: (operation.recorded.response as { readonly message: string }).message,
      success: true,
    });
  });

  // Defaults are left out in RPC's JSON, and names are in camel case.
  test.each([...inEvery("bash", "Connect"), ...inEvery("bash", "gRPC (buf)")])(
    "$path, $title",
    async ({ operation, title }) => {
      const response = JSON.parse(await printed(operation, title));
      const camelCase = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      const known = Object.keys(recordedData(operation)).map(camelCase);
      // Over REST, a single message in the output stands for the whole response.
      const fields = operation.response.includes("itself") ? Object.values<object>(response)[0] : response;
      expect(Object.keys(fields).length).toBeGreaterThan(0);
      expect(Object.keys(fields).filter((name) => !known.includes(name))).toEqual([]);
    },
    WITHIN_MS,
  );

  test.each(inEvery("typescript", "TypeScript"))("$path, $title", async ({ operation, title }) => {
    expect((await printed(operation, title)).trim()).toMatch(/^\{.*\}$/s);
  });

  test.runIf(RUNNERS.python.isThere).each(inEvery("python", "Python"))("$path, $title", async ({ operation, title }) => {
    expect((await printed(operation, title)).trim()).toMatch(/^\{.*\}$/s);
  });

  test.runIf(RUNNERS.php.isThere).each(inEvery("php"))("$path, $title", async ({ operation, title }) => {
    expect(JSON.parse(await printed(operation, title))).toMatchObject({ success: true });
  });

  // They are compiled first, which takes a while, so one stands for all.
  test.each(
    (["go", "java", "csharp", "rust"] as const)
      .filter((language) => RUNNERS[language].isThere)
      .flatMap((language) => inEvery(language).slice(0, 1)),
  )(
    "$path, $title",
    async ({ operation, title }) => {
      expect(JSON.parse(await printed(operation, title))).toMatchObject({ success: true });
    },
    WITHIN_MS,
  );
});
