// Every document of the site as HTML. The build runs this; a server only sends what it made.
import { render } from "preact-render-to-string";
import { AppDocument } from "./app/AppDocument.tsx";
import { fixedPathOf, ROUTES } from "./app/routes.ts";
import type { BundledAssets } from "./build/bundle.ts";
import { Layout, type LoadedAssets } from "./components/Layout.tsx";
import { GUIDES } from "./content/guides.ts";
import { OPERATIONS } from "./content/operations.ts";
import { REASON_PAGES } from "./content/reasons.ts";
import { titleOfTag } from "./content/services.ts";
import { ExploreFrame } from "./explore/ExploreFrame.tsx";
import { EXPLORE_PAGES } from "./explore/pages.ts";
import { Front } from "./pages/Front.tsx";
import { Guide, GuideIndex } from "./pages/Guide.tsx";
import { NotFound } from "./pages/NotFound.tsx";
import { Operation } from "./pages/Operation.tsx";
import { Plans } from "./pages/Plans.tsx";
import { ReasonDetails, ReasonIndex } from "./pages/Reason.tsx";
import { ReferenceIndex } from "./pages/ReferenceIndex.tsx";

/** A document. */
export interface SiteDocument {
  /** `/docs/limits` */
  readonly path: string;
  readonly kind: "document" | "application" | "explore";
  readonly html: string;
}

interface Page {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly content: preact.JSX.Element;
}

const pages = (): readonly Page[] => [
  {
    path: "/",
    title: "Quintet: five data services, one key",
    description: "Radio stations, token prices, token lists, Bitcoin valuation and Farkle, as REST, Connect, gRPC and gRPC-Web.",
    content: <Front />,
  },
  { path: "/plans", title: "Plans", description: "What each service costs, and how much it may be called.", content: <Plans /> },
  { path: "/docs", title: "Docs", description: "Guides for customers, operators and contributors.", content: <GuideIndex /> },
  ...GUIDES.map((guide) => ({
    path: guide.path,
    title: guide.title,
    description: guide.about === "" ? guide.title : guide.about,
    content: <Guide guide={guide} />,
  })),
  { path: "/reference", title: "Reference", description: "Every operation of the five services.", content: <ReferenceIndex /> },
  ...OPERATIONS.map((operation) => ({
    path: operation.path,
    title: `${operation.name}: ${titleOfTag(operation.tag)}`,
    description: operation.description.split("\n", 1)[0] ?? operation.summary,
    content: <Operation operation={operation} />,
  })),
  { path: "/errors", title: "Errors", description: "Every reason that an error can have.", content: <ReasonIndex /> },
  ...REASON_PAGES.map((page) => ({
    path: page.path,
    title: page.reason,
    description: page.meaning,
    content: <ReasonDetails page={page} />,
  })),
  { path: "/404", title: "No such page", description: "There is no such page.", content: <NotFound /> },
];

const htmlOf = (document: preact.JSX.Element): string => `<!doctype html>${render(document)}`;

function loadedFor({ app }: BundledAssets, file: string): LoadedAssets {
  const loaded = app[file];
  if (loaded === undefined) {
    throw new Error(`Nothing was bundled for the page ${file}`);
  }
  return loaded;
}

/** Renders all of them. */
export const renderSite = (assets: BundledAssets): readonly SiteDocument[] => [
  ...pages().map(({ path, title, description, content }) => ({
    path,
    kind: "document" as const,
    html: htmlOf(
      <Layout assets={assets.documents} title={title} description={description} path={path}>
        {content}
      </Layout>,
    ),
  })),
  ...EXPLORE_PAGES.map((page) => ({
    path: page.path,
    kind: "explore" as const,
    html: htmlOf(
      <Layout
        assets={assets.documents}
        own={assets.explore[page.script]}
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
      <AppDocument title={route.title} assets={loadedFor(assets, route.file)} themeScript={assets.documents.themeScript} />,
    ),
  })),
];
