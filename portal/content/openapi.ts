// The OpenAPI document as the pages read it. It is generated from the descriptors and their comments, so the pages always agree with them.
import { readFileSync } from "node:fs";

/** One operation of the document, with the parts that the pages show. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

// One response of an operation, or a reference to one.
interface OpenApiResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>>;
}

export interface OpenApiDocument {
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Path → method in lower case → operation. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
  };
}

/** The document that `npm run generate` writes. */
export const openApi: OpenApiDocument = JSON.parse(
  readFileSync(new URL("../../gen/openapi.json", import.meta.url), "utf8"),
) as OpenApiDocument;
