/** Where the user's own settings are. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** As the policies of the user are looked for; `undefined`: the environment names no place for them. */
export function settingsFolder(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const absolute = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined);
  const base =
    process.platform === 'win32'
      ? absolute(environment['APPDATA'])
      : (absolute(environment['XDG_CONFIG_HOME']) ?? join(environment['HOME'] || homedir(), '.config'));
  return base === undefined ? undefined : join(base, 'countersign');
}
