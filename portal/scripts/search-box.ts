// The search: a dialog that is made, with all it searches in, when it is first asked for.

/** Shows the button. It and the key `/` open the dialog. */
export function bindSearch(button: HTMLButtonElement | null): void {
  if (button === null) {
    return;
  }
  const open = async (): Promise<void> => {
    const { openSearch } = await import("./search-dialog.ts");
    await openSearch();
  };
  button.addEventListener("click", () => void open());
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    const asks = (event.key === "/" && !isTyping) || (event.key === "k" && (event.metaKey || event.ctrlKey));
    if (asks && !event.altKey) {
      event.preventDefault();
      void open();
    }
  });
  button.hidden = false;
}
