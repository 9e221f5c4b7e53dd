// Loads a module together with the styles and scripts that it needs. Replaces Vite's own function, which is three times as large because
// it supports browsers that the site does not.
import type { Plugin } from "vite";

// Vite calls it for every `import()`, with the names of the files that the module needs.
const CODE = `
const loaded = new Map();
const load = (name) => {
  const link = document.createElement("link");
  const isStyle = name.endsWith(".css");
  link.rel = isStyle ? "stylesheet" : "modulepreload";
  link.href = "/" + name;
  const done = isStyle
    ? new Promise((resolve, reject) => {
        link.onload = resolve;
        link.onerror = () => {
          loaded.delete(name);
          link.remove();
          reject(new Error(name + " could not be loaded"));
        };
      })
    : undefined;
  document.head.append(link);
  return done;
};
export const __vitePreload = (start, names = []) => {
  for (const name of names) {
    if (!loaded.has(name) && !document.querySelector('link[href="/' + name + '"]')) {
      loaded.set(name, load(name));
    }
  }
  return Promise.all(names.map((name) => loaded.get(name))).then(start);
};
`;

export const preload: Plugin = {
  name: "preload",
  enforce: "pre",
  load: (id) => (id === "\0vite/preload-helper.js" ? CODE : undefined),
};

/** For scripts whose imported modules have no styles and share no code, so that there is nothing to load with them. */
export const noPreload: Plugin = {
  name: "no-preload",
  enforce: "pre",
  load: (id) => (id === "\0vite/preload-helper.js" ? "export const __vitePreload = (start) => start();" : undefined),
};
