/**
 * What napi-rs generates, changed in three places: where no addon can be loaded it says why instead of throwing a text of its
 * own, which blames npm whatever the cause; it finds its way in a bundle that has no `import.meta.url`; and it tells its types.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './run.mjs';

/** From its check to the end of it. */
const THROWS = /\nif \(!nativeBinding\) \{\n {2}if \(loadErrors\.length > 0\) \{[^]*?\n\}\n/;
const HERE = 'createRequire(import.meta.url)';
const IN_A_BUNDLE =
  "createRequire(import.meta.url ?? (typeof __filename === 'string' ? __filename : process.cwd() + '/'))";

/** Changes the two files of the folder. */
export function ownBinding(folder) {
  const [script, types] = ['binding.js', 'binding.d.ts'].map((name) => join(folder, name));
  const generated = readFileSync(script, 'utf8');
  if (!THROWS.test(generated) || !generated.includes(HERE))
    throw new Failure('scripts/binding.mjs does not know this binding.js: look at what napi-rs generates now');
  const own = generated
    .replace(THROWS, '\nconst failures = nativeBinding ? undefined : loadErrors\nnativeBinding ??= {}\n')
    .replace(HERE, IN_A_BUNDLE);
  writeFileSync(script, `${own}export { failures }\n`);
  const comment = '/** Why no addon could be loaded; `undefined`: one was. */';
  writeFileSync(
    types,
    `${readFileSync(types, 'utf8')}\n${comment}\nexport declare const failures: unknown[] | undefined\n`,
  );
}
