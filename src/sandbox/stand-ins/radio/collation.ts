// Compares strings as the radio directory's database does. Only names and states ignore case and accents there (utf8mb4_unicode_ci); every
// other string is compared character by character (utf8mb4_bin).

/** A form of the string that is equal for strings that differ only in case and accents. */
export function folded(text: string): string {
  // Nearly all strings are plain ASCII, and normalizing is slow.
  const bare = /^[\x20-\x7e]*$/.test(text) ? text : text.normalize("NFD").replace(/\p{Mn}/gu, "");
  return bare.toLowerCase();
}

/** Whether two strings are equal in SQL: trailing spaces do not count. */
export function equalTo(wanted: string): (text: string) => boolean {
  const trimmed = wanted.replace(/ +$/, "");
  return (text) => text.replace(/ +$/, "") === trimmed;
}

/** Whether a string contains the substring, in which `%` stands for any characters, `_` for any one, and `\` escapes the next one. */
export function containing(part: string): (text: string) => boolean {
  return /[%_\\]/.test(part) ? like(`%${part}%`) : (text) => text.includes(part);
}

/** Whether a comma-separated list has this member. As in the directory, a member with a space before it is a different member. */
export function having(member: string): (list: string) => boolean {
  const tests = [equalTo(member), like(`%,${member},%`), like(`%,${member}`), like(`${member},%`)];
  return (list) => tests.some((test) => test(list));
}

const ANY = Symbol("any characters");
const ONE = Symbol("any one character");

/** Whether a whole string matches the pattern, by the rules of SQL's LIKE. */
function like(pattern: string): (text: string) => boolean {
  const tokens = Array.from(pattern.matchAll(/\\(.)|./gsu), ([all, escaped]) =>
    all === "%" ? ANY : all === "_" ? ONE : (escaped ?? all),
  );
  const pieces = literalPieces(tokens);
  return (text) => {
    // Nearly all texts lack at least one piece, and this check rejects them much faster.
    if (!pieces.every((piece) => text.includes(piece))) {
      return false;
    }
    const characters = [...text];
    let token = 0;
    let at = 0;
    // The last `%`, and where the characters that it stands for end.
    let back: { token: number; at: number } | undefined;
    while (at < characters.length) {
      const wanted = tokens[token];
      if (wanted === ANY) {
        token += 1;
        back = { token, at };
      } else if (wanted === ONE || wanted === characters[at]) {
        token += 1;
        at += 1;
      } else if (back !== undefined) {
        back.at += 1;
        token = back.token;
        at = back.at;
      } else {
        return false;
      }
    }
    return tokens.slice(token).every((rest) => rest === ANY);
  };
}

// The runs of characters that the text must contain.
function literalPieces(tokens: readonly (string | symbol)[]): readonly string[] {
  const pieces = [""];
  for (const token of tokens) {
    if (typeof token === "string") {
      pieces.push(`${pieces.pop() ?? ""}${token}`);
    } else {
      pieces.push("");
    }
  }
  return pieces.filter((piece) => piece !== "");
}
