// The two runs of Vite: one builds what browsers load, the other the code that renders the documents.
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type InlineConfig, type Plugin, type Rollup } from "vite";
import { packageDirectories } from "../../scripts/package/bundled-packages.ts";
import { ROUTES } from "../app/routes.ts";
import type { LoadedAssets, PageKind } from "../components/Layout.tsx";
import { EXPLORE_PAGES } from "../content/explore-pages.ts";
import type { BundledAssets, SiteDocument } from "../site.tsx";
import { classNameOf } from "./class-names.ts";
import { computedModules } from "./computed-modules.ts";
import { PAGE_KINDS, pageStyles, pageStylesOf } from "./page-styles.ts";
import { noPreload, preload } from "./preload.ts";
import { slimDescriptors } from "./slim-descriptors.ts";
import { slimReasons } from "./slim-reasons.ts";
import { slimServices } from "./slim-services.ts";

const ROOT = join(import.meta.dirname, "..");

const EXPLORE_SCRIPTS = Object.fromEntries(EXPLORE_PAGES.map(({ script }) => [script, join(ROOT, `explore/${script}/main.tsx`)]));

// Each has a script named after it in `scripts`.
const KINDS_WITH_SCRIPT = ["guide", "plans", "reference"] as const satisfies readonly PageKind[];

const common: InlineConfig = {
  root: ROOT,
  configFile: false,
  logLevel: "warn",
  publicDir: false,
  css: { modules: { generateScopedName: classNameOf } },
};

/** A file that browsers load. Its name contains the hash of its content. */
interface AssetFile {
  readonly name: string;
  readonly content: Uint8Array;
}

export interface Assets {
  readonly files: readonly AssetFile[];
  /** The files that documents need. */
  readonly assets: BundledAssets;
  /** The directories of the npm packages whose code is in the files. */
  readonly packages: readonly string[];
}

export async function bundleAssets(): Promise<Assets> {
  const [modules, firstPaint, app, ...more] = await Promise.all([
    bundle({ document: join(ROOT, "scripts/document.ts"), styles: join(ROOT, "scripts/document-styles.ts") }, "es", [], noPreload),
    bundle({ "first-paint": join(ROOT, "scripts/first-paint.ts") }, "iife"),
    bundle({ app: join(ROOT, "app/main.tsx"), ...EXPLORE_SCRIPTS }, "es", [ENUMS, FIRST_LOAD, FORMS, ACCOUNT_DESCRIPTORS]),
    // Built separately, so that the bundler does not split off files that several of them share.
    ...PAGE_KINDS.map((kind) => bundle({ [`${kind}-styles`]: pageStylesOf(kind) }, "es")),
    ...KINDS_WITH_SCRIPT.map((kind) => bundle({ [kind]: join(ROOT, `scripts/${kind}.ts`) }, "es")),
  ]);
  const outputs = [...modules, ...firstPaint, ...app, ...more.flat()];
  const chunk = (name: string): string =>
    fileOf(outputs, (output) => output.type === "chunk" && output.isEntry && output.name === name);
  // The chunks of the styles have no code of their own.
  const stylesChunks = [chunk("styles"), ...PAGE_KINDS.map((kind) => chunk(`${kind}-styles`))];
  const stylesheet = (name: string): string =>
    `/${fileOf(outputs, ({ fileName }) => new RegExp(`^assets/${name}-[^/]*\\.css$`).test(fileName))}`;
  // Several runs may output the same font.
  const files = [...new Map(outputs.map((output) => [output.fileName, output])).values()]
    .filter(({ fileName }) => !stylesChunks.includes(fileName))
    .map((output) => ({ name: output.fileName, content: Buffer.from(output.type === "chunk" ? output.code : output.source) }));
  return {
    files,
    packages: packageDirectories(outputs.map(withWholePaths)),
    assets: {
      documents: {
        script: `/${chunk("document")}`,
        firstPaintScript: `/${chunk("first-paint")}`,
        font: `/${fileOf(modules, ({ fileName }) => fileName.endsWith(".woff2"))}`,
        stylesheet: stylesheet("styles"),
      },
      styles: Object.fromEntries(PAGE_KINDS.map((kind) => [kind, stylesheet(`${kind}-styles`)])) as BundledAssets["styles"],
      scripts: Object.fromEntries(KINDS_WITH_SCRIPT.map((kind) => [kind, `/${chunk(kind)}`])),
      // Each page's script is loaded together with the application's own, not only when the application requests it.
      app: Object.fromEntries(ROUTES.map(({ file }) => [file, loadedBy(app, chunk("app"), `/app/pages/${file}.tsx`)])),
      explore: Object.fromEntries(
        EXPLORE_PAGES.map(({ script }) => [script, loadedBy(app, chunk(script))]),
      ) as BundledAssets["explore"],
    },
  };
}

// An entry's script, and what is loaded with it: everything that the entry and, if given, the module `page` import.
function loadedBy(outputs: readonly Output[], entry: string, page?: string): LoadedAssets {
  const chunks = new Map(outputs.flatMap((output) => (output.type === "chunk" ? [[output.fileName, output] as const] : [])));
  const ofPage =
    page === undefined
      ? []
      : [fileOf(outputs, (output) => output.type === "chunk" && output.facadeModuleId?.endsWith(page) === true)];
  const reached = new Set<string>([entry, ...ofPage]);
  for (const name of reached) {
    for (const imported of chunks.get(name)?.imports ?? []) {
      reached.add(imported);
    }
  }
  const stylesheets = [...reached].flatMap((name) => [...(chunks.get(name)?.viteMetadata?.importedCss ?? [])]);
  const path = (name: string): string => `/${name}`;
  return { script: path(entry), modules: [...reached].slice(1).map(path), stylesheets: stylesheets.map(path) };
}

// Vite names the sources of an asset relative to the site's directory.
const withWholePaths = (output: Output): Output =>
  output.type === "chunk" ? output : { ...output, originalFileNames: output.originalFileNames.map((name) => resolve(ROOT, name)) };

type Output = Rollup.OutputChunk | Rollup.OutputAsset;

function fileOf(outputs: readonly Output[], matches: (output: Output) => boolean): string {
  const found = outputs.find(matches);
  if (found === undefined) {
    throw new Error(`The bundle has only ${outputs.map(({ fileName }) => fileName).join(", ")}`);
  }
  return found.fileName;
}

// Code that nearly every page of the application and of Explore uses goes into one file, because each small file would cost a request. Code
// that only some pages need, such as JSON and the descriptor of descriptors, is loaded with those pages.
const SHARED_BY_MIN = 5;
const FIRST_LOAD = {
  name: "shared",
  priority: 1,
  minShareCount: SHARED_BY_MIN,
  test: /\/portal\/(api|components(?!\/plot|\/code|\/ui\/(?:Field|Form|Dialog|use-draft|Copy|CheckboxList|Badge|Time\b)))\/|\/src\/problem\/|\/gen\/google\/|\/node_modules\/(preact|preact-iso|@bufbuild|@connectrpc|@tanstack)\/(?!.*\/to-json)/,
};

// What pages with forms, dialogs or code need, in a separate file: the overview, and other pages that only show data, do not load it.
const FORMS = {
  name: "forms",
  priority: 1,
  minShareCount: 4,
  test: /\/portal\/components\/(?:code\/|ui\/(?:Field|Form|Dialog|use-draft|Copy|CheckboxList|Badge|Time\b))|\/portal\/app\/(?:DialogButtons|DoneNotice|NewPasswordField|usage\/(?:CsvButton|csv))\.tsx?$/,
};

// Without a group of its own, this module would be put into the file with the descriptors of AccountService.
const ENUMS = { name: "enums", priority: 1, test: /\/codegenv2\/enum\.js$/ };

// The descriptors of AccountService, and small modules that many pages of the application share: as separate files, they would be larger.
// The pages of Explore do not need them, and only the pages for signing in need the descriptors of SignInService.
const ACCOUNT_DESCRIPTORS = {
  name: "account",
  minShareCount: 4,
  test: /\/gen\/quintet\/account\/v1\/(?!sign_in)|\/portal\/app\/([^/]+|usage\/[^/]+)\.tsx?$/,
};

async function bundle(
  input: Record<string, string>,
  format: "es" | "iife",
  groups: readonly Rollup.CodeSplittingGroup[] = [],
  preloader: Plugin = preload,
): Promise<readonly Output[]> {
  const result = await build({
    ...common,
    plugins: [preloader, pageStyles, computedModules, slimDescriptors, slimReasons, slimServices],
    build: {
      write: false,
      target: "es2023",
      // These versions support light-dark(), which cannot be rewritten for older ones if a page can choose its own theme.
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rollupOptions: {
        // How long plugins take says nothing about the site.
        checks: { pluginTimings: false },
        input,
        preserveEntrySignatures: "strict",
        output: {
          format,
          entryFileNames: "assets/[name]-[hash].js",
          chunkFileNames: "assets/[name]-[hash].js",
          assetFileNames: "assets/[name]-[hash][extname]",
          ...(groups.length > 0 && { codeSplitting: { groups: [...groups] } }),
        },
      },
    },
  });
  return (Array.isArray(result) ? result : [result]).flatMap((one) => ("output" in one ? one.output : []));
}

// The modules with the content read files next to them, so they run from their source and are not bundled.
const externalContent: Plugin = {
  name: "external-content",
  enforce: "pre",
  resolveId(source, importer) {
    return importer !== undefined && /\/(content|src)\/.*\.ts$/.test(source)
      ? { id: pathToFileURL(resolve(dirname(importer), source)).href, external: true }
      : undefined;
  },
};

/** Renders every document, in Node. Leaves the bundled code in `directory`. */
export async function renderDocuments(assets: BundledAssets, directory: string): Promise<readonly SiteDocument[]> {
  await build({
    ...common,
    plugins: [externalContent, slimDescriptors],
    // Node would load the package's other build, with all icons.
    ssr: { noExternal: ["lucide"] },
    build: {
      ssr: join(ROOT, "site.tsx"),
      outDir: directory,
      emptyOutDir: true,
      rollupOptions: { checks: { pluginTimings: false } },
    },
  });
  const { renderSite } = (await import(pathToFileURL(join(directory, "site.js")).href)) as {
    readonly renderSite: (assets: BundledAssets) => readonly SiteDocument[];
  };
  return renderSite(assets);
}
