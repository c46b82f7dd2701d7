/** How the commands of an agent are confined. */
import type { ToolSet } from 'ai';
import type { Backend, DeepAgentOptions } from '../../agent.js';
import type { ConfineSettings, Gate } from '../../index.js';
import { ConfinementError, InvalidConfigError } from '../errors/index.js';
import { currentCaller } from '../gate/caller.js';
import { localGate, type LocalGate } from '../gate/gate.js';
import { requestApproval } from '../gate/requesting.js';
import { tightened, warnOfAbsent } from '../confine/confine.js';
import type { NativeSealed } from '../native.js';
import { takeNeeded } from '../options/check.js';
import { checkFlag } from '../options/names.js';
import { Policies } from '../policy/policies.js';
import { checkConfinement } from './backend/local-backend.js';
import type { Confinement, ConfinedCall } from './tools/settings.js';

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
  checkConfinement(`${place}: confine`, settings, backend.root);
  if (backend.canConfine === 'always') tightened({}, settings, `${place}: confine`);
  // Those of the agent, and those of its gate.
  const own = new Policies({ policy, files: 'none', place: { cwd: backend.root } }, place);
  const sources = gate === undefined ? [own] : [own, localGate(gate, place).control];
  return {
    settings: (call) => {
      // What was there when the agent was made may have been moved away.
      warnOfAbsent({ settings, place: `${place}: confine`, cwd: backend.root, env: {} });
      return withSealed(settings, sources, call);
    },
    always,
  };
}

/** What the policies protect, ask about or deny, as things are now, is out of reach. */
async function withSealed(
  settings: ConfineSettings,
  sources: readonly { sealed(): Promise<NativeSealed> }[],
  call: ConfinedCall,
): Promise<ConfineSettings> {
  const all = await Promise.all(sources.map((source) => source.sealed()));
  if (all.some(({ complete }) => !complete)) {
    if (settings.demand === 'whole') throw notAllLookedAt('Demand less, or give the agent a smaller root.');
    if (!call.isApproved) await askedAnyway(call);
  }
  return {
    ...settings,
    hide: [...(settings.hide ?? []), ...all.flatMap(({ hidden }) => hidden)],
    protect: [...(settings.protect ?? []), ...all.flatMap(({ kept }) => kept)],
  };
}

/** What was not looked at is not hidden: a human says whether the command runs all the same. @throws {ConfinementError} */
async function askedAnyway({ command, abortSignal }: ConfinedCall): Promise<void> {
  const caller = currentCaller();
  if (caller === undefined) throw notAllLookedAt('It needs a human who approves it: give the agent a smaller root.');
  const { approved, reason } = await requestApproval(
    caller.asker.gate as Gate & LocalGate,
    {
      toolName: 'execute',
      args: { command },
      allowedDecisions: ['approve', 'reject'],
      description: `There are too many files to look at all of them, so that it may read and change some that the policies protect. It runs confined: ${command}`,
    },
    abortSignal === undefined ? {} : { abortSignal },
    caller,
  );
  if (!approved) throw notAllLookedAt(`No human let it run all the same${reason ? `: ${reason}` : ''}.`);
}

const notAllLookedAt = (what: string): ConfinementError =>
  new ConfinementError({
    message: `The command was not run: not all files could be looked at that a policy may protect. ${what}`,
    open: ['hidden-files', 'protected-files'],
  });
