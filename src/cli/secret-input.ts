// Reads a secret that a person types or a program pipes in. It is not shown, and not an argument, which the shell's history and the list of
// processes would have.

/** Where it is read: the standard input, a terminal or not. */
export interface SecretSource extends AsyncIterable<string | Buffer> {
  readonly isTTY?: boolean;
  setEncoding(encoding: "utf8"): unknown;
  setRawMode?(isRaw: boolean): unknown;
}

// Longer than anything that is asked for.
const CHARACTERS_MAX = 1024;
const INTERRUPT = "\u0003";
const ENDS: readonly string[] = ["\r", "\n", "\u0004"];
const ERASES: readonly string[] = ["\b", "\u007f"];

/** Reads one line. On a terminal it asks with `prompt`, and shows nothing of what is typed. Answers an empty text when it is broken off. */
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
        if (ENDS.includes(character) || line.length >= CHARACTERS_MAX) {
          return line;
        }
        if (isTerminal && character === INTERRUPT) {
          return "";
        }
        line = isTerminal && ERASES.includes(character) ? line.slice(0, -1) : line + character;
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
