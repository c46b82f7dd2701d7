/** Other people's code that a bundle has in it comes with their licences. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * Writes `<entry>.licenses.txt` beside a bundle: each package of `node_modules` that is in it, with its licence.
 *
 * @returns a plugin of rolldown
 */
export const licenses = () => ({
  name: 'licenses',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const folders = [...new Set(chunk.moduleIds.map(packageOf))].filter((folder) => folder !== undefined).toSorted();
      if (folders.length === 0) continue;
      const source = folders.map(licenseOf).join('\n');
      this.emitFile({ type: 'asset', fileName: chunk.fileName.replace(/\.js$/, '.licenses.txt'), source });
    }
  },
});

/** The folder of the package that a module belongs to; `undefined`: to us. */
function packageOf(id) {
  const parts = id.split(/[\\/]/);
  const at = parts.lastIndexOf('node_modules');
  if (id.startsWith('\0') || at === -1) return undefined;
  return parts.slice(0, at + (parts[at + 1]?.startsWith('@') ? 3 : 2)).join(sep);
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = existsSync(folder)
    ? readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    : [];
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  // A package without a licence file says which it has, at least.
  return [`${name} ${version} (${license ?? 'no licence named'})`, '', ...texts, '', '-'.repeat(72)].join('\n');
}
