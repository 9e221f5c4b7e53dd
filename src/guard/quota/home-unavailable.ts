// The error of a request to lease calls when the region has none left and the home database cannot grant it more. The region's own database
// is up.

export class HomeUnavailable extends Error {
  override readonly name = "HomeUnavailable";
}
