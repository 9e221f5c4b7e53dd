// Keeps a form's input through a reload of the page, in the tab's own storage, for the account that it was typed in. Passwords are never
// kept.
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { pageAccount } from "../../api/page-account.ts";

interface Draft {
  /** The account's id; left out if it was not known yet. */
  readonly account?: string | undefined;
  readonly values: readonly (string | boolean)[];
}

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const inputsOf = (form: HTMLFormElement): readonly Input[] =>
  [...form.elements].filter(
    (element): element is Input =>
      (element instanceof HTMLInputElement && element.type !== "password") ||
      element instanceof HTMLSelectElement ||
      element instanceof HTMLTextAreaElement,
  );

const isChoice = (input: Input): input is HTMLInputElement =>
  input instanceof HTMLInputElement && ["checkbox", "radio"].includes(input.type);

/** Fills `form` with what is stored under `name`, and stores what is typed until the form closes. Does nothing without a name. */
export function useDraft(form: RefObject<HTMLFormElement | null>, name: string | undefined): void {
  useEffect(() => {
    const shown = form.current;
    if (shown === null || name === undefined) {
      return undefined;
    }
    const key = `draft:${name}`;
    const kept = sessionStorage.getItem(key);
    let isGone = false;
    const restoreOwn = async (draft: Draft): Promise<void> => {
      // Without an account, the user has to leave the page anyway.
      const account = await pageAccount.id().catch(() => undefined);
      if (draft.account === account && !isGone) {
        restore(shown, draft.values);
        // Some inputs appear only after a choice that was just restored.
        requestAnimationFrame(() => restore(shown, draft.values));
      }
    };
    if (kept !== null) {
      void restoreOwn(JSON.parse(kept) as Draft);
    }
    const keep = (): void => {
      const values = inputsOf(shown).map((input) => (isChoice(input) ? input.checked : input.value));
      sessionStorage.setItem(key, JSON.stringify({ account: pageAccount.known, values } satisfies Draft));
    };
    shown.addEventListener("input", keep);
    return () => {
      isGone = true;
      shown.removeEventListener("input", keep);
      sessionStorage.removeItem(key);
    };
  }, [form, name]);
}

// `values` are in the order of the inputs.
function restore(form: HTMLFormElement, values: Draft["values"]): void {
  inputsOf(form).forEach((input, index) => {
    const value = values[index];
    if (isChoice(input)) {
      input.checked = value === true;
    } else if (typeof value === "string") {
      input.value = value;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });
}
