// Adds a button to each block of code, which copies the code. No block is in a form, which the button would submit.
const SHOWN_MS = 2000;

export function addCopyButtons(blocks: Iterable<HTMLPreElement>): void {
  for (const block of blocks) {
    const button = document.createElement("button");
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(block.querySelector("code")?.textContent ?? "");
        button.textContent = "Copied";
      } catch {
        // A page that is not secure may not copy, so the text is selected instead.
        getSelection()?.selectAllChildren(block);
        button.textContent = "Could not copy";
      }
      setTimeout(() => {
        button.textContent = "Copy";
      }, SHOWN_MS);
    });
    const frame = document.createElement("div");
    frame.className = "copyable";
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
