// The records in which requests' headers are collected.

/** A record without a prototype, so that names that nobody sent have no value. Faster than `Object.create(null)`. */
export class HeaderRecord {
  [name: string]: string | undefined;
}
Object.setPrototypeOf(HeaderRecord.prototype, null);
Reflect.deleteProperty(HeaderRecord.prototype, "constructor");
