// A block of code that was coloured when the site was built.
import { compactJson } from "../content/compact-json.ts";
import { codeBlock } from "../content/markdown.ts";
import { Html } from "./Html.tsx";

/** Code in a language that content/markdown.ts knows, such as `bash` or `json`. */
export const CodeBlock = ({ code, language }: { readonly code: string; readonly language: string }) => (
  <Html class="code" html={codeBlock(code, language)} />
);

export const JsonBlock = ({ value }: { readonly value: unknown }) => <CodeBlock code={compactJson(value)} language="json" />;
