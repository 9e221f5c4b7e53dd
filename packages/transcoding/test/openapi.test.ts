import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { ElizaService } from "../../../test/gen/eliza/v1/eliza_pb.js";
import { LibraryService } from "../../../test/gen/quintet/testing/v1/library_pb.js";
import { openApiOf } from "../src/index.ts";

const INFO = { title: "Eliza", version: "1.0.0" };
const error = {
  description: "An error.",
  content: { "application/json": { schema: { $ref: "#/components/schemas/connect.error" } } },
};
const text = { type: "string" };
const times = { name: "times", in: "query", schema: { type: "integer", format: "int32" } };
const inPath = (name: string) => ({ name, in: "path", required: true, schema: text });
const ok = (schema: object) => ({
  200: { description: "The result.", content: { "application/json": { schema } } },
  default: error,
});
const said = ok({ $ref: "#/components/schemas/eliza.v1.SayResponse" });

test("each rule is an operation, with what is in the path, the query and the body", () => {
  const { paths, components } = openApiOf(ElizaService.methods, INFO) as { paths: object; components: { schemas: object } };
  expect(paths).toEqual({
    "/v1/say": {
      post: {
        operationId: "ElizaService_Say",
        tags: ["ElizaService"],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/eliza.v1.SayRequest" } } },
        },
        responses: said,
      },
    },
    "/v1/say/{sentence}": {
      get: { operationId: "ElizaService_Say2", tags: ["ElizaService"], parameters: [inPath("sentence"), times], responses: said },
    },
    "/v1/answers/{sentence}": {
      get: {
        operationId: "ElizaService_Say3",
        tags: ["ElizaService"],
        parameters: [inPath("sentence"), times],
        responses: ok(text),
      },
    },
    "/v1/introductions/{name}": {
      get: {
        operationId: "ElizaService_Introduce",
        tags: ["ElizaService"],
        parameters: [inPath("name")],
        responses: {
          200: {
            description: "A line of JSON for each message.",
            content: { "application/x-ndjson": { schema: { $ref: "#/components/schemas/eliza.v1.IntroduceResponse" } } },
          },
          default: error,
        },
      },
    },
  });
  expect(components.schemas).toMatchObject({
    "eliza.v1.SayRequest": { type: "object", properties: { sentence: text, times: { type: "integer", format: "int32" } } },
  });
});

test("the document of a service with every kind of rule and field is valid", async () => {
  const folder = mkdtempSync(join(tmpdir(), "openapi-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(openApiOf(LibraryService.methods, INFO)));
  const redocly = join(import.meta.dirname, "../../../node_modules/.bin/redocly");
  const { stdout } = await promisify(execFile)(redocly, ["lint", "--extends=spec", "--format=json", file]);
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0 } });
});
