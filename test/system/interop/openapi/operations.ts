// The operations of the data services in a server's document, each with its example request.

/** An operation. */
export interface ClientOperation {
  readonly operationId: string;
  /** Generators group the operations of a tag. */
  readonly tag: string;
  readonly verb: string;
  readonly path: string;
  /** What the example request contains: parameters, or the members of the body. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly hasBody: boolean;
  /** Whether it returns lines of JSON for as long as it is read. */
  readonly isStream: boolean;
}

/** The parts of a document that are read here. */
export interface ServedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ServedOperation>>>>;
}

interface ServedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly "x-internal"?: boolean;
  /** What it needs, if not the key that the document's data operations need. */
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly example?: unknown }[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: { readonly 200: { readonly content: Contents } };
}

type Contents = Readonly<Record<string, { readonly example: Readonly<Record<string, unknown>> }>>;

/** Reads all of them except the twins that generators are told to leave out. */
export const dataOperationsOf = ({ paths }: ServedDocument): readonly ClientOperation[] =>
  Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs)
      .filter(([, operation]) => operation.security === undefined && operation["x-internal"] !== true)
      .map(([verb, { operationId, tags, parameters = [], requestBody, responses }]) => {
        const inQuery = parameters.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]]));
        return {
          operationId,
          tag: tags[0] ?? "",
          verb,
          path,
          input: { ...Object.fromEntries(inQuery), ...requestBody?.content["application/json"]?.example },
          hasBody: requestBody !== undefined,
          isStream: "application/x-ndjson" in responses[200].content,
        };
      }),
  );
