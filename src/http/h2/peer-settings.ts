// The peer's settings. https://www.rfc-editor.org/rfc/rfc9113#section-6.5.2
import { ConnectionError } from "./connection-error.ts";
import {
  ENABLE_PUSH,
  FLOW_CONTROL_ERROR,
  FRAME_BYTES_MAX,
  FRAME_SIZE_ERROR,
  HEADER_TABLE_SIZE,
  INITIAL_WINDOW_SIZE,
  MAX_FRAME_SIZE,
  PROTOCOL_ERROR,
  WINDOW_BYTES_MAX,
} from "./protocol.ts";

/** Receives the settings. MAX_FRAME_SIZE is ignored: our frames never exceed the minimum that every peer accepts. */
export interface SettingsHandler {
  setHeaderTableBytes(bytes: number): void;
  setInitialWindow(bytes: number): void;
}

const SETTING_BYTES = 6;
/** How many settings one frame may contain. More than enough for each known setting. */
const SETTINGS_MAX = 64;

/** Reads the payload of a SETTINGS frame. Throws a ConnectionError. */
export function readSettings(bytes: Buffer, start: number, end: number, handler: SettingsHandler): void {
  if ((end - start) % SETTING_BYTES !== 0 || end - start > SETTING_BYTES * SETTINGS_MAX) {
    throw new ConnectionError(FRAME_SIZE_ERROR, "a SETTINGS frame has the wrong length");
  }
  for (let at = start; at < end; at += SETTING_BYTES) {
    const value = bytes.readUInt32BE(at + 2);
    switch (bytes.readUInt16BE(at)) {
      case HEADER_TABLE_SIZE:
        handler.setHeaderTableBytes(value);
        break;
      case ENABLE_PUSH:
        if (value > 1) {
          throw new ConnectionError(PROTOCOL_ERROR, "ENABLE_PUSH is neither 0 nor 1");
        }
        break;
      case INITIAL_WINDOW_SIZE:
        if (value > WINDOW_BYTES_MAX) {
          throw new ConnectionError(FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE exceeds the maximum");
        }
        handler.setInitialWindow(value);
        break;
      case MAX_FRAME_SIZE:
        if (value < FRAME_BYTES_MAX || value > 0xff_ff_ff) {
          throw new ConnectionError(PROTOCOL_ERROR, "MAX_FRAME_SIZE is out of bounds");
        }
        break;
      default:
      // Other settings are ignored.
    }
  }
}
