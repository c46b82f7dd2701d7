/** `countersign policy init`: a first policy for a project. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { nearestOf } from '../options/nearest.js';
import { presetText } from '../native.js';
import { ExitError, Exit, UsageError } from './exit.js';
import { readOptions } from './options.js';
import { firstPolicy } from './init/first-policy.js';
import { readProject } from './init/project.js';
import { print } from './print.js';
import { oneLine } from './style.js';

export const PRESETS = ['read-only', 'developer'] as const;

/** The text of a preset. @throws {UsageError} for an unknown name */
export function presetNamed(typed: string): string {
  const name = typed.replace(/^preset:/, '');
  const text = presetText(name);
  if (text !== null) return text;
  const meant = nearestOf(name, PRESETS);
  const hint = meant === undefined ? `there are ${PRESETS.join(' and ')}` : `did you mean ${meant}?`;
  throw new UsageError(`there is no preset ${JSON.stringify(name)}: ${hint}`);
}

export async function policyInit(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, { preset: { type: 'string' } });
  const [directory = '.', ...more] = positionals;
  if (more.length > 0) throw new UsageError('policy init takes one directory');
  const project = resolve(directory);
  const text = values.preset === undefined ? firstPolicy(readProject(project)) : presetNamed(values.preset);
  const folder = join(project, '.countersign');
  const file = join(folder, 'policy.toml');
  await mkdir(folder, { recursive: true });
  try {
    // Never over a policy that is there.
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new ExitError(
      Exit.failure,
      `there is a policy already: ${file}. Change it, or remove it first`,
      'ERR_POLICY_EXISTS',
    );
  }
  await print(
    `wrote ${oneLine(file)}`,
    '',
    'Its allow rules are ignored until you trust it:',
    '  npx countersign policy trust',
    'To test a command:',
    '  npx countersign policy explain git status',
    'To check it after a change:',
    '  npx countersign policy lint',
  );
  return Exit.ok;
}
