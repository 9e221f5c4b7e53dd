// The numbers of HTTP/2. https://www.rfc-editor.org/rfc/rfc9113

/** What a client sends first. https://www.rfc-editor.org/rfc/rfc9113#section-3.4 */
export const PREFACE: Buffer = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** The bytes of a frame's head: length, type, flags, stream. https://www.rfc-editor.org/rfc/rfc9113#section-4.1 */
export const FRAME_HEAD_BYTES = 9;
/**
 * The longest payload that every peer accepts, and the longest that we accept. https://www.rfc-editor.org/rfc/rfc9113#section-4.2
 */
export const FRAME_BYTES_MAX = 16 * 1024;
/**
 * The highest stream id. A GOAWAY with this id refuses no stream that is already on its way.
 * https://www.rfc-editor.org/rfc/rfc9113#section-6.8
 */
export const STREAM_ID_MAX = 2 ** 31 - 1;
/** The initial window of a connection and of each stream. https://www.rfc-editor.org/rfc/rfc9113#section-6.9.2 */
export const WINDOW_BYTES_DEFAULT = 65_535;
/** The largest window. https://www.rfc-editor.org/rfc/rfc9113#section-6.9.1 */
export const WINDOW_BYTES_MAX = 2 ** 31 - 1;

/** Frame types. https://www.rfc-editor.org/rfc/rfc9113#section-6 */
export const DATA = 0;
export const HEADERS = 1;
export const PRIORITY = 2;
export const RST_STREAM = 3;
export const SETTINGS = 4;
export const PUSH_PROMISE = 5;
export const PING = 6;
export const GOAWAY = 7;
export const WINDOW_UPDATE = 8;
export const CONTINUATION = 9;

/** Flags. ACK is the same bit as END_STREAM, on frames of a connection. */
export const END_STREAM = 0x1;
export const ACK = 0x1;
export const END_HEADERS = 0x4;
export const PADDED = 0x8;
export const HAS_PRIORITY = 0x20;

/** Settings. https://www.rfc-editor.org/rfc/rfc9113#section-6.5.2 */
export const HEADER_TABLE_SIZE = 1;
export const ENABLE_PUSH = 2;
export const MAX_CONCURRENT_STREAMS = 3;
export const INITIAL_WINDOW_SIZE = 4;
export const MAX_FRAME_SIZE = 5;
export const MAX_HEADER_LIST_SIZE = 6;

/** Error codes. https://www.rfc-editor.org/rfc/rfc9113#section-7 */
export const NO_ERROR = 0;
export const PROTOCOL_ERROR = 1;
export const FLOW_CONTROL_ERROR = 3;
export const STREAM_CLOSED = 5;
export const FRAME_SIZE_ERROR = 6;
export const REFUSED_STREAM = 7;
export const CANCEL = 8;
export const COMPRESSION_ERROR = 9;
export const ENHANCE_YOUR_CALM = 11;

/**
 * The window with which a stream begins. No more than this of a body may arrive before it is read: one frame of the usual size, which some
 * peers send without checking the window.
 */
export const STREAM_WINDOW_BYTES = 16 * 1024;
