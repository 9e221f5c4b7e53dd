// The mark as a separate picture, for tabs and bookmarks.

/** An SVG. */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#131519"/><g stroke="#eceae5" stroke-opacity=".35"><path d="M4 8h24M4 12h24M4 16h24M4 20h24M4 24h24"/></g><g><ellipse cx="7" cy="24" rx="2.8" ry="2.2" fill="#ff9d5c"/><ellipse cx="11.5" cy="20" rx="2.8" ry="2.2" fill="#7db4ff"/><ellipse cx="16" cy="16" rx="2.8" ry="2.2" fill="#bf9dff"/><ellipse cx="20.5" cy="20" rx="2.8" ry="2.2" fill="#f2c14e"/><ellipse cx="25" cy="10" rx="2.8" ry="2.2" fill="#ff8fb2"/></g></svg>`;
