// Calls from programs: REST with each language's standard library, so that nothing has to be installed or generated.
import { credentialHeader, DRY_RUN_HEADER, restCall, type Snippet, type SnippetCall, secretVariable } from "./snippet.ts";

type Header = readonly [name: string, value: string];

/** What a program needs to know about a call. */
interface Parts {
  readonly url: string;
  readonly verb: string;
  readonly body: string | undefined;
  /** The header that identifies the caller; its value is the part before the secret. */
  readonly header: Header | undefined;
  /** The others. */
  readonly plainHeaders: readonly Header[];
  readonly variable: string;
  readonly isStream: boolean;
}

function partsOf(call: SnippetCall): Parts {
  const { verb, target, body } = restCall(call);
  return {
    url: `${call.server}${target}`,
    verb,
    body,
    header: credentialHeader(call.credential),
    plainHeaders: [
      ...(call.isDryRun ? [DRY_RUN_HEADER] : []),
      ...(body === undefined ? [] : [["content-type", "application/json"] as const]),
    ],
    variable: secretVariable(call.credential),
    isStream: call.isStream,
  };
}

const entries = (headers: readonly Header[]): readonly string[] => headers.map(([name, value]) => `"${name}": "${value}"`);

function typescript({ url, verb, body, header, plainHeaders, variable, isStream }: Parts): string {
  const secret = header && (header[1] === "" ? `process.env.${variable} ?? ""` : `\`${header[1]}\${process.env.${variable}}\``);
  const headers = [...(header ? [`"${header[0]}": ${secret}`] : []), ...entries(plainHeaders)].join(", ");
  const options = [
    verb !== "GET" && `  method: "${verb}",`,
    headers !== "" && `  headers: { ${headers} },`,
    body && `  body: ${JSON.stringify(body)},`,
  ].filter(Boolean);
  const call = `const response = await fetch("${url}", {\n${options.join("\n")}\n});`;
  const read = isStream
    ? `for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {\n  process.stdout.write(text);\n}`
    : `const { data, success, message } = await response.json();\nif (!success) {\n  throw new Error(message);\n}\nconsole.log(data);`;
  return `${call}\n${read}`;
}

function python({ url, verb, body, header, plainHeaders, variable, isStream }: Parts): string {
  const secret = header && (header[1] === "" ? `os.environ["${variable}"]` : `"${header[1]}" + os.environ["${variable}"]`);
  const headers = [...(header ? [`"${header[0]}": ${secret}`] : []), ...entries(plainHeaders)].join(", ");
  const given = [
    `    "${url}",`,
    verb !== "GET" && `    method="${verb}",`,
    headers !== "" && `    headers={${headers}},`,
    body && `    data=${JSON.stringify(body)}.encode(),`,
  ].filter(Boolean);
  const read = isStream
    ? "with urllib.request.urlopen(request) as response:\n    for line in response:\n        print(json.loads(line), flush=True)"
    : 'with urllib.request.urlopen(request) as response:\n    print(json.load(response)["data"])';
  return `import json\nimport os\nimport urllib.request\n\nrequest = urllib.request.Request(\n${given.join("\n")}\n)\n${read}`;
}

function go({ url, verb, body, header, plainHeaders, variable }: Parts): string {
  const secret = header && (header[1] === "" ? `os.Getenv("${variable}")` : `"${header[1]}"+os.Getenv("${variable}")`);
  const reader = body === undefined ? "nil" : `strings.NewReader(${JSON.stringify(body)})`;
  const imports = ["io", "log", "net/http", "os", ...(body === undefined ? [] : ["strings"])]
    .map((name) => `\t"${name}"`)
    .join("\n");
  const lines = [
    `\trequest, err := http.NewRequest("${verb}", "${url}", ${reader})`,
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    header && `\trequest.Header.Set("${header[0]}", ${secret})`,
    ...plainHeaders.map(([name, value]) => `\trequest.Header.Set("${name}", "${value}")`),
    "\tresponse, err := http.DefaultClient.Do(request)",
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    "\tdefer response.Body.Close()",
    "\tif _, err := io.Copy(os.Stdout, response.Body); err != nil {\n\t\tlog.Fatal(err)\n\t}",
  ].filter(Boolean);
  return `package main\n\nimport (\n${imports}\n)\n\nfunc main() {\n${lines.join("\n")}\n}`;
}

function java({ url, verb, body, header, plainHeaders, variable }: Parts): string {
  const secret = header && (header[1] === "" ? `System.getenv("${variable}")` : `"${header[1]}" + System.getenv("${variable}")`);
  const publisher = body === undefined ? "noBody()" : `ofString(${JSON.stringify(body)})`;
  const lines = [
    `        var request = HttpRequest.newBuilder(URI.create("${url}"))`,
    verb !== "GET" && `            .method("${verb}", HttpRequest.BodyPublishers.${publisher})`,
    header && `            .header("${header[0]}", ${secret})`,
    ...plainHeaders.map(([name, value]) => `            .header("${name}", "${value}")`),
    "            .build();",
    "        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofLines());",
    "        response.body().forEach(System.out::println);",
  ].filter(Boolean);
  const imports = ["java.net.URI", "java.net.http.HttpClient", "java.net.http.HttpRequest", "java.net.http.HttpResponse"];
  return `${imports.map((name) => `import ${name};`).join("\n")}\n\npublic class Call {\n    public static void main(String[] args) throws Exception {\n${lines.join("\n")}\n    }\n}`;
}

/** The call in TypeScript, Python, Go and Java. */
export function programSnippets(call: SnippetCall): readonly Snippet[] {
  const parts = partsOf(call);
  return [
    { title: "TypeScript", language: "typescript", code: typescript(parts) },
    { title: "Python", language: "python", code: python(parts) },
    { title: "Go", language: "go", code: go(parts) },
    { title: "Java", language: "java", code: java(parts) },
  ];
}
