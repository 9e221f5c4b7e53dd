// Shown to a reader who follows a link to a page that does not exist.

export const NotFound = () => (
  <>
    <h1>Page not found</h1>
    <p>
      The address may be mistyped, or the page may have moved. Search the site, or start from the <a href="/docs">docs</a>, the{" "}
      <a href="/reference">reference</a> or the <a href="/errors">errors</a>.
    </p>
  </>
);
