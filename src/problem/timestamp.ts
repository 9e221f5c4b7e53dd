// Which fields of requests contain times.
import { type DescField, getOption } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { unix_seconds } from "../../gen/quintet/options/v1/options_pb.js";

/** Whether a field is a number of Unix seconds. */
export const isUnixSeconds = (field: DescField): boolean => getOption(field, unix_seconds);

/** Whether a field contains times, which requests give in RFC 3339 or in Unix seconds. */
export const isTimestamp = (field: DescField): boolean =>
  isUnixSeconds(field) || field.message?.typeName === TimestampSchema.typeName;
