// The records in which requests' headers are collected.

/** A record without a prototype, so that it has no value for a name that was not sent. Faster than `Object.create(null)`. */
export class HeaderRecord {
  [name: string]: string | undefined;
}
Object.setPrototypeOf(HeaderRecord.prototype, null);
Reflect.deleteProperty(HeaderRecord.prototype, "constructor");
