/** `countersign watch`: what waits, as it happens. */
import type { Readable } from 'node:stream';
import type { GateEvent } from '../../index.js';
import { becomes, toldRun } from '../ai-sdk/saved/told-run.js';
import { messageOf } from '../errors/message-of.js';
import { PersonCall, type NotifyWay } from '../terminal/call-person.js';
import { doubtsAbout } from '../gate/danger.js';
import { againLine } from '../gate/asked-again.js';
import { startedFirst } from '../gate/stands-out.js';
import { placeToRemember } from '../gate/call-place.js';
import type { SeenEdit } from '../gate/seen-edit.js';
import { standing } from '../gate/standing.js';
import type { KeptRecord, NativeLedger } from '../native.js';
import { KeyFlow, type PressedKey } from './chat/screen/keys.js';
import { decide, groupsIn, TAKEN, whoDecides, type DecidingPerson, type HumanDecision } from './decisions.js';
import { clock } from './duration.js';
import { Exit, UsageError } from './exit.js';
import { shortId } from './ids.js';
import { LEDGER, ledgerName, withLedger } from './open-ledger.js';
import { readOptions } from './options.js';
import { whenUnread } from './output.js';
import { NOTIFY, readNotify } from './notify.js';
import { print, printJson } from './print.js';
import { TerminalWriter } from './terminal-writer.js';
import { outcome, summary, toJson, type KeptBeside } from './shown.js';
import { oneLine } from './style.js';
import { boundRecord, offered, remember } from './remember.js';
import { checked } from './questions.js';
import { besideOf } from './beside.js';
import { changedIn, editedAsk } from './watch-edit.js';
import { frame, roomIn } from './watch-frame.js';
import {
  press,
  START,
  unknownBeside,
  withEvents,
  withPage,
  without,
  withoutDue,
  withRecords,
  type ConfirmMode,
  type WatchAction,
  type WatchState,
} from './watch-model.js';

/** How often ages and deadlines are looked at, in ms. */
const TICK = 1000;

export async function watch(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, {
    ...LEDGER,
    by: { type: 'string' },
    group: { type: 'string', multiple: true },
    ...NOTIFY,
  });
  if (positionals.length > 0) throw new UsageError(`watch takes no ${JSON.stringify(positionals[0])}`);
  const who = { by: whoDecides(values.by), groups: groupsIn(values.group) };
  const way = readNotify(values.notify);
  const isLive = values.json !== true && process.stdout.isTTY === true && process.stdin.isTTY === true;
  return withLedger(values, isLive ? 'change' : 'look', (ledger) =>
    isLive ? live(ledger, oneLine(ledgerName(values.ledger)), who, way) : lines(ledger, values.json === true),
  );
}

/** One line per event, until it is stopped. What waits already comes first. */
async function lines(ledger: NativeLedger, asJson: boolean): Promise<number> {
  const told = new Set<string>();
  const tell = (event: GateEvent): void => {
    if (event.type === 'requested' && told.has(event.request.approvalId)) return;
    if (event.type === 'requested') told.add(event.request.approvalId);
    if (event.type === 'decided') told.delete(event.request.approvalId);
    const { request } = event as { request?: KeptRecord };
    if (asJson) void printJson(request === undefined ? event : { ...event, request: asRequest(request) });
    else void print(lineOf(event));
  };
  let early: GateEvent[] | undefined = [];
  ledger.watch((events) => {
    if (early === undefined) events.forEach(tell);
    else early.push(...events);
  });
  for (const request of await ledger.pending(null)) tell({ type: 'requested', request } as unknown as GateEvent);
  early.forEach(tell);
  early = undefined;
  // Lines are all that it is for.
  await new Promise<void>((resolve) => {
    const stay = setInterval(() => {}, 2 ** 30);
    const stop = whenUnread(() => {
      clearInterval(stay);
      setImmediate(() => stop());
      resolve();
    });
  });
  return Exit.unread;
}

/** A request as `ApprovalRequest`: what became of it is said by events. */
function asRequest(request: KeptRecord): object {
  const { status: _, decision: __, decidedBy: ___, via: ____, decidedAt: _____, ...shown } = toJson(request);
  return shown;
}

function lineOf(event: GateEvent): string {
  const at = 'at' in event ? event.at : 'request' in event ? event.request.createdAt : Date.now();
  const id = 'request' in event ? event.request.approvalId : 'approvalId' in event ? event.approvalId : '';
  return `${clock(at)}  ${event.type.padEnd(9)}  ${shortId(id)}  ${saidOf(event)}`.trimEnd();
}

function saidOf(event: GateEvent): string {
  if (event.type === 'requested') {
    const json = toJson(event.request as KeptRecord);
    const { first } = startedFirst(doubtsAbout(json));
    return [...first, ...[againLine(json) ?? []].flat(), summary(event.request as KeptRecord, 400)].join(': ');
  }
  if (event.type === 'settled') return event.status;
  if (event.type === 'voted')
    return `approved by ${oneLine(event.vote.by)}: ${oneLine(standing(toJson(event.request as KeptRecord)))}`;
  if (event.type === 'escalated') return `may also be decided by ${oneLine(event.to.join(', '))}`;
  if (event.type !== 'decided') return '';
  const { request, decision, decidedBy, via, at: decidedAt } = event;
  return outcome({ ...request, status: 'pending', decision, decidedBy, via, decidedAt } as unknown as KeptRecord);
}

/** The live view, until `q`. */
async function live(ledger: NativeLedger, place: string, who: DecidingPerson, way: NotifyWay): Promise<number> {
  const screen = takeScreen((isLate) => {
    // Keys typed meanwhile were about unseen output.
    if (isLate && state.mode.at === 'confirm')
      state = { ...state, mode: { ...state.mode, quietSince: performance.now() } };
    draw();
  });
  const person = new PersonCall({ way, write: (text) => process.stdout.write(text) });
  let state: WatchState = START;
  const draw = (): void => {
    const size = screen.size();
    if (!screen.isAway) state = withPage(state, roomIn(state, size), performance.now());
    screen.draw(frame(state, size, place, Date.now()));
    // What is not drawn stands nowhere.
    if (screen.isBehind) state = { ...state, seen: undefined };
  };
  const change = (next: WatchState): void => {
    state = next;
    draw();
    const looked = unknownBeside(state);
    if (looked !== undefined) void learn(looked);
    person.waits(state.records.map(({ approvalId, toolName }) => ({ key: approvalId, toolName })));
  };
  /** What is known beside it is shown when it is there; what cannot be read is left out. */
  const learn = async (record: KeptRecord): Promise<void> => {
    const { approvalId } = record;
    const with_ = (beside: KeptBeside): void =>
      change({ ...state, beside: new Map(state.beside).set(approvalId, beside) });
    state = { ...state, beside: new Map(state.beside).set(approvalId, { run: null }) };
    await besideOf(ledger, record).then(with_, () => {});
  };
  const recordOf = (id: string): KeptRecord | undefined => state.records.find(({ approvalId }) => approvalId === id);
  /** What was looked up meanwhile is asked about, unless something else is by now. */
  const ask = (mode: ConfirmMode, from: WatchState['mode']): void => {
    if (recordOf(mode.id) === undefined) return;
    change(
      state.mode === from
        ? { ...state, mode, seen: undefined, said: '' }
        : { ...state, said: `${shortId(mode.id)} still waits` },
    );
  };
  const decided = async (record: KeptRecord, decision: HumanDecision, shown?: SeenEdit): Promise<void> => {
    const { approvalId: id } = record;
    const taken = await decide(ledger, id, checked(record, decision), who, shown);
    if (taken.status === 'pending') {
      const counted = state.records.map((each) => (each.approvalId === id ? taken : each));
      const said = `counted ${shortId(id)}: ${oneLine(standing(toJson(taken)))}`;
      return change({ ...withRecords(state, counted), said });
    }
    const then = becomes(taken, await toldRun(ledger, taken, ledger.pending));
    const said = `${TAKEN[decision.type]} ${shortId(id)}`;
    change({ ...without(state, id), said: then === '' ? said : `${said}: ${then}` });
  };
  const act = async (action: Exclude<WatchAction, { type: 'quit' }>): Promise<void> => {
    const record = recordOf(action.id);
    if (record === undefined) return;
    const { mode } = state;
    const asked = { at: 'confirm', id: action.id, scroll: 0 } as const;
    try {
      switch (action.type) {
        case 'offer':
          return ask(
            { ...asked, what: 'always', lines: await offerLines(ledger, record), quietSince: performance.now() },
            mode,
          );
        case 'change': {
          const args = await screen.awayFor(() => changedIn(record));
          const shown = await editedAsk(ledger, record, args);
          return ask({ ...asked, what: 'edit', args, ...shown, quietSince: performance.now() }, mode);
        }
        case 'always': {
          await decided(record, { type: 'approve' });
          const { label } = await remember(ledger, record, 'allow', { ms: null }, who.by);
          return change({ ...state, said: `${state.said}; remembered: ${oneLine(label)}` });
        }
        case 'reject':
          return await decided(record, {
            type: 'reject',
            ...(action.reason === null ? {} : { reason: action.reason }),
          });
        case 'respond':
          return await decided(record, { type: 'respond', output: action.output });
        case 'edit':
          return await decided(record, { type: 'edit', args: action.args }, action.shown);
        default:
          return await decided(record, { type: action.type });
      }
    } catch (error) {
      change({ ...state, said: `${shortId(action.id)}: ${oneLine(messageOf(error))}` });
    }
  };
  const tick = setInterval(() => change(withoutDue(state, Date.now())), TICK);
  process.stdout.on('resize', draw);
  // The shell that continued it (`fg`) has set the terminal to what a shell needs.
  const continued = (): void => {
    if (screen.isAway) return;
    screen.takeAgain();
    draw();
  };
  process.on('SIGCONT', continued);
  const stop = whenUnread(() => process.exit(Exit.failure));
  try {
    ledger.watch((events) => change(withEvents(state, events, Date.now())));
    const waiting = await ledger.pending(null);
    // What came in between is not among them, or is known already.
    const ids = new Set(waiting.map(({ approvalId }) => approvalId));
    const news = state.records.filter(({ approvalId }) => !ids.has(approvalId));
    change(withRecords(state, [...waiting, ...news]));
    await keysOf(process.stdin, (keys) => {
      // An editor has the terminal.
      if (screen.isAway) return undefined;
      const room = roomIn(state, screen.size());
      const seen = screen.isBehind ? { ...room, tooSmall: 'the terminal does not take what is drawn' } : room;
      const pressed = press(state, keys, performance.now(), seen);
      if (pressed.action?.type === 'quit') return 'over';
      change(pressed.state);
      if (pressed.action !== undefined) void act(pressed.action);
      return undefined;
    });
    return Exit.ok;
  } finally {
    clearInterval(tick);
    process.stdout.off('resize', draw);
    process.off('SIGCONT', continued);
    stop();
    person.end();
    screen.giveBack();
  }
}

/** What would be remembered of it, and where. @throws {ExitError} @throws {InvalidDecisionError} where nothing is offered */
async function offerLines(ledger: NativeLedger, record: KeptRecord): Promise<string[]> {
  const { label } = offered(record, 'allow');
  const also = record.details?.always?.allow?.also ?? [];
  const { project } = placeToRemember(await boundRecord(ledger, record));
  return [
    'Run it, and allow this from now on:',
    '',
    oneLine(label),
    ...also.filter((each) => !label.includes(each)).map((each) => `- ${oneLine(each)}`),
    '',
    `for you, in ${oneLine(project)}`,
  ];
}

/** Hands on the keys of the terminal, those together that came together, until it is over or the terminal is gone. */
function keysOf(input: Readable, take: (keys: PressedKey[]) => 'over' | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const keys = new KeyFlow((presses) => {
      if (take(presses.map(({ key }) => key)) === 'over') end(resolve);
    });
    const hear = (chunk: Buffer): void => keys.feed(chunk);
    const end = (settle: () => void): void => {
      keys.stop();
      input.off('data', hear);
      // Nothing reads it any more: it must not keep the process.
      input.destroy();
      settle();
    };
    input.on('data', hear);
    input.once('end', () => end(resolve));
    input.once('error', (error) => end(() => reject(error)));
  });
}

/** The whole terminal, which is given back however this ends. */
function takeScreen(onTaken: (isLate: boolean) => void) {
  const output = new TerminalWriter(onTaken);
  let isOurs = true;
  const giveBack = (): void => {
    if (!isOurs) return;
    isOurs = false;
    output.giveBack('\u001b[?2004l\u001b[?25h\u001b[?1049l');
    process.stdin.setRawMode(false);
  };
  process.once('exit', giveBack);
  for (const [signal, number] of [
    ['SIGTERM', 15],
    ['SIGHUP', 1],
    ['SIGINT', 2],
  ] as const)
    process.once(signal, () => process.exit(128 + number));
  const take = (): void => {
    process.stdin.setRawMode(true);
    // Pastes are marked as such: they press no key.
    process.stdout.write('\u001b[?1049h\u001b[?25l\u001b[?2004h');
  };
  take();
  let isAway = false;
  return {
    giveBack,
    /** Whether the terminal has yet to take what was drawn. */
    get isBehind() {
      return output.isBehind;
    },
    get isAway() {
      return isAway;
    },
    /** Gives the terminal to another program for as long as that has it. */
    awayFor: async <T>(work: () => Promise<T>): Promise<T> => {
      isAway = true;
      const onInterrupt = process.listeners('SIGINT');
      // Ctrl+C is that program's meanwhile.
      const ignore = (): void => {};
      process.removeAllListeners('SIGINT').on('SIGINT', ignore);
      process.stdout.write('\u001b[?2004l\u001b[?25h\u001b[?1049l');
      process.stdin.setRawMode(false);
      process.stdin.pause();
      try {
        return await work();
      } finally {
        process.off('SIGINT', ignore);
        for (const listener of onInterrupt) process.on('SIGINT', listener as NodeJS.SignalsListener);
        process.stdin.resume();
        take();
        isAway = false;
      }
    },
    takeAgain: () => {
      process.stdin.setRawMode(false);
      take();
    },
    size: () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 }),
    draw: (all: readonly string[]) => {
      if (isOurs && !isAway && !output.isBehind)
        output.write(`\u001b[H${all.map((line) => `\u001b[2K${line}`).join('\r\n')}\u001b[J`);
    },
  };
}
