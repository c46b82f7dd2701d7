import { readFileSync } from 'node:fs';

/** Of this package; `''`: a bundler has moved this away from it. */
export function version(): string {
  // From `dist/`, or from where the sources are.
  for (const above of ['../package.json', '../../package.json'])
    try {
      const { name, version: found } = JSON.parse(
        readFileSync(new URL(above, import.meta.url), 'utf8'),
      ) as PackageManifest;
      if (name === 'countersign' && typeof found === 'string') return found;
    } catch {
      // Not here.
    }
  return '';
}

interface PackageManifest {
  name?: unknown;
  version?: unknown;
}
