// Where visitors of a page sign in or sign up. They come back to what they were looking at.

export const visitorPath = (page: "sign-in" | "sign-up"): string =>
  `/app/${page}?next=${encodeURIComponent(location.pathname + location.search)}`;
