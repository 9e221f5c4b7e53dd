// `npm run prepare`, which npm runs after `npm ci`: builds the site. An installation with `--omit=dev` has only the packages that a server
// needs, and cannot build it: it gets a site that was built elsewhere.
if (!(process.env.npm_config_omit ?? "").split(/[,\s]+/).includes("dev") && process.env.NODE_ENV !== "production") {
  await import("./build.ts");
}

export {};
