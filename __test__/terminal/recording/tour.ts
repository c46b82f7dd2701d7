/** A session of the terminal program, on the sample project with its model, as it is shown to people. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SAMPLE } from '../../../ts/cli/demo/sample.js';
import { Terminal, type Picture, type Span } from '../terminal.js';

/** What is seen at one moment. */
export interface Shot extends Picture {
  /** How long it stays, in ms. */
  stays: number;
}

export const COLUMNS = 80;
export const ROWS = 24;

/** As long as the folder that is shown, so that lines break where they would there. */
const SHOWN = '/home/mia/greeter';
const folderOf = (home: string): string => join(home, 'abc');

interface ModelServer {
  startModelServer(): Promise<{ url: string; close(): Promise<void> }>;
}

interface Ground {
  folder: string;
  /** Of the program. */
  env: Readonly<Record<string, string>>;
  args: readonly string[];
  normal(text: string): string;
}

interface Setting {
  columns?: number;
  rows?: number;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** How long a shot stays, in ms. */
const STAYS = { key: 180, look: 1200, read: 3200, study: 4500 } as const;

export class Tour {
  readonly shots: Shot[] = [];
  readonly terminal: Terminal;
  readonly #folder: string;

  private constructor(terminal: Terminal, folder: string) {
    [this.terminal, this.#folder] = [terminal, folder];
  }

  /** What a session needs: a copy of the sample project, and its model. */
  static async setUp<RESULT>(root: string, use: (ground: Ground) => Promise<RESULT>): Promise<RESULT> {
    const home = mkdtempSync('/tmp/c-');
    const folder = folderOf(home);
    if (folder.length !== SHOWN.length) throw new Error(`${folder} is not as long as ${SHOWN}`);
    for (const [path, text] of Object.entries(SAMPLE)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { startModelServer } = (await import(
      pathToFileURL(join(root, 'examples/start/model-server.mjs')).href
    )) as ModelServer;
    const server = await startModelServer();
    try {
      return await use({
        folder,
        env: { HOME: home, LANG: 'C.UTF-8', COUNTERSIGN_NOTIFY: 'none' },
        args: [join(root, 'dist/cli.js'), '--model', 'countersign-demo', '--base-url', server.url],
        normal: (text) => normal(text, folder),
      });
    } finally {
      await server.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  /** Goes through a session of its own, from the first screen on. @param root of the repository */
  static through(root: string, setting: Setting, session: (tour: Tour) => Promise<void>): Promise<Tour> {
    return Tour.setUp(root, async ({ folder, env, args }) => {
      const { columns = COLUMNS, rows = ROWS, args: more = [], env: other = {} } = setting;
      const options = { columns, rows, cwd: folder, env: { ...env, ...other } };
      const terminal = new Terminal(process.execPath, [...args, ...more], options);
      try {
        const tour = new Tour(terminal, folder);
        await tour.idle();
        await session(tour);
        return tour;
      } finally {
        await terminal.close();
      }
    });
  }

  /** Until nothing goes on, and what was said is to be seen. */
  idle(text: string | RegExp = ''): Promise<string> {
    const isThere = (screen: string): boolean => (typeof text === 'string' ? screen.includes(text) : text.test(screen));
    return this.terminal.waitFor(
      (screen) => screen.includes('what should I do?') && isThere(screen),
      `the end of a run with ${String(text)}`,
    );
  }

  /** Until a call waits and takes keys. */
  asks(toolName: string): Promise<string> {
    const title = new RegExp(`^(──|--) ${toolName} `, 'm');
    return this.terminal.waitFor(
      (screen) => title.test(screen) && screen.includes('? help'),
      `${toolName} to be asked about`,
    );
  }

  /** What is seen now, kept for the recording. */
  shoot(stays: number = STAYS.read): void {
    const { rows, cursor } = this.terminal.picture();
    const shown = rows.map((row) => row.map((span) => this.#normal(span)));
    this.shots.push({ rows: shown, cursor, stays });
  }

  /** What is seen now, as text. */
  still(): string {
    this.shoot();
    return textOf(this.shots.pop()!);
  }

  /** Writes word by word. @param prompt what stands before it on the screen */
  async write(text: string, prompt = ''): Promise<void> {
    let written = '';
    for (const word of text.match(/\s*\S+/g) ?? []) {
      written += word;
      this.terminal.type(word);
      const wanted = `${prompt}${written}`;
      await this.terminal.waitFor(
        (screen) => screen.split('\n').some((line) => line.replace(/^ ?[›>]/, '').trim() === wanted),
        wanted,
      );
      this.shoot(STAYS.key);
    }
    this.shots.at(-1)!.stays = STAYS.look;
  }

  /** Writes a line and enters it. */
  async say(line: string): Promise<void> {
    await this.write(line);
    this.terminal.press('enter');
  }

  #normal(span: Span): Span {
    const text = normal(span.text, this.#folder);
    return { ...span, text, width: span.width + text.length - span.text.length };
  }
}

/** Without what differs from run to run: the folder, and the address of the model's server. */
const normal = (text: string, folder: string): string =>
  text.replaceAll(folder, SHOWN).replace(/(?<=[·-] |Model: )countersig\S*( at \S+)?/, 'countersign-demo');

export const textOf = ({ rows }: Pick<Shot, 'rows'>): string =>
  rows
    .map((row) => {
      let line = '';
      let at = 0;
      for (const { text, x, width } of row) {
        line += `${' '.repeat(x - at)}${text}`;
        at = x + width;
      }
      return line.trimEnd();
    })
    .join('\n');

/** What the recording shows. */
export async function session(tour: Tour): Promise<void> {
  const { terminal } = tour;
  tour.shoot(STAYS.look);

  // Two calls at once: one is approved, the other one rejected with a reason.
  await tour.say('create hello.txt with hi and run cat package.json');
  await tour.asks('write_file');
  tour.shoot(STAYS.study);
  await terminal.take('y');
  await tour.asks('execute');
  tour.shoot();
  await tour.write('there is read_file for that');
  tour.shoot(STAYS.look);
  terminal.press('enter');
  await tour.idle('You rejected');
  tour.shoot();

  // A subagent asks through the agent that started it.
  await tour.say('delegate create notes.md with "# Notes" to general-purpose');
  await tour.asks('write_file');
  tour.shoot(STAYS.study);
  await terminal.take('y');
  await tour.idle('General-purpose says:\nCreated');
  tour.shoot();

  // The agent asks the human.
  await tour.say('ask me which language: English, German or French');
  await terminal.waitFor('Esc twice answers none');
  tour.shoot();
  terminal.press('down');
  await terminal.waitFor('❯ 2. German');
  tour.shoot(STAYS.look);
  terminal.press('enter');
  await tour.idle('A: German');
  tour.shoot(STAYS.look);

  // A policy decides.
  await tour.say('run git push');
  await tour.idle('I will not look for a way around it');
  tour.shoot();

  // Auto-approve, on and off.
  await tour.say('/approve on');
  await tour.idle('Auto-approve: ');
  tour.shoot();
  await tour.say('change Hello to Hi in src/greet.js');
  await tour.idle('Changed "Hello"');
  tour.shoot();
  await tour.say('/approve off');
  await tour.idle('Safe mode: ');
  tour.shoot(STAYS.look);
  await tour.write('/quit');
  terminal.press('enter');
  await terminal.ended();
  tour.shoot();
}
