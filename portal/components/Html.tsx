// HTML that the build made from our own Markdown, with everything in it escaped that is not Markdown.

/** Puts it into a `<div>`. */
export const Html = ({ html, class: name }: { readonly html: string; readonly class?: string | undefined }) => (
  // content/markdown.ts escapes every element that a text holds.
  <div class={name} dangerouslySetInnerHTML={{ __html: html }} />
);
