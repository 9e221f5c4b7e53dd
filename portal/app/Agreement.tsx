/** What somebody agrees to by creating an account; shown above the button that does it. */
export const Agreement = () => (
  <p>
    By creating an account you agree to the <a href="/docs/terms">terms</a>. The <a href="/docs/privacy">privacy notice</a> says
    what is stored.
  </p>
);
