// The search dialog. Its index is one file, loaded with it.
import type { SearchEntry } from "../content/search.ts";
import { createSearch, type SearchResult } from "../content/search-index.ts";
import stylesheet from "./search-dialog.css?url";

const RESULTS_MAX = 12;
const INDEX_URL = "/search.json";

let dialog: Promise<HTMLDialogElement> | undefined;

export async function openSearch(): Promise<void> {
  dialog ??= loadStyles()
    .then(createDialog)
    .catch((error: unknown) => {
      // The next time, it is tried again.
      dialog = undefined;
      throw error;
    });
  const created = await dialog;
  if (!created.open) {
    created.showModal();
    created.querySelector("input")?.select();
  }
}

// The dialog loads its styles itself: a bundler's code for that would be loaded with every page.
const loadStyles = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = stylesheet;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(`${stylesheet} could not be loaded`));
    };
    document.head.append(link);
  });

async function loadSearch(): Promise<ReturnType<typeof createSearch>> {
  const response = await fetch(INDEX_URL);
  return createSearch((await response.json()) as SearchEntry[]);
}

async function createDialog(): Promise<HTMLDialogElement> {
  const created = document.createElement("dialog");
  created.className = "search-dialog";
  created.setAttribute("aria-label", "Search");
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "Search methods, errors and guides";
  input.setAttribute("aria-label", "Search");
  input.setAttribute("aria-controls", "search-results");
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  const list = document.createElement("ul");
  list.id = "search-results";
  created.append(input, status, list);
  document.body.append(created);
  const search = await loadSearch().catch(() => undefined);
  const show = (): void => {
    const query = input.value.trim();
    const found = query === "" || search === undefined ? [] : search(query);
    list.replaceChildren(...found.slice(0, RESULTS_MAX).map(itemOf));
    status.textContent = search === undefined ? "Search could not be loaded. Reload the page." : statusOf(query, found.length);
  };
  input.addEventListener("input", show);
  created.addEventListener("keydown", (event) => moveFocus(event, input, list));
  created.addEventListener("click", (event) => {
    // A click outside its content, on the backdrop.
    if (event.target === created) {
      created.close();
    }
  });
  show();
  return created;
}

function statusOf(query: string, count: number): string {
  if (query === "") {
    return "Search for a method, parameter, error or topic.";
  }
  if (count === 0) {
    return `No results for “${query}”. Try fewer or different words.`;
  }
  return count > RESULTS_MAX ? `First ${RESULTS_MAX} of ${count} results` : `${count} ${count === 1 ? "result" : "results"}`;
}

function itemOf({ id, title, part }: SearchResult): HTMLLIElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = id;
  const name = document.createElement("strong");
  name.textContent = title;
  const where = document.createElement("span");
  where.textContent = part;
  link.append(name, where);
  link.addEventListener("click", () => link.closest("dialog")?.close());
  item.append(link);
  return item;
}

// Arrow keys move through the results; Enter in the field opens the first.
function moveFocus(event: KeyboardEvent, input: HTMLInputElement, list: HTMLUListElement): void {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  if (event.key === "Enter" && document.activeElement === input) {
    links[0]?.click();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    (links[next] ?? input).focus();
  }
}
