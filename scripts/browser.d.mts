/** @see browser.mjs */
export declare const SERVER_ENTRIES: readonly string[];
export declare function writeBrowserEntries(dist: string): void;
