// The styles of the plans page, in a separate file: visitors often come to it first, and do not need the other documents' styles there.
import "../styles/base.css";

// Exported, or the bundler would consider them unused.
export const modules = import.meta.glob(["../components/{Layout,SiteHeader,SkipLink}.module.css", "../pages/Plans.module.css"], {
  eager: true,
});
