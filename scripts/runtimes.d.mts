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
/** The runtimes that are installed. `COUNTERSIGN_RUNTIMES=node20,bun` narrows them. */
export declare function runtimes(): Runtime[];
