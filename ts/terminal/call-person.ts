/** Calls the person when something waits: the terminal's bell, a notification of the desktop, the title of the window. */
import { InvalidConfigError } from '../errors/index.js';
import { oneLine } from '../gate/in-a-line.js';
import { nearestOf } from '../options/nearest.js';

const WAYS = ['bell', 'desktop', 'none'] as const;

/** `desktop` is `bell` with a notification; `bell` has the title, too. */
export type NotifyWay = (typeof WAYS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * How the person is called: as it was said, else as `COUNTERSIGN_NOTIFY` says, else by the bell.
 *
 * @param place what it was said by, for the message
 * @throws {InvalidConfigError}
 */
export function notifyWay(given: unknown, place: string, environment: Environment = process.env): NotifyWay {
  if (given !== undefined) return wayOf(given, place);
  const said = environment['COUNTERSIGN_NOTIFY'];
  return said === undefined || said === '' ? 'bell' : wayOf(said, 'COUNTERSIGN_NOTIFY');
}

function wayOf(given: unknown, place: string): NotifyWay {
  const way = WAYS.find((each) => each === given);
  if (way !== undefined) return way;
  const meant = typeof given === 'string' ? nearestOf(given, WAYS) : undefined;
  throw new InvalidConfigError({
    message: `${place} must be bell, desktop or none${meant === undefined ? '' : `: did you mean ${meant}?`}`,
  });
}

/** What waits. */
export interface WaitingCall {
  /** The same for the same call. */
  key: unknown;
  toolName: string;
}

export interface PersonCallOptions {
  way: NotifyWay;
  /** Writes on the terminal that the person looks at; `undefined`: no terminal. */
  write: ((text: string) => void) | undefined;
  /** Lines for screen readers have none. @default true */
  hasTitle?: boolean;
  /** @default that of the process */
  environment?: Environment;
}

/** Of one place where calls wait. It moves no cursor, so that it may come between two frames of a screen. */
export class PersonCall {
  readonly #write: (text: string) => void;
  readonly #isMute: boolean;
  readonly #notification: (text: string) => string;
  readonly #hasTitle: boolean;
  readonly #restore = (): void => this.end();
  #known: ReadonlySet<unknown> = new Set();
  #title = '';

  constructor({ way, write, hasTitle = true, environment = process.env }: PersonCallOptions) {
    this.#write = write ?? (() => {});
    this.#isMute = write === undefined || way === 'none' || environment['TERM'] === 'dumb';
    // The console of Linux has neither.
    const isConsole = environment['TERM'] === 'linux';
    this.#hasTitle = hasTitle && !isConsole;
    this.#notification = way === 'desktop' && !isConsole ? notificationFor(environment) : () => '';
  }

  /** All that waits now, the latest last. Calls for what did not wait before. */
  waits(calls: readonly WaitingCall[]): void {
    if (this.#isMute) return;
    const last = calls.findLast(({ key }) => !this.#known.has(key));
    this.#known = new Set(calls.map(({ key }) => key));
    const called = last === undefined ? '' : BELL + this.#notification(`${calls.length} waiting (${named(last)})`);
    const written = called + this.#titled(calls.length);
    if (written !== '') this.#write(written);
  }

  /** Nothing waits any more, or its waiter is gone: the window gets the title that it had. */
  end(): void {
    this.waits([]);
  }

  #titled(waiting: number): string {
    const [before, title] = [this.#title, waiting === 0 || !this.#hasTitle ? '' : `countersign: ${waiting} waiting`];
    if (title === before) return '';
    this.#title = title;
    // However the process ends.
    if (before === '') process.once('exit', this.#restore);
    if (title === '') process.off('exit', this.#restore);
    // For a terminal that keeps no titles, an empty one is the best choice.
    return `${before === '' ? KEEP_TITLE : ''}${setTitle(title)}${title === '' ? TITLE_AS_KEPT : ''}`;
  }
}

const BELL = '\u0007';
const KEEP_TITLE = '\u001b[22;2t';
const TITLE_AS_KEPT = '\u001b[23;2t';
// Every terminal takes BEL for the end; the other one, ESC \, would end what tmux hands on.
const setTitle = (title: string): string => `\u001b]2;${title}\u0007`;

/** The form that the terminal knows. What is no terminal of either form says nothing of it. */
function notificationFor({ TERM = '', VTE_VERSION, TMUX }: Environment): (text: string) => string {
  const isOther = TERM.startsWith('rxvt') || Boolean(VTE_VERSION);
  const form = (text: string): string =>
    isOther ? `\u001b]777;notify;countersign;${text}\u0007` : `\u001b]9;countersign: ${text}\u0007`;
  // tmux shows none, and hands on what is wrapped, where its `allow-passthrough` is on.
  return TMUX ? (text) => `\u001bPtmux;\u001b${form(text)}\u001b\\` : form;
}

/** The longest name of a tool that is told. */
const LONGEST = 60;

/**
 * The name of a tool, which may come from anybody: nothing in it ends the sequence that it stands in, or begins another one. In a
 * terminal that reads bytes and no UTF-8 even a part of a letter could.
 */
function named({ toolName }: WaitingCall): string {
  const name = oneLine(toolName)
    .replace(/[^\x20-\x7e]+/g, '?')
    .replaceAll(';', ',');
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 3)}...` : name;
}
