/** Where a file of the repository, or a folder, is shown. */
export declare function atGitHub(path: string, ref: string): string;

/** The text of a document with each relative link to what is not there as one to GitHub. */
export declare function withLinks(
  file: string,
  text: string,
  where: { isThere: (path: string) => boolean; ref: string },
): string;
