// The rules of CONTRIBUTING.md for interfaces: those of a function's arguments have one suffix and are exported only if another file names
// them, and no class implements an interface of its own file alone.

const INTERFACE = /^(export )?(?:interface|type) (\w+)/gm;
const IMPLEMENTS = /^(?:export )?class (\w+).* implements ([^{]+) \{/gm;
const OTHER_SUFFIX = /(?:Settings|Deps|Dependencies|Params|Parameters|Args|Arguments|Opts)$/;

/** File → its text. The tests may name and implement interfaces, but the rules are for the other files only. */
export type Sources = ReadonlyMap<string, string>;

/** Every violation of the rules, each as one sentence; empty if there is none. */
export function interfaceFaults(sources: Sources): readonly string[] {
  return [...sources].flatMap(([path, text]) =>
    path.startsWith("test/") ? [] : [...namingFaults(path, text, sources), ...sameFileFaults(path, text, sources)],
  );
}

function namingFaults(path: string, text: string, sources: Sources): readonly string[] {
  return [...text.matchAll(INTERFACE)].flatMap(([, exported, name = ""]) => {
    if (OTHER_SUFFIX.test(name)) {
      return [`${path} declares ${name}: the arguments of a function are its Options.`];
    }
    const isUnnamed = exported !== undefined && name.endsWith("Options") && !isNamedElsewhere(name, path, sources);
    return isUnnamed ? [`${path} exports ${name}, which no other file names.`] : [];
  });
}

function sameFileFaults(path: string, text: string, sources: Sources): readonly string[] {
  const declared = new Set(Array.from(text.matchAll(INTERFACE), ([, , name]) => name));
  const implemented = [...text.matchAll(IMPLEMENTS)].flatMap(([, implementer, names = ""]) =>
    names.split(",").map((name) => ({ implementer, name: name.replace(/<.*/, "").trim() })),
  );
  return implemented.flatMap(({ implementer, name }) => {
    const others = implemented.some((other) => other.name === name && other.implementer !== implementer);
    return declared.has(name) && !others && !isImplementedElsewhere(name, path, sources)
      ? [`${path} declares ${name} for its class ${implementer} alone: write only the class.`]
      : [];
  });
}

const isNamedElsewhere = (name: string, path: string, sources: Sources): boolean =>
  [...sources].some(([other, text]) => other !== path && new RegExp(`\\b${name}\\b`).test(text));

// Another class may implement it, and so may an object of a test.
const isImplementedElsewhere = (name: string, path: string, sources: Sources): boolean =>
  [...sources].some(
    ([other, text]) =>
      other !== path &&
      (new RegExp(`implements [^{]*\\b${name}\\b`).test(text) ||
        (other.startsWith("test/") && new RegExp(`(?:: ${name} = |\\): ${name}\\b)`).test(text))),
  );
