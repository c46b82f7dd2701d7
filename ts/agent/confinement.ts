/** How the commands of an agent are confined. */
import type { ToolSet } from 'ai';
import type { Backend, DeepAgentOptions } from '../../agent.js';
import type { ConfineSettings } from '../../index.js';
import { ConfinementError, InvalidConfigError } from '../errors/index.js';
import { localGate } from '../gate/gate.js';
import { tightened } from '../confine/confine.js';
import type { NativeSealed } from '../native.js';
import { takeNeeded } from '../options/check.js';
import { checkFlag } from '../options/names.js';
import { Policies } from '../policy/policies.js';
import { checkConfinement } from './backend/local-backend.js';
import type { Confinement } from './tools/settings.js';

/** @throws {InvalidConfigError}, {ConfinementError} where this system cannot hold it */
export function confinementOf(
  { confine, policy, gate }: DeepAgentOptions<ToolSet>,
  backend: Backend,
  place: string,
): Confinement | undefined {
  if (confine === undefined) return undefined;
  const given = confine === true ? {} : takeNeeded(`createDeepAgent: confine`, confine);
  const { always = false, ...settings } = given;
  checkFlag(always, `${place}: confine`, 'always');
  if (backend.canConfine !== true && backend.canConfine !== 'always') {
    throw new InvalidConfigError({
      message: `${place}: confine needs a backend that can do it, such as createLocalBackend({ root }).`,
    });
  }
  checkConfinement(`${place}: confine`, settings);
  if (backend.canConfine === 'always') tightened({}, settings, `${place}: confine`);
  // Those of the agent, and those of its gate.
  const own = new Policies({ policy, files: 'none', place: { cwd: backend.root } }, place);
  const sources = gate === undefined ? [own] : [own, localGate(gate, place).control];
  return { settings: () => withSealed(settings, sources), always };
}

/** What the policies protect, ask about or deny, as things are now, is out of reach. */
async function withSealed(
  settings: ConfineSettings,
  sources: readonly { sealed(): Promise<NativeSealed> }[],
): Promise<ConfineSettings> {
  const all = await Promise.all(sources.map((source) => source.sealed()));
  if (settings.demand === 'whole' && all.some(({ complete }) => !complete)) {
    throw new ConfinementError({
      message:
        'Not all files could be looked at that a policy may protect. Demand less, or give the agent a smaller root.',
      open: ['hidden-files', 'protected-files'],
    });
  }
  return {
    ...settings,
    hide: [...(settings.hide ?? []), ...all.flatMap(({ hidden }) => hidden)],
    protect: [...(settings.protect ?? []), ...all.flatMap(({ kept }) => kept)],
  };
}
