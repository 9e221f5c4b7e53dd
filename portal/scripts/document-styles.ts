// All styles of the documents except the plans page, in one file: each document loads a few kilobytes more than it needs, and the next one
// loads none.
import "../styles/base.css";
import "../styles/code.css";

// Exported, or the bundler would consider them unused.
export const modules = import.meta.glob(
  ["../{components,pages}/*.module.css", "!../pages/Plans.module.css", "../explore/ExploreFrame.module.css"],
  {
    eager: true,
  },
);
