// Every document of the site as HTML. The build runs this; a server only sends the result.
import { render } from "preact-render-to-string";
import { AppDocument } from "./app/AppDocument.tsx";
import { type AppRoute, fixedPathOf, ROUTES } from "./app/routes.ts";
import { type Assets, Layout, type LoadedAssets, type OwnAssets, type PageKind } from "./components/Layout.tsx";
import { EXPLORE_PAGES, type ExplorePage } from "./content/explore-pages.ts";
import { GUIDES } from "./content/guides.ts";
import { OPERATIONS } from "./content/operations.ts";
import {
  frontMarkdown,
  guidesMarkdown,
  type ListedPage,
  operationMarkdown,
  PLANS_MARKDOWN,
  quickstartMarkdown,
  reasonMarkdown,
  reasonsMarkdown,
  referenceMarkdown,
  STATUS_MARKDOWN,
} from "./content/page-markdown.ts";
import { QUICKSTART_PATH } from "./content/quickstart.ts";
import { REASON_PAGES } from "./content/reasons.ts";
import { TITLES_OF_SERVICES, titleOfTag } from "./content/services.ts";
import { ExploreFrame } from "./explore/ExploreFrame.tsx";
import { Front } from "./pages/Front.tsx";
import { Guide, GuideIndex } from "./pages/Guide.tsx";
import { NotFound } from "./pages/NotFound.tsx";
import { Operation } from "./pages/Operation.tsx";
import { Plans } from "./pages/Plans.tsx";
import { Quickstart } from "./pages/Quickstart.tsx";
import { ReasonDetails, ReasonIndex } from "./pages/Reason.tsx";
import { ReferenceIndex } from "./pages/ReferenceIndex.tsx";
import { Status } from "./pages/Status.tsx";

export interface SiteDocument {
  /** `/docs/limits` */
  readonly path: string;
  readonly kind: "document" | "application" | "explore";
  readonly html: string;
  /** What a page is about, for the site's lists; undefined for pages that are not listed. */
  readonly listed?: ListedPage;
}

/** The files that documents load. */
export interface BundledAssets {
  /** For the documents that can be read without scripts. */
  readonly documents: Assets;
  /** The styles of each kind of document. */
  readonly styles: Readonly<Record<PageKind, string>>;
  /** The additional scripts of some kinds of documents. */
  readonly scripts: Readonly<Partial<Record<PageKind, string>>>;
  /** By the file of the application's page. */
  readonly app: Readonly<Record<AppRoute["file"], LoadedAssets>>;
  /** By the name of the page's script. */
  readonly explore: Readonly<Record<ExplorePage["script"], LoadedAssets>>;
}

interface Page {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly content: preact.JSX.Element;
  readonly isWide?: boolean;
  /** The same as Markdown; undefined for a page that has none. */
  readonly markdown: string | undefined;
}

const pages = (): readonly Page[] => [
  {
    path: "/",
    title: "Quintet: data services, one key",
    description: `${TITLES_OF_SERVICES}: as REST, Connect, gRPC and gRPC-Web.`,
    content: <Front />,
    markdown: frontMarkdown(),
  },
  {
    path: "/plans",
    title: "Plans",
    description: "What each service costs, and how many calls it includes.",
    content: <Plans />,
    markdown: PLANS_MARKDOWN,
  },
  {
    path: "/docs",
    title: "Docs",
    description: "Guides for customers, operators and contributors.",
    content: <GuideIndex />,
    markdown: guidesMarkdown(),
  },
  {
    path: QUICKSTART_PATH,
    title: "Quickstart",
    description: "From zero to your first call, in your language.",
    content: <Quickstart />,
    isWide: true,
    markdown: quickstartMarkdown(),
  },
  ...GUIDES.map((guide) => ({
    path: guide.path,
    title: guide.title,
    description: guide.about === "" ? guide.title : guide.about,
    content: <Guide guide={guide} />,
    isWide: true,
    markdown: guide.markdown,
  })),
  {
    path: "/reference",
    title: "Reference",
    description: "Every method of every service.",
    content: <ReferenceIndex />,
    markdown: referenceMarkdown(),
  },
  ...OPERATIONS.map((operation) => ({
    path: operation.path,
    title: `${operation.name}: ${titleOfTag(operation.tag)}`,
    description: operation.description.split("\n", 1)[0] ?? operation.summary,
    content: <Operation operation={operation} />,
    isWide: true,
    markdown: operationMarkdown(operation),
  })),
  {
    path: "/errors",
    title: "Errors",
    description: "Every reason an error can have.",
    content: <ReasonIndex />,
    markdown: reasonsMarkdown(),
  },
  ...REASON_PAGES.map((page) => ({
    path: page.path,
    title: page.reason,
    description: page.meaning,
    content: <ReasonDetails page={page} />,
    markdown: reasonMarkdown(page),
  })),
  {
    path: "/status",
    title: "Status",
    description: "The measured availability and latency of each service over the last 90 days.",
    content: <Status />,
    markdown: STATUS_MARKDOWN,
  },
  { path: "/404", title: "Page not found", description: "Page not found.", content: <NotFound />, markdown: undefined },
];

const htmlOf = (document: preact.JSX.Element): string => `<!doctype html>${render(document)}`;

function loadedFor({ app }: BundledAssets, file: string): LoadedAssets {
  const loaded = app[file];
  if (loaded === undefined) {
    throw new Error(`The bundle has nothing for the page ${file}`);
  }
  return loaded;
}

// The kinds of pages by the first part of their paths.
const KINDS: Readonly<Record<string, PageKind>> = {
  "": "front",
  plans: "plans",
  docs: "guide",
  reference: "reference",
  errors: "error",
  status: "status",
};

function ownAssets({ styles, scripts }: BundledAssets, path: string): OwnAssets {
  const kind = path === QUICKSTART_PATH ? "quickstart" : KINDS[path.split("/")[1] ?? ""];
  return kind === undefined
    ? { script: undefined, modules: [], stylesheets: [] }
    : { script: scripts[kind === "quickstart" ? "guide" : kind], modules: [], stylesheets: [styles[kind]] };
}

function exploreAssets({ styles, explore }: BundledAssets, script: ExplorePage["script"]): OwnAssets {
  const { stylesheets, ...scripts } = explore[script];
  return { ...scripts, stylesheets: [styles.explore, ...stylesheets] };
}

export const renderSite = (assets: BundledAssets): readonly SiteDocument[] => [
  ...pages().map(({ path, title, description, content, isWide = false, markdown }) => ({
    path,
    kind: "document" as const,
    html: htmlOf(
      <Layout
        assets={assets.documents}
        own={ownAssets(assets, path)}
        title={title}
        description={description}
        path={path}
        isWide={isWide}
        hasMarkdown={markdown !== undefined}
      >
        {content}
      </Layout>,
    ),
    ...(markdown !== undefined && { listed: { path, title, description, markdown } }),
  })),
  ...EXPLORE_PAGES.map((page) => ({
    path: page.path,
    kind: "explore" as const,
    html: htmlOf(
      <Layout
        assets={assets.documents}
        own={exploreAssets(assets, page.script)}
        title={`Explore: ${page.title}`}
        description={page.lead}
        path={page.path}
      >
        <ExploreFrame page={page} />
      </Layout>,
    ),
  })),
  ...ROUTES.map((route) => ({
    path: fixedPathOf(route),
    kind: "application" as const,
    html: htmlOf(
      <AppDocument
        title={route.title}
        assets={loadedFor(assets, route.file)}
        shared={assets.documents}
        path={fixedPathOf(route)}
        isPublic={route.access === "open"}
      />,
    ),
  })),
];
