// HTML that the build generated from our own Markdown. Everything that is not Markdown is escaped.

/** The HTML in a `<div>`. */
export const Html = ({ html, class: name }: { readonly html: string; readonly class?: string | undefined }) => (
  // content/markdown.ts escapes every HTML element in a string.
  <div class={name} dangerouslySetInnerHTML={{ __html: html }} />
);
