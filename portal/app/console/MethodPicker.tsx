// Chooses a method: a field with a list below it, which shows what matches the text in the field. Pointer and keyboard
// work as https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ describes.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ConsoleMethod } from "./contract/contract.ts";
import styles from "./MethodPicker.module.css";
import { bestMethod, findMethods } from "./method-search.ts";

interface MethodPickerProps {
  readonly methods: readonly ConsoleMethod[];
  /** The chosen method; undefined if there is none. */
  readonly method: ConsoleMethod | undefined;
  readonly onChoose: (slug: string) => void;
}

const titleOf = ({ service, desc }: ConsoleMethod): string => `${service}: ${desc.name}`;

/** The field and its list. */
export function MethodPicker({ methods, method, onChoose }: MethodPickerProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  // Undefined until something is typed: the list then has all methods.
  const [typed, setTyped] = useState<string>();
  const [moved, setMoved] = useState<number>();
  const found = findMethods(methods, typed ?? "");
  const start = typed === undefined ? Math.max(0, found.indexOf(method as ConsoleMethod)) : bestMethod(found, typed);
  const active = moved ?? start;
  const title = method === undefined ? "" : titleOf(method);
  useEffect(() => {
    if (isOpen) {
      list.current?.querySelector(`[data-index="${active}"]`)?.scrollIntoView({ block: "nearest" });
    }
  }, [isOpen, active]);
  const show = (text: string | undefined): void => {
    setTyped(text);
    setMoved(undefined);
    setOpen(true);
  };
  const close = (): void => {
    setOpen(false);
    setTyped(undefined);
    setMoved(undefined);
  };
  const choose = (chosen: ConsoleMethod | undefined): void => {
    if (chosen !== undefined) {
      close();
      onChoose(chosen.slug);
    }
  };
  const moveBy = (step: number): void => {
    if (!isOpen) {
      show(undefined);
    } else if (found.length > 0) {
      setMoved((active + step + found.length) % found.length);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isWithModifier = event.ctrlKey || event.metaKey;
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => moveBy(1),
      ArrowUp: () => moveBy(-1),
      ...(isOpen && { Enter: () => choose(found[active]), Escape: close }),
    };
    const action = isWithModifier ? undefined : actions[event.key];
    if (action !== undefined) {
      event.preventDefault();
      action();
    }
  };
  const services = [...new Set(found.map(({ service }) => service))];
  return (
    <div class={styles.picker}>
      <label for={id}>Method</label>
      <input
        id={id}
        class={styles.input}
        type="text"
        name="console-method"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen && found.length > 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        spellcheck={false}
        placeholder="Search for a method"
        value={typed ?? title}
        onInput={({ currentTarget }) => show(currentTarget.value)}
        onKeyDown={onKeyDown}
        onClick={({ currentTarget }) => {
          if (!isOpen) {
            currentTarget.select();
            show(undefined);
          }
        }}
        onBlur={close}
      />
      <p class="unseen" role="status">
        {isOpen && typed !== undefined ? `${found.length} ${found.length === 1 ? "method" : "methods"}` : ""}
      </p>
      <div ref={list} id={`${id}-list`} role="listbox" aria-label="Methods" class={styles.list} hidden={!isOpen}>
        {isOpen && found.length === 0 && <p class={styles.none}>No method matches “{typed}”.</p>}
        {isOpen &&
          services.map((service) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be part of a listbox.
            <div key={service} role="group" aria-label={service}>
              <p class={styles.service} aria-hidden="true">
                {service}
              </p>
              {found.map(
                (one, index) =>
                  one.service === service && (
                    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, and names the active option.
                    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
                    <div
                      key={one.slug}
                      id={`${id}-${index}`}
                      data-index={index}
                      role="option"
                      aria-selected={one === method}
                      class={index === active ? styles.active : undefined}
                      // The field keeps the focus.
                      onPointerDown={(event) => event.preventDefault()}
                      onMouseDown={(event) => event.preventDefault()}
                      onClick={() => choose(one)}
                    >
                      <b>{one.desc.name}</b> <span>{one.summary}</span>
                    </div>
                  ),
              )}
            </div>
          ))}
      </div>
    </div>
  );
}
