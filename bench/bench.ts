// `npm run bench -- NAME`: the measurement in `bench/NAME.ts`, with the options that follow. Without a name, `bench/run.ts`.
const [name = ""] = process.argv.slice(2);
const isNamed = /^[\w/-]+$/.test(name) && !name.startsWith("-");
if (isNamed) {
  process.argv.splice(2, 1);
}
await import(`./${isNamed ? name : "run"}.ts`);

export {};
