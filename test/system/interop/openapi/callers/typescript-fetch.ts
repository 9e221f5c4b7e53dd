// Calls each operation of standard input with the client that openapi-generator made, and prints each result on a line.
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ClientOperation } from "../operations.ts";

type Method = (input: object) => Promise<unknown>;

const [compiled = fileURLToPath(import.meta.url)] = process.argv.slice(2);
const client = await import(pathToFileURL(compiled).href);
const { QUINTET_URL: basePath, QUINTET_KEY: apiKey } = process.env;
const configuration = new client.Configuration({ basePath, apiKey });

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

async function run({ operationId, tag, input, hasBody, isStream }: ClientOperation): Promise<unknown> {
  const api: Readonly<Record<string, Method>> = new client[`${tag}Api`](configuration);
  const name = `${lowerFirst(operationId.replace("_", ""))}${isStream ? "Raw" : ""}`;
  // An operation that the generator left out is an error and not skipped.
  const method = api[name] ?? (() => Promise.reject(new Error(`no method ${name}`)));
  const given = hasBody ? { [`${operationId.split("_")[1]}Request`]: input } : input;
  const result = await method.call(api, given);
  // A method that reads a response reads it to its end, which a stream does not have.
  return isStream ? await firstLine((result as { readonly raw: Response }).raw) : result;
}

async function firstLine({ body }: Response): Promise<unknown> {
  let line = "";
  for await (const part of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    line += part;
    if (line.includes("\n")) {
      break;
    }
  }
  return JSON.parse(line.split("\n")[0] ?? "");
}

for (const operation of JSON.parse(await text(process.stdin)) as readonly ClientOperation[]) {
  const { operationId } = operation;
  const outcome = await run(operation).then(
    (result) => ({ operationId, result }),
    (error: unknown) => ({ operationId, error: String(error) }),
  );
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
