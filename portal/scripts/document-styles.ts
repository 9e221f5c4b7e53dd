// The styles that all documents share. Those of each kind of page are in build/page-styles.ts.
import "../styles/base.css";

// Exported, or the bundler would consider them unused.
export const modules = import.meta.glob("../components/{Layout,SiteHeader,SkipLink}.module.css", { eager: true });
