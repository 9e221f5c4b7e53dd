// A guide of docs/, and the list of them.
import { folderNameOf, SERVICE_NAMES } from "../../src/catalogue/service-names.ts";
import { Html } from "../components/Html.tsx";
import prose from "../components/Prose.module.css";
import { TwoColumns } from "../components/TwoColumns.tsx";
import { GUIDE_GROUPS, type GuidePage } from "../content/guides.ts";
import { anchorOf } from "../content/markdown.ts";
import { explorePageOf } from "../explore/pages.ts";
import styles from "./Guide.module.css";

// A guide for several kinds of readers is listed once, where it comes first.
const firstGroups = new Map(GUIDE_GROUPS.toReversed().flatMap((group) => group.guides.map(({ path }) => [path, group] as const)));
const groups = GUIDE_GROUPS.map((group) => ({
  title: group.title,
  links: group.guides
    .filter(({ path }) => firstGroups.get(path) === group)
    .map((guide) => ({ href: guide.path, words: guide.title })),
}));

/** One guide. */
export const Guide = ({ guide }: { readonly guide: GuidePage }) => (
  <TwoColumns label="Docs" groups={groups} path={guide.path}>
    <Html class={prose.prose} html={guide.html} />
    <ToExplore path={guide.path} />
  </TwoColumns>
);

// The guide of a service links to the page that shows it in use.
function ToExplore({ path }: { readonly path: string }) {
  const service = SERVICE_NAMES.find((name) => path === `/docs/services/${folderNameOf(name)}`);
  const page = service && explorePageOf(service);
  return page === undefined ? null : (
    <p>
      <a href={page.path}>See it at work: {page.title}</a>
    </p>
  );
}

/** All guides. */
export const GuideIndex = () => (
  <TwoColumns label="Docs" groups={groups} path="/docs">
    <h1>Docs</h1>
    {GUIDE_GROUPS.map(({ title, guides }) => (
      <section key={title}>
        <h2 id={anchorOf(title)}>{title}</h2>
        <ul class={styles.cards}>
          {guides.map((guide) => (
            <li key={guide.path}>
              <a href={guide.path}>
                <strong>{guide.title}</strong>
                <span>{guide.about}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </TwoColumns>
);
