// The buttons that make the front page's calls. The code that does so is loaded at the first run.

/** Shows the buttons and makes them work. */
export function bindLiveCalls(buttons: Iterable<HTMLButtonElement>): void {
  for (const button of buttons) {
    button.addEventListener("click", () => void import("../front/run-call.ts").then((front) => front.runCall(button)));
    button.hidden = false;
  }
}
