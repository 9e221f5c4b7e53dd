// A guide of docs/, and the list of them.
import { folderNameOf, SERVICE_NAMES } from "../../src/catalogue/service-names.ts";
import { Html } from "../components/Html.tsx";
import { OnThisPage } from "../components/OnThisPage.tsx";
import prose from "../components/Prose.module.css";
import type { LinkGroup } from "../components/SideNav.tsx";
import { TwoColumns } from "../components/TwoColumns.tsx";
import { explorePageOf } from "../content/explore-pages.ts";
import { CUSTOMER_GROUPS, GUIDE_GROUPS, type GuideGroup, type GuidePage, OTHER_GROUPS } from "../content/guides.ts";
import { anchorOf } from "../content/markdown.ts";
import { QUICKSTART_PATH } from "../content/quickstart.ts";
import styles from "./Guide.module.css";

// A guide for several kinds of readers is listed only in the first of their groups.
const firstGroups = new Map(GUIDE_GROUPS.toReversed().flatMap((group) => group.guides.map(({ path }) => [path, group] as const)));
const linksOf = (group: GuideGroup): LinkGroup["links"] =>
  group.guides.filter(({ path }) => firstGroups.get(path) === group).map((guide) => ({ href: guide.path, label: guide.title }));

/** The list of guides next to a guide, grouped by their readers. */
export const guideGroups: readonly LinkGroup[] = GUIDE_GROUPS.map((group, index) => ({
  title: group.title,
  links: [...(index === 0 ? [{ href: QUICKSTART_PATH, label: "Quickstart" }] : []), ...linksOf(group)],
}));

export const Guide = ({ guide }: { readonly guide: GuidePage }) => (
  <TwoColumns label="Docs" groups={guideGroups} path={guide.path}>
    <div class={styles.guide}>
      <OnThisPage headings={guide.headings} />
      <div>
        <Html class={prose.prose} html={guide.html} />
        <ToExplore path={guide.path} />
      </div>
    </div>
  </TwoColumns>
);

// The guide of a service links to the page that shows it in use.
function ToExplore({ path }: { readonly path: string }) {
  const service = SERVICE_NAMES.find((name) => path === `/docs/services/${folderNameOf(name)}`);
  const page = service && explorePageOf(service);
  return page === undefined ? null : (
    <p>
      <a href={page.path}>Try it live: {page.title}</a>
    </p>
  );
}

/** All guides: those for customers as cards, and the others below as links. The list next to each guide would only repeat it. */
export const GuideIndex = () => (
  <>
    <h1>Docs</h1>
    <ul class={styles.cards}>
      <li>
        <a href={QUICKSTART_PATH}>
          <strong>Quickstart</strong>
          <span>From zero to your first call, in your language</span>
        </a>
      </li>
    </ul>
    {CUSTOMER_GROUPS.map(({ title, guides }) => (
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
    {OTHER_GROUPS.map(({ title, guides }) => (
      <section key={title}>
        <h2 id={anchorOf(title)}>{title}</h2>
        <p>
          {guides.map((guide, index) => (
            <>
              {index === 0 ? "" : ", "}
              <a href={guide.path}>{guide.title}</a>
            </>
          ))}
        </p>
      </section>
    ))}
  </>
);
