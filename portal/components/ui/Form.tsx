// A form whose values a component sends. The server validates it; each error is shown at its field, and the focus goes there.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ApiProblem } from "../../api/problem.ts";
import { Notice } from "./Notice.tsx";
import { useDraft } from "./use-draft.ts";

/**
 * `names` are the names of the form's fields: a problem with any other field is shown above them. With `draft`, the input survives a reload
 * while the form is open.
 */
export function Form({
  problem,
  names,
  draft,
  onSubmit,
  children,
}: {
  readonly problem: ApiProblem | undefined;
  readonly names: readonly string[];
  readonly draft?: string;
  readonly onSubmit: (values: FormData) => void;
  readonly children: ComponentChildren;
}) {
  const form = useRef<HTMLFormElement>(null);
  useDraft(form, draft);
  useEffect(() => {
    if (problem !== undefined) {
      form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
    }
  }, [problem]);
  const isShownAtFields = problem !== undefined && names.some((name) => problem.fields[name] !== undefined);
  return (
    <form
      ref={form}
      // The browser itself must not submit the form: the URL would contain what was typed.
      method="post"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget));
      }}
    >
      {problem !== undefined && !isShownAtFields && <Notice tone="bad">{problem.message}</Notice>}
      {children}
    </form>
  );
}
