// A name in capitals such as RESOURCE_EXHAUSTED, which a narrow column breaks only after an underscore.

/** The name. Words that have no underscore are shown as they are. */
export const Identifier = ({ name }: { readonly name: string }) => (
  <>
    {name.split(/(?<=_)/).map((part, index) => (
      <>
        {index > 0 && <wbr />}
        {part}
      </>
    ))}
  </>
);
