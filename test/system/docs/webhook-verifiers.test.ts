// The functions of examples/webhooks that verify a webhook, run as customers copy them: in Node.js, Python and Go.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { signedHeaders } from "../../../src/alerts/webhooks/signature.ts";
import { ROOT } from "../../fixtures/root.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";

const example = (name: string): string => readFileSync(join(ROOT, "examples/webhooks", name), "utf8");

const atMs = Date.UTC(2026, 10, 21, 12);
const secretOf = (fill: number): string => `whsec_${Buffer.alloc(32, fill).toString("base64")}`;
const body = '{"type":"webhook.test","data":{"name":"größer"}}';
const signed = (...secrets: readonly string[]) => signedHeaders({ id: "d7a2", atMs, body }, secrets);
const now = atMs / 1000;

/** What arrives, and whether it is genuine. */
const REQUESTS = [
  { headers: signed(secretOf(1)), body, now, isGenuine: true },
  { headers: signed(secretOf(2), secretOf(1)), body, now: now + 299, isGenuine: true },
  { headers: signed(secretOf(1), secretOf(2)), body, now: now - 299, isGenuine: true },
  { headers: signed(secretOf(2)), body, now, isGenuine: false },
  { headers: signed(secretOf(1)), body: body.replace("test", "pest"), now, isGenuine: false },
  { headers: { ...signed(secretOf(1)), "webhook-id": "d7a3" }, body, now, isGenuine: false },
  { headers: { ...signed(secretOf(1)), "webhook-timestamp": String(now + 1) }, body, now, isGenuine: false },
  { headers: { ...signed(secretOf(1)), "webhook-signature": "v1," }, body, now, isGenuine: false },
  { headers: signed(secretOf(1)), body, now: now + 301, isGenuine: false },
  { headers: signed(secretOf(1)), body, now: now - 301, isGenuine: false },
];

const PROGRAMS = [
  {
    language: "js",
    command: ["node", "main.mjs"],
    files: { "webhook.mjs": example("webhook.mjs") },
    main: [
      "main.mjs",
      `import { readFileSync } from "node:fs";
import { verifyWebhook } from "./webhook.mjs";
const { secret, requests } = JSON.parse(readFileSync("requests.json", "utf8"));
console.log(JSON.stringify(requests.map((r) => verifyWebhook(r.headers, Buffer.from(r.body), secret, r.now))));`,
    ],
  },
  {
    language: "python",
    command: ["python3", "main.py"],
    files: { "webhook.py": example("webhook.py") },
    main: [
      "main.py",
      `import json
from webhook import verify_webhook
given = json.load(open("requests.json", encoding="utf-8"))
print(json.dumps([verify_webhook(r["headers"], r["body"].encode(), given["secret"], r["now"]) for r in given["requests"]]))`,
    ],
  },
  {
    language: "go",
    command: ["go", "run", "."],
    files: { "go.mod": "module quintet.example/verify\n\ngo 1.21\n", "webhook/webhook.go": example("webhook.go") },
    main: [
      "main.go",
      `package main
import ("encoding/json"; "net/http"; "os"; "time"; "quintet.example/verify/webhook")
type request struct { Headers map[string]string; Body string; Now int64 }
func main() {
	text, _ := os.ReadFile("requests.json")
	var given struct { Secret string; Requests []request }
	if err := json.Unmarshal(text, &given); err != nil { panic(err) }
	found := []bool{}
	for _, r := range given.Requests {
		headers := http.Header{}
		for name, value := range r.Headers { headers.Set(name, value) }
		found = append(found, webhook.Verify(headers, []byte(r.Body), given.Secret, time.Unix(r.Now, 0)))
	}
	json.NewEncoder(os.Stdout).Encode(found)
}`,
    ],
  },
] as const;

describe("a webhook is verified by the function for", () => {
  test.for(PROGRAMS)("$language", { timeout: 120_000 }, ({ command: [program, ...args], files, main: [path, code] }, { skip }) => {
    if (spawnSync(program, [program === "go" ? "version" : "--version"]).status !== 0) {
      skip(`${program} is not installed`);
    }
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, "webhook"));
    for (const [name, text] of [...Object.entries(files), [path, code] as const]) {
      writeFileSync(join(cwd, name), text);
    }
    writeFileSync(join(cwd, "requests.json"), JSON.stringify({ secret: secretOf(1), requests: REQUESTS }));
    const { stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(REQUESTS.map(({ isGenuine }) => isGenuine));
  });
});
