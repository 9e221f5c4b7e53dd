// REST calls in languages that run a file as it is: TypeScript, Python, PHP. They end with an error if the call fails.
import { type Header, linesOf, type ProgramParts } from "./program-parts.ts";

const entries = (headers: readonly Header[]): readonly string[] => headers.map(([name, value]) => `"${name}": "${value}"`);

/** With Node's `fetch`. */
export function typescript({ url, verb, body, header, plainHeaders, variable, isStream }: ProgramParts): string {
  const secret = header && (header[1] === "" ? `process.env.${variable} ?? ""` : `\`${header[1]}\${process.env.${variable}}\``);
  const headers = [...(header ? [`"${header[0]}": ${secret}`] : []), ...entries(plainHeaders)].join(", ");
  return linesOf([
    `const response = await fetch("${url}", {`,
    verb !== "GET" && `  method: "${verb}",`,
    headers !== "" && `  headers: { ${headers} },`,
    body && `  body: ${JSON.stringify(body)},`,
    "});",
    "if (!response.ok) {",
    "  throw new Error(await response.text());",
    "}",
    isStream
      ? `for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {\n  process.stdout.write(text);\n}`
      : "const { data } = await response.json();\nconsole.log(data);",
  ]);
}

/** With `urllib`. */
export function python({ url, verb, body, header, plainHeaders, variable, isStream }: ProgramParts): string {
  const secret = header && (header[1] === "" ? `os.environ["${variable}"]` : `"${header[1]}" + os.environ["${variable}"]`);
  const headers = [...(header ? [`"${header[0]}": ${secret}`] : []), ...entries(plainHeaders)].join(", ");
  return linesOf([
    "import json\nimport os\nimport sys\nimport urllib.error\nimport urllib.request\n",
    "request = urllib.request.Request(",
    `    "${url}",`,
    verb !== "GET" && `    method="${verb}",`,
    headers !== "" && `    headers={${headers}},`,
    body && `    data=${JSON.stringify(body)}.encode(),`,
    ")",
    "try:",
    "    with urllib.request.urlopen(request) as response:",
    isStream
      ? "        for line in response:\n            print(json.loads(line), flush=True)"
      : '        print(json.load(response)["data"])',
    "except urllib.error.HTTPError as error:",
    "    sys.exit(error.read().decode())",
  ]);
}

const phpText = (text: string): string => `'${text.replaceAll(/['\\]/g, "\\$&")}'`;

/** With PHP's own streams, which need no extension. */
export function php({ url, verb, body, header, plainHeaders, variable }: ProgramParts): string {
  const headers = [
    ...(header ? [`'${header[0]}: ${header[1]}' . getenv('${variable}')`] : []),
    ...plainHeaders.map(([name, value]) => `'${name}: ${value}'`),
  ];
  return linesOf([
    "<?php",
    "$context = stream_context_create(['http' => [",
    verb !== "GET" && `    'method' => '${verb}',`,
    headers.length > 0 && `    'header' => [${headers.join(", ")}],`,
    body && `    'content' => ${phpText(body)},`,
    "    'ignore_errors' => true,",
    "]]);",
    `$response = fopen(${phpText(url)}, 'r', false, $context) or exit(1);`,
    "[, $status] = explode(' ', stream_get_meta_data($response)['wrapper_data'][0]);",
    "if ($status >= 300) {",
    "    fwrite(STDERR, stream_get_contents($response));",
    "    exit(1);",
    "}",
    "while (($line = fgets($response)) !== false) {",
    "    echo $line;",
    "}",
  ]);
}
