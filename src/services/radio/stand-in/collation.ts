// Compares texts as the radio directory's database does: without case and without accents.

/** The text in the form in which texts that count as equal are equal. */
export function folded(text: string): string {
  // Nearly all texts are plain ASCII, and taking a text apart is slow.
  const bare = /^[\x20-\x7e]*$/.test(text) ? text : text.normalize("NFD").replace(/\p{Mn}/gu, "");
  return bare.toLowerCase();
}

/** Whether a folded text holds the pattern, in which `%` stands for any characters and `_` for any one, as in SQL's LIKE. */
export function containing(pattern: string): (text: string) => boolean {
  const part = folded(pattern);
  if (!/[%_]/.test(part)) {
    return (text) => text.includes(part);
  }
  // Each piece between two `%` at its earliest place: enough, because the whole may begin and end anywhere.
  const pieces = part.split("%").map((piece) => [...piece]);
  return (text) => {
    const characters = [...text];
    let from = 0;
    return pieces.every((piece) => {
      const at = indexOfPiece(characters, piece, from);
      from = at + piece.length;
      return at >= 0;
    });
  };
}

function indexOfPiece(characters: readonly string[], piece: readonly string[], from: number): number {
  for (let at = from; at + piece.length <= characters.length; at += 1) {
    if (piece.every((character, index) => character === "_" || character === characters[at + index])) {
      return at;
    }
  }
  return -1;
}
