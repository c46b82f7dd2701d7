/** How the commands of an agent are confined. */
import { resolve } from 'node:path';
import type { ToolSet } from 'ai';
import type { Backend, DeepAgentOptions } from '../../agent.js';
import type { ConfinedWrites, ConfineSettings, PolicyInput } from '../../index.js';
import { linksOfGit, putAsideInTime, repositoriesBehind, warnOfAside, type AsideOptions } from '../confine/aside.js';
import { asksForHosts, foundPaths, spelledOut, tightened, warnOfUnheld } from '../confine/confine.js';
import { isIn, realPath } from '../confine/files.js';
import { confinementReport } from '../confine/program.js';
import { ConfinementError, InvalidConfigError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { warn } from '../errors/warn-once.js';
import { KeptFiles, type KeptPaths } from '../confine/replaced.js';
import { TogetherCommand } from '../confine/together.js';
import { currentCaller } from '../gate/caller.js';
import { localGate } from '../gate/gate.js';
import { mayMeanwhile } from '../gate/requesting.js';
import type { FindSealed, NativeNetwork, NativeSealed } from '../native.js';
import { takeNeeded } from '../options/check.js';
import { checkFlag } from '../options/names.js';
import { Policies } from '../policy/policies.js';
import { snapshot } from '../values/snapshot.js';
import { checkConfinement, confinesIn, homeIn } from './backend/local-backend.js';
import {
  NOT_ALL_LOOKED_AT,
  NOT_ALL_LOOKED_AT_AFTER,
  type ConfinedCall,
  type ConfinedEnd,
  type Confinement,
} from './tools/settings.js';

/** The tool that starts commands. */
const TOOL = 'execute';

/** What policies are asked. */
interface PolicySource {
  sealed(look: FindSealed): Promise<NativeSealed>;
  network(): Promise<NativeNetwork | null>;
}

/** @throws {InvalidConfigError}, {ConfinementError} where this system cannot hold it */
export function confinementOf(
  { confine, policy, gate }: DeepAgentOptions<ToolSet>,
  backend: Backend,
  place: string,
): Confinement | undefined {
  if (confine === undefined) return undefined;
  const given = confine === true ? {} : takeNeeded(`createDeepAgent: confine`, confine);
  const { always = false, ...spelled } = given;
  checkFlag(always, `${place}: confine`, 'always');
  if (backend.canConfine !== true && backend.canConfine !== 'always') {
    throw new InvalidConfigError({
      message: `${place}: confine needs a backend that can do it, such as createLocalBackend({ root }).`,
    });
  }
  checkConfinement(`${place}: confine`, spelled, backend.root);
  const settings = spelledOut(spelled, homeIn(backend.execute));
  const isOwn = backend.canConfine === 'always';
  if (isOwn) tightened({}, settings, `${place}: confine`);
  // Those of the agent, and those of its gate.
  const own = new Policies({ policy, files: 'none', place: { cwd: backend.root } }, place);
  const control = gate === undefined ? undefined : localGate(gate, place).control;
  const sources: PolicySource[] = control === undefined ? [own] : [own, control];
  let everything: Policies | undefined;
  // What else it may read or change is looked through as the root is.
  const more = [...(settings.read ?? []), ...(settings.write ?? [])]
    .map((path) => resolve(backend.root, path))
    .filter((path) => path !== resolve(backend.root));
  // The policies that judge the running call are kept from it as well: a subagent has its own.
  const sourcesNow = (): readonly PolicySource[] => {
    const judging = currentCaller()?.asker.policies ?? [];
    return [...sources, ...judging.filter((each) => !own.saysAs(each) && control?.has(each) !== true)];
  };
  const networks = async () => {
    const all = await Promise.all(sources.map((source) => source.network()));
    return all.filter((said) => said !== null);
  };
  const run = () => {
    const { network, localSockets, write = ['.'] } = settings;
    const { supported, open } = confinementReport();
    const isWhole = supported && open.length === 0 && localSockets !== true;
    // A host of a list is reached without asking.
    const isOffline = network === undefined || network === 'none' || network === 'ask';
    const isHere = backend.canConfine === true && confinesIn(backend.execute) === backend.root;
    if (!isWhole || !isOffline || !isHere) return undefined;
    return { writes: write.map((path) => resolve(backend.root, path)) };
  };
  return {
    start: async (call, beside = []) => {
      // What was there when the agent was made may have been moved away.
      warnOfUnheld({ settings, place: `${place}: confine`, cwd: backend.root, env: {} });
      const looked = [...more, ...beside];
      const judging = sourcesNow();
      const look = { more: looked, toolName: TOOL, held: call.confinedTo ?? null, run: run() ?? null };
      let sealed = await sealedBy(judging, look);
      const open = openFor(call, sealed);
      const isWhole = !open.includes(NOT_LOOKED_AT);
      if (open.length > 0) {
        await checkOpen(settings, call, open);
        // While somebody was asked, others went on.
        sealed = await sealedBy(judging, look);
      }
      const ledger = control?.ownFiles() ?? { there: [], absent: [] };
      const locked = withSealed(settings, sealed, ledger);
      // A backend that confines by itself has places of its own choice.
      const opened = isOwn
        ? locked
        : withOpened(locked, { sealed, protect: settings.protect ?? [], root: backend.root });
      const whole = heldTo(call.confinedTo, opened, sealed);
      const places = [backend.root, ...looked];
      const begin = () => {
        const kept = new KeptFiles(keptBy(whole, backend.root));
        // Where the look failed, it is unknown what is new.
        if (!isWhole) return async () => withReplaced({ made: [], told: null }, kept);
        const repositories = sealed.flatMap((each) => each.repositories);
        const together = new TogetherCommand(repositories, places);
        const followed = linksOfGit(repositories, places);
        return async () => {
          try {
            const end = await putNewAside(sealed, await sealedBy(judging, look), { places, together, followed });
            return withReplaced(end, kept);
          } finally {
            together.end();
          }
        };
      };
      return {
        // A backend that confines by itself has a network of its own choice; what the policies say is asked for each host.
        settings: isOwn ? whole : { ...whole, ...networkBy(settings.network, await networks()) },
        isWhole,
        begin,
      };
    },
    run,
    isProtected: async (access, path) => {
      everything ??= new Policies({ policy: ALL, files: 'none', place: { cwd: backend.root } }, place);
      const [toolName, args] =
        access === 'read' ? ['read_file', { file_path: path }] : ['write_file', { file_path: path, content: '' }];
      const call = { toolCallId: crypto.randomUUID(), toolName, args: snapshot(args) };
      return (await everything.judge(call)).effect !== 'allow';
    },
    networks,
    always,
  };
}

/** What it asks about all the same is protected. */
const ALL: PolicyInput = { version: 1, rule: [{ tools: '*', effect: 'allow' }] };

/**
 * What a command may do whose verdict rests on that. What git keeps of earlier work stays as it is: then git can restore what was
 * committed after any change to the files of the project.
 */
function heldTo(
  writes: ConfinedWrites | undefined,
  settings: ConfineSettings,
  sealed: readonly NativeSealed[],
): ConfineSettings {
  if (writes === undefined) return settings;
  const held = { ...settings, demand: 'whole' as const };
  if (writes === 'nothing') return { ...held, write: [] };
  const history = sealed.flatMap(({ repositories, stores }) => [...repositories, ...stores]);
  return { ...held, protect: [...(held.protect ?? []), ...foundPaths(history)] };
}

/** What is reached: as the program says, and within that as the policies do. Where it says nothing, they say whether it is asked. */
function networkBy(
  given: ConfineSettings['network'],
  said: readonly NativeNetwork[],
): { network?: Exclude<ConfineSettings['network'], undefined> } {
  const isOpen = given === undefined ? said.length > 0 : asksForHosts(given);
  if (isOpen && said.some(({ none }) => none)) return { network: 'none' };
  if (given !== undefined) return { network: given };
  return isOpen ? { network: 'ask' } : {};
}

const sealedBy = (sources: readonly PolicySource[], look: FindSealed): Promise<NativeSealed[]> =>
  Promise.all(sources.map((source) => source.sealed(look)));

/**
 * Puts aside the repositories that are there now and were not before. A user who is not told otherwise believes that these are
 * all.
 */
async function putNewAside(
  before: readonly NativeSealed[],
  now: readonly NativeSealed[],
  { places, together, followed }: Pick<AsideOptions, 'places' | 'followed'> & { together: TogetherCommand },
): Promise<ConfinedEnd> {
  const seen = new Set(before.flatMap(({ unnamed }) => unnamed));
  // What the command closed, or called so that it is hidden, may hold some. Where more is not known, each folder may.
  const isKnown =
    now.every(({ complete, unlisted }) => complete || unlisted.length > 0) &&
    now.every(({ unnamed }) => unnamed.every((path) => seen.has(path)));
  const old = new Set(before.flatMap(({ hidden }) => hidden));
  const hidden = now.flatMap((each) => each.hidden).filter((path) => !old.has(path));
  const closed = [...hidden, ...now.flatMap(({ unlisted }) => unlisted)];
  const behind = repositoriesBehind(isKnown ? closed : places);
  const isAll = behind.isAll && isKnown;
  const faults = isAll ? [] : [NOT_ALL_LOOKED_AT_AFTER];
  let made: string[] = [];
  try {
    const all = new Set([...now.flatMap(({ repositories }) => repositories), ...behind.repositories]);
    made = await putAsideInTime(
      [...all].filter((path) => !together.wasThere(path)),
      { places, followed },
    );
  } catch (error) {
    faults.push(messageOf(error));
  }
  const told = faults.length === 0 ? null : faults.join(' ');
  if (told !== null) warn(told);
  warnOfAside(made);
  return { made, told };
}

function keptBy({ hide = [], protect = [] }: ConfineSettings, root: string): KeptPaths {
  const absolute = (paths: readonly string[]) => paths.map((path) => resolve(root, path));
  return { hide: absolute(hide), protect: absolute(protect) };
}

/** What the command reached by a change of others is told. */
function withReplaced({ made, told }: ConfinedEnd, kept: KeptFiles): ConfinedEnd {
  const names = kept.replaced();
  if (names.length === 0) return { made, told };
  const replaced = `Files that are kept from the command were replaced or removed while it ran: ${listed(names)}. It could read and change what took their place. A human must look at them before anybody uses them.`;
  warn(replaced);
  return { made, told: told === null ? replaced : `${told} ${replaced}` };
}

/** Where the approvals are. */
interface LedgerFiles {
  there: readonly string[];
  absent: readonly string[];
}

/**
 * What the policies protect, ask about or deny, as things are now, is out of reach; and so is where the approvals are: a command that
 * could write there would approve itself.
 */
const withSealed = (settings: ConfineSettings, all: readonly NativeSealed[], ledger: LedgerFiles): ConfineSettings => ({
  ...settings,
  hide: [...(settings.hide ?? []), ...foundPaths([...all.flatMap(({ hidden }) => hidden), ...ledger.there])],
  protect: [...(settings.protect ?? []), ...foundPaths(all.flatMap(({ kept }) => kept))],
  absent: [...(settings.absent ?? []), ...foundPaths([...all.flatMap(({ absent }) => absent), ...ledger.absent])],
});

/** What keeps folders, and who gave the places to write in. */
interface OpenedBeside {
  sealed: readonly NativeSealed[];
  protect: readonly string[];
  root: string;
}

/** What a rule leaves out of a folder that is kept can be written: the inner place counts, where no one else keeps it. */
function withOpened(settings: ConfineSettings, { sealed, protect, root }: OpenedBeside): ConfineSettings {
  const write = settings.write ?? ['.'];
  const real = (path: string) => realPath(resolve(root, path));
  const places = write.map(real);
  const history = sealed.flatMap(({ repositories, stores }) => [...repositories, ...stores]);
  const closed = [...protect, ...history].map(real);
  const isClosedBy = (path: string, { kept, opened }: NativeSealed) => {
    const around = [...kept, ...opened].map(real).filter((place) => isIn(path, place));
    const nearest = Math.max(...around.map((place) => place.length));
    return kept.some((place) => isIn(path, real(place)) && real(place).length === nearest);
  };
  const opened = sealed
    .flatMap((each) => each.opened)
    .filter((each) => {
      const path = real(each);
      const isGiven = places.some((place) => isIn(path, place));
      return isGiven && !closed.some((place) => isIn(path, place)) && !sealed.some((by) => isClosedBy(path, by));
    });
  return opened.length === 0 ? settings : { ...settings, write: [...write, ...foundPaths(opened)] };
}

/** What is open though an unasked command should be held to it. */
interface OpenFiles {
  /** What a human is told who is asked. */
  told: string;
  why: string;
  open: ConfinementError['open'];
}

const NOT_LOOKED_AT: OpenFiles = {
  told: NOT_ALL_LOOKED_AT,
  why: 'not all files could be looked at that a policy may protect',
  open: ['hidden-files', 'protected-files'],
};

const NOT_HELD: OpenFiles = {
  told: 'What git keeps of earlier work may be lost: the way to it could not be read, or goes through a symlink that the command may replace.',
  why: 'what git keeps of earlier work could be lost',
  open: ['protected-files'],
};

/** How many names are told. */
const MOST_NAMES = 3;

function listed(all: readonly string[]): string {
  const names = all.slice(0, MOST_NAMES).map((name) => JSON.stringify(name));
  const more = all.length > MOST_NAMES ? `, and ${all.length - MOST_NAMES} more` : '';
  return `${names.join(', ')}${more}`;
}

/** Those that the plan of a command, which is a text, cannot name. */
function notNamed(unnamed: readonly string[]): OpenFiles {
  const which = listed(unnamed);
  return {
    told: `It may read and change files that the policies protect, since their names are not UTF-8: ${which}.`,
    why: `files that the policies protect have names that are not UTF-8 (${which})`,
    open: ['hidden-files', 'protected-files'],
  };
}

/** A command that a human approved, and one that changes nothing, need not be held to what git keeps. */
function openFor({ confinedTo }: ConfinedCall, sealed: readonly NativeSealed[]): OpenFiles[] {
  const isLost = confinedTo === 'project' && sealed.some(({ unheld }) => unheld);
  const unnamed = [...new Set(sealed.flatMap((each) => each.unnamed))];
  return [
    ...(sealed.every(({ complete }) => complete) ? [] : [NOT_LOOKED_AT]),
    ...(unnamed.length === 0 ? [] : [notNamed(unnamed)]),
    ...(isLost ? [NOT_HELD] : []),
  ];
}

/** Who approves the command says whether it runs all the same. @throws {ConfinementError} */
async function checkOpen(settings: ConfineSettings, call: ConfinedCall, open: readonly OpenFiles[]): Promise<void> {
  if (settings.demand === 'whole' && open.some((each) => each !== NOT_HELD)) {
    throw notRun(open, 'Demand less, or give the agent a smaller root.');
  }
  if (!call.isApproved) await askedAnyway(call, open);
}

/** @throws {ConfinementError} without a yes */
async function askedAnyway({ command, abortSignal }: ConfinedCall, open: readonly OpenFiles[]): Promise<void> {
  const caller = currentCaller();
  if (caller === undefined) throw notRun(open, 'It needs a human who approves it: give the agent a smaller root.');
  const { allowed, reason } = await mayMeanwhile(
    caller,
    {
      toolName: TOOL,
      args: { command },
      allowedDecisions: ['approve', 'reject'],
      description: `${open.map(({ told }) => told).join(' ')} It runs confined: ${command}`,
      isNamed: false,
      asksAlways: open.map(({ why }) => why).join(', and '),
    },
    abortSignal ?? new AbortController().signal,
  );
  if (!allowed) throw notRun(open, `No human let it run all the same: ${(reason ?? '').replace(/\.$/, '')}.`);
}

const notRun = (open: readonly OpenFiles[], what: string): ConfinementError =>
  new ConfinementError({
    message: `The command was not run: ${open.map(({ why }) => why).join(', and ')}. ${what}`,
    open: [...new Set(open.flatMap((each) => each.open))],
  });
