/** Somebody else's code in a package. */
export interface Part {
  name: string;
  version?: string;
  licence: string;
  texts: string[];
}
/** Fails when there is no licence text in the folder, and none is known. */
export declare function partOf(from: {
  name: string;
  version: string;
  licence: string;
  folder: string;
  files: readonly string[];
}): Part;
