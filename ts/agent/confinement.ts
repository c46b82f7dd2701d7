/** How the commands of an agent are confined. */
import type { ToolSet } from 'ai';
import type { Backend, DeepAgentOptions } from '../../agent.js';
import { InvalidConfigError } from '../errors/index.js';
import { takeNeeded } from '../options/check.js';
import { checkFlag } from '../options/names.js';
import { checkConfinement } from './backend/local-backend.js';
import type { Confinement } from './tools/settings.js';

/** @throws {InvalidConfigError}, {ConfinementError} where this system cannot hold it */
export function confinementOf(
  { confine }: DeepAgentOptions<ToolSet>,
  backend: Backend,
  place: string,
): Confinement | undefined {
  if (confine === undefined) return undefined;
  const given = confine === true ? {} : takeNeeded(`createDeepAgent: confine`, confine);
  const { always = false, ...settings } = given;
  checkFlag(always, `${place}: confine`, 'always');
  if (backend.canConfine !== true) {
    throw new InvalidConfigError({
      message: `${place}: confine needs a backend that can do it, such as createLocalBackend({ root }).`,
    });
  }
  checkConfinement(`${place}: confine`, settings);
  return { settings: () => settings, always };
}
