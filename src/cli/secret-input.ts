// Reads a secret that a person types or a program pipes in. It is not shown, and it is not an argument, which would appear in the shell's
// history and in the list of processes.

/** Where the secret is read from: standard input, which may be a terminal. */
export interface SecretSource extends AsyncIterable<string | Buffer> {
  readonly isTTY?: boolean;
  setEncoding(encoding: "utf8"): unknown;
  setRawMode?(isRaw: boolean): unknown;
}

// Longer than any secret that a command reads.
const CHARACTERS_MAX = 1024;
const INTERRUPT = "\u0003";
const LINE_ENDS: readonly string[] = ["\r", "\n", "\u0004"];
const ERASE_KEYS: readonly string[] = ["\b", "\u007f"];

/** Reads one line. On a terminal, it prompts and does not echo what is typed. Returns an empty string if interrupted. */
export async function readSecret(source: SecretSource, prompt: string, write: (text: string) => void): Promise<string> {
  const isTerminal = source.isTTY === true;
  source.setEncoding("utf8");
  if (isTerminal) {
    write(prompt);
    source.setRawMode?.(true);
  }
  let line = "";
  try {
    for await (const text of source) {
      for (const character of String(text)) {
        if (LINE_ENDS.includes(character) || line.length >= CHARACTERS_MAX) {
          return line;
        }
        if (isTerminal && character === INTERRUPT) {
          return "";
        }
        line = isTerminal && ERASE_KEYS.includes(character) ? line.slice(0, -1) : line + character;
      }
    }
    return line;
  } finally {
    if (isTerminal) {
      source.setRawMode?.(false);
      write("\n");
    }
  }
}
