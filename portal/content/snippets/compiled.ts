// REST calls in languages that are compiled first: Go, Java, C#, Rust. They end with an error if the call fails.
import { linesOf, type ProgramParts } from "./program-parts.ts";

/** With `net/http`. */
export function go({ url, verb, body, header, plainHeaders, variable }: ProgramParts): string {
  const secret = header && (header[1] === "" ? `os.Getenv("${variable}")` : `"${header[1]}"+os.Getenv("${variable}")`);
  const reader = body === undefined ? "nil" : `strings.NewReader(${JSON.stringify(body)})`;
  const imports = ["io", "log", "net/http", "os", ...(body === undefined ? [] : ["strings"])]
    .map((name) => `\t"${name}"`)
    .join("\n");
  const lines = linesOf([
    `\trequest, err := http.NewRequest("${verb}", "${url}", ${reader})`,
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    header && `\trequest.Header.Set("${header[0]}", ${secret})`,
    ...plainHeaders.map(([name, value]) => `\trequest.Header.Set("${name}", "${value}")`),
    "\tresponse, err := http.DefaultClient.Do(request)",
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    "\tdefer response.Body.Close()",
    "\tif response.StatusCode >= 300 {",
    "\t\tbody, _ := io.ReadAll(response.Body)",
    "\t\tlog.Fatal(string(body))",
    "\t}",
    "\tif _, err := io.Copy(os.Stdout, response.Body); err != nil {\n\t\tlog.Fatal(err)\n\t}",
  ]);
  return `package main\n\nimport (\n${imports}\n)\n\nfunc main() {\n${lines}\n}`;
}

/** With `java.net.http`. */
export function java({ url, verb, body, header, plainHeaders, variable }: ProgramParts): string {
  const secret = header && (header[1] === "" ? `System.getenv("${variable}")` : `"${header[1]}" + System.getenv("${variable}")`);
  const publisher = body === undefined ? "noBody()" : `ofString(${JSON.stringify(body)})`;
  const lines = linesOf([
    `        var request = HttpRequest.newBuilder(URI.create("${url}"))`,
    verb !== "GET" && `            .method("${verb}", HttpRequest.BodyPublishers.${publisher})`,
    header && `            .header("${header[0]}", ${secret})`,
    ...plainHeaders.map(([name, value]) => `            .header("${name}", "${value}")`),
    "            .build();",
    "        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofLines());",
    "        if (response.statusCode() >= 300) {",
    "            response.body().forEach(System.err::println);",
    "            System.exit(1);",
    "        }",
    "        response.body().forEach(System.out::println);",
  ]);
  const imports = ["java.net.URI", "java.net.http.HttpClient", "java.net.http.HttpRequest", "java.net.http.HttpResponse"];
  return `${imports.map((name) => `import ${name};`).join("\n")}\n\npublic class Call {\n    public static void main(String[] args) throws Exception {\n${lines}\n    }\n}`;
}

/** With `HttpClient`. */
export function csharp({ url, verb, body, header, plainHeaders, variable }: ProgramParts): string {
  const own = header && `Environment.GetEnvironmentVariable("${variable}")`;
  const secret = header && (header[1] === "" ? own : `"${header[1]}" + ${own}`);
  return linesOf([
    "using System;\nusing System.Net.Http;\nusing System.Text;\n",
    "var client = new HttpClient();",
    `var request = new HttpRequestMessage(new HttpMethod("${verb}"), "${url}");`,
    header && `request.Headers.Add("${header[0]}", ${secret});`,
    ...plainHeaders
      .filter(([name]) => name !== "content-type")
      .map(([name, value]) => `request.Headers.Add("${name}", "${value}");`),
    body && `request.Content = new StringContent(${JSON.stringify(body)}, Encoding.UTF8, "application/json");`,
    "var response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);",
    "if (!response.IsSuccessStatusCode)",
    "{",
    "    throw new HttpRequestException(await response.Content.ReadAsStringAsync());",
    "}",
    "await response.Content.CopyToAsync(Console.OpenStandardOutput());",
  ]);
}

// A raw string has no escapes. It ends with a quote and as many hashes as it started with.
function rustText(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/"(#*)/g)].map(([, hashes = ""]) => hashes.length + 1));
  const hashes = "#".repeat(longest);
  return `r${hashes}"${text}"${hashes}`;
}

/** With ureq, because the standard library has no HTTP. */
export function rust({ url, verb, body, header, plainHeaders, variable }: ProgramParts): string {
  const secret =
    header && (header[1] === "" ? `std::env::var("${variable}")?` : `format!("${header[1]}{}", std::env::var("${variable}")?)`);
  return linesOf([
    "// cargo add ureq@3",
    "fn main() -> Result<(), Box<dyn std::error::Error>> {",
    "    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();",
    "    let request = ureq::http::Request::builder()",
    `        .method("${verb}")`,
    `        .uri("${url}")`,
    header && `        .header("${header[0]}", ${secret})`,
    ...plainHeaders.map(([name, value]) => `        .header("${name}", "${value}")`),
    `        .body(${body === undefined ? "()" : rustText(body)})?;`,
    "    let mut response = agent.run(request)?;",
    "    if !response.status().is_success() {",
    '        eprintln!("{}", response.body_mut().read_to_string()?);',
    "        std::process::exit(1);",
    "    }",
    "    std::io::copy(&mut response.body_mut().as_reader(), &mut std::io::stdout())?;",
    "    Ok(())",
    "}",
  ]);
}
