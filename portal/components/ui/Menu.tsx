// A button that opens a menu of actions, by pointer and by keyboard, as https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/ describes.
import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";
import { Icon } from "../Icon.tsx";
import styles from "./Menu.module.css";

const GAP_PX = 4;

/** `label` says what the actions are for. */
export function Menu({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const close = (): void => menu.current?.hidePopover();
  // The browser closes the menu on a click outside and on Escape, and then returns the focus to the button.
  const toggled = (isOpen: boolean): void => {
    button.current?.setAttribute("aria-expanded", String(isOpen));
    if (isOpen && button.current !== null && menu.current !== null) {
      place(menu.current, button.current.getBoundingClientRect());
      itemsOf(menu.current)[0]?.focus();
      // The menu has a fixed position, so it would not scroll along with its button.
      addEventListener("scroll", close, { once: true, capture: true });
    } else {
      removeEventListener("scroll", close, { capture: true });
    }
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={styles.button}
        popovertarget={id}
        aria-haspopup="menu"
        aria-expanded="false"
        aria-label={label}
      >
        <Icon name="actions" />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        class={styles.menu}
        onToggle={(event) => toggled(event.newState === "open")}
        onClick={close}
        onKeyDown={(event) => {
          if (moveFocus(event.currentTarget, event.key)) {
            event.preventDefault();
          } else if (event.key === "Tab") {
            close();
          }
        }}
      >
        {children}
      </div>
    </>
  );
}

/** One action of a menu. */
export const MenuItem = ({
  tone = "plain",
  onClick,
  children,
}: {
  readonly tone?: "plain" | "danger";
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}) => (
  <button type="button" role="menuitem" tabIndex={-1} class={styles[tone]} onClick={onClick}>
    {children}
  </button>
);

/** A link among the actions of a menu. */
export const MenuLink = ({ href, children }: { readonly href: string; readonly children: ComponentChildren }) => (
  <a href={href} role="menuitem" tabIndex={-1}>
    {children}
  </a>
);

const itemsOf = (menu: HTMLElement): readonly HTMLElement[] => [...menu.querySelectorAll<HTMLElement>("[role=menuitem]")];

// Below the button and aligned with its right edge, or above it if there is more room there.
function place(menu: HTMLElement, { top, bottom, right }: DOMRect): void {
  const { offsetHeight, offsetWidth, style } = menu;
  const isBelow = bottom + GAP_PX + offsetHeight <= innerHeight || top < innerHeight - bottom;
  style.top = `${Math.max(GAP_PX, isBelow ? bottom + GAP_PX : top - GAP_PX - offsetHeight)}px`;
  style.left = `${Math.max(GAP_PX, right - offsetWidth)}px`;
}

// Moves the focus to another item; returns whether the key does so.
function moveFocus(menu: HTMLElement, key: string): boolean {
  const items = itemsOf(menu);
  const at = items.findIndex((item) => item.matches(":focus"));
  const next = { ArrowDown: at + 1, ArrowUp: at <= 0 ? items.length - 1 : at - 1, Home: 0, End: items.length - 1 }[key];
  if (next === undefined) {
    return false;
  }
  items[next % items.length]?.focus();
  return true;
}
