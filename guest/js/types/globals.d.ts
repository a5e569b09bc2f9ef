// What programs find in node, bun and deno besides the language itself, for the type check: it is there, and
// of any type. Real declarations would be a package of their own, and reading them takes longer than the
// rest of the check. Modules that are no uploaded files are of any type, too; of those that ought to be files,
// by a relative name, missing_imports.cjs speaks.
declare module '*';

declare var console: any;
declare var process: any;
declare var global: any;
declare var require: any;
declare var module: any;
declare var exports: any;
declare var __dirname: string;
declare var __filename: string;
declare var Bun: any;
declare var Deno: any;
interface ImportMeta {
  [name: string]: any;
}
declare namespace NodeJS {
  type Timeout = any;
  type Immediate = any;
  type Timer = any;
  type ProcessEnv = any;
  type ErrnoException = any;
  type ReadableStream = any;
  type WritableStream = any;
}

declare function setTimeout(call: any, ms?: number, ...args: any[]): any;
declare function setInterval(call: any, ms?: number, ...args: any[]): any;
declare function setImmediate(call: any, ...args: any[]): any;
declare function clearTimeout(timer: any): void;
declare function clearInterval(timer: any): void;
declare function clearImmediate(timer: any): void;
declare function queueMicrotask(call: () => void): void;
declare function structuredClone<T>(value: T, options?: any): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare function fetch(input: any, options?: any): Promise<any>;

declare var Buffer: any;
type Buffer = any;
type BufferEncoding = string;
declare var URL: any;
type URL = any;
declare var URLSearchParams: any;
type URLSearchParams = any;
declare var TextEncoder: any;
type TextEncoder = any;
declare var TextDecoder: any;
type TextDecoder = any;
declare var AbortController: any;
type AbortController = any;
declare var AbortSignal: any;
type AbortSignal = any;
declare var Event: any;
type Event = any;
declare var EventTarget: any;
type EventTarget = any;
declare var MessageChannel: any;
type MessageChannel = any;
declare var MessagePort: any;
type MessagePort = any;
declare var BroadcastChannel: any;
type BroadcastChannel = any;
declare var Blob: any;
type Blob = any;
declare var File: any;
type File = any;
declare var FormData: any;
type FormData = any;
declare var Headers: any;
type Headers = any;
declare var Request: any;
type Request = any;
declare var Response: any;
type Response = any;
declare var ReadableStream: any;
type ReadableStream = any;
declare var WritableStream: any;
type WritableStream = any;
declare var TransformStream: any;
type TransformStream = any;
declare var WebSocket: any;
type WebSocket = any;
declare var Performance: any;
type Performance = any;
declare var DOMException: any;
type DOMException = any;
declare var Crypto: any;
type Crypto = any;
declare var CryptoKey: any;
type CryptoKey = any;
declare var performance: any;
declare var crypto: any;
declare var navigator: any;
declare var WebAssembly: any;
