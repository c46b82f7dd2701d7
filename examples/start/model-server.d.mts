/** What the command `countersign demo` takes of the scripted model. */
export declare const MODEL_ID: string;

/** Sentences that it understands, one for each idea. */
export declare const EXAMPLES: readonly string[];

/** @returns `url` is the base URL, e.g. `http://127.0.0.1:8080/v1`. */
export declare function startModelServer(options?: {
  /** 0, the default, is any free one. Only this machine can connect. */
  port?: number;
  /** Between two pieces of a stream, in ms. Default: none. */
  pauseMs?: number;
}): Promise<{ url: string; close(): Promise<void> }>;
