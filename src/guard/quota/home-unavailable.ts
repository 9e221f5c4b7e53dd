// The error of a lease for which the region has no calls, while the home database cannot grant it more. The region's own database is up.

export class HomeUnavailable extends Error {
  override readonly name = "HomeUnavailable";
}
