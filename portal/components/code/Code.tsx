// Code in colours, within a `<pre>`.
import { useMemo } from "preact/hooks";
import { type CodeLanguage, partsOf } from "./parts.ts";

// Each part is an element: too many of them would keep the browser busy.
const COLOURED_CHARACTERS_MAX = 50_000;

/** Code that is too long to be coloured at once stays plain. */
export function Code({ code, language }: { readonly code: string; readonly language: CodeLanguage }) {
  const parts = useMemo(
    () => (code.length > COLOURED_CHARACTERS_MAX ? [{ text: code }] : partsOf(code, language)),
    [code, language],
  );
  return <code>{parts.map(({ text, kind }) => (kind === undefined ? text : <span class={`hljs-${kind}`}>{text}</span>))}</code>;
}
