export interface Runtime {
  /** `node20`, `node22`, `node24`, `node26`, `bun` */
  name: string;
  kind: 'node' | 'bun';
  version: string;
  /** Of the executable. */
  path: string;
}

/** Whether {@link installRuntimes} has something to do. */
export declare function missingRuntimes(): boolean;
export declare function installRuntimes(): Promise<void>;
/** The runtimes to test on: the Node that runs us, or with `COUNTERSIGN_EFFORT=thorough` the installed ones. */
export declare function runtimes(): Runtime[];
/** Those that {@link installRuntimes} has installed. */
export declare function installedRuntimes(): Runtime[];
