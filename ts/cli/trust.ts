/** `countersign policy trust`: the user lets a project's policy allow, as it is now. */
import { trust, trusted, untrust } from '../native.js';
import { safeText } from '../native.js';
import { Exit, UsageError } from './exit.js';
import { readOptions } from './options.js';

export async function trustCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, {
    remove: { type: 'boolean' },
    list: { type: 'boolean' },
  });
  if (positionals.length > 1 || (values.remove === true && values.list === true))
    throw new UsageError('policy trust takes one directory, and --remove or --list');
  if (values.list === true) {
    for (const { path, hash } of await trusted()) process.stdout.write(`${hash}  ${safeText(path)}\n`);
    return Exit.ok;
  }
  const directory = positionals[0] ?? process.cwd();
  if (values.remove === true) {
    const removed = await untrust(directory);
    process.stdout.write(removed ? 'no longer trusted\n' : 'it was not trusted\n');
    return removed ? Exit.ok : Exit.failure;
  }
  const before = await trusted();
  const { path, hash } = await trust(directory);
  const wasTrusted = before.some((each) => each.path === path && each.hash === hash);
  process.stdout.write(
    `${wasTrusted ? 'already trusted' : 'trusted as it is now'}: ${safeText(path)} (sha256 ${hash})\n`,
  );
  return Exit.ok;
}
