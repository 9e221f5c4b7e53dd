// The styles that a document loads in addition to the common ones: a file for each kind of page, because one for all would be twice as
// large.
import type { Plugin } from "vite";
import type { PageKind } from "../components/Layout.tsx";

const CODE = "/styles/code.css";
const component = (...names: readonly string[]): readonly string[] => names.map((name) => `/components/${name}.module.css`);
const page = (...names: readonly string[]): readonly string[] => names.map((name) => `/pages/${name}.module.css`);

// Kind of page → its files, as paths from the site's directory, in the order in which their rules apply.
const PAGE_STYLES: Readonly<Record<PageKind, readonly string[]>> = {
  front: [CODE, ...component("Tabs"), ...page("Front")],
  plans: page("Plans"),
  guide: [CODE, ...component("OnThisPage", "Prose", "SideNav", "TwoColumns"), ...page("Guide")],
  quickstart: [CODE, ...component("OnThisPage", "Prose", "SideNav", "Tabs", "TwoColumns"), ...page("Guide")],
  reference: [CODE, ...component("Prose", "SideNav", "Tabs", "TwoColumns"), ...page("Operation", "ReferenceIndex")],
  error: [CODE, ...component("Prose", "SideNav", "TwoColumns"), ...page("Reason")],
  status: page("Status"),
  explore: [CODE, "/styles/interactive.css", "/explore/ExploreFrame.module.css"],
};

export const PAGE_KINDS = Object.keys(PAGE_STYLES) as readonly PageKind[];

const PREFIX = "page-styles:";

/** The name of the module that loads the styles of a kind of page. */
export const pageStylesOf = (kind: PageKind): string => `${PREFIX}${kind}`;

/** The plugin that resolves these modules. */
export const pageStyles: Plugin = {
  name: "page-styles",
  resolveId: (source) => (source.startsWith(PREFIX) ? `\0${source}` : undefined),
  load(id) {
    if (!id.startsWith(`\0${PREFIX}`)) {
      return undefined;
    }
    const files = PAGE_STYLES[id.slice(PREFIX.length + 1) as PageKind];
    // Exported, or the bundler would consider them unused.
    return [
      ...files.map((file, index) => `import ${file.endsWith(".module.css") ? `* as styles${index} from ` : ""}"${file}";`),
      `export const modules = [${files.flatMap((file, index) => (file.endsWith(".module.css") ? [`styles${index}`] : [])).join(", ")}];`,
    ].join("\n");
  },
};
