// `npm run prepare`, which npm runs after `npm ci`: builds the site. Where only what a server needs is installed (`--omit=dev`), there is
// nothing to build it with: such an installation is given a site that was built elsewhere.
if (!(process.env.npm_config_omit ?? "").split(/[,\s]+/).includes("dev") && process.env.NODE_ENV !== "production") {
  await import("./build.ts");
}

export {};
