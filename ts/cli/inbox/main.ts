/** `countersign inbox`: a page in the browser, for the one who sits at this machine. */
import { constants } from 'node:os';
import type { GateOptions, Logger } from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import { createGate } from '../../gate/asking-gate.js';
import { serveInbox, type LinkedInbox } from '../../inbox/serve.js';
import { groupsIn, whoDecides } from '../decisions.js';
import { ExitError, Exit, UsageError } from '../exit.js';
import { linesOf } from '../lines.js';
import { LEDGER, ledgerToBegin } from '../open-ledger.js';
import { readOptions, wholeNumber } from '../options.js';
import { print, printJson } from '../print.js';
import { oneLine } from '../style.js';
import { tellError } from '../tell-error.js';
import { hasBrowser, openBrowser, type OpenedBrowser } from './open-browser.js';

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type EndSignal = (typeof END_SIGNALS)[number];

/** For how long a decision can be taken back, in seconds. */
const UNDO = 5;

const CENTURY_MS = 3_155_760_000_000;

interface InboxFlags {
  gate: GateOptions;
  inbox: { by: string; groups: string[]; undo: number; port?: number };
  asJson: boolean;
  /** Whether the browser is opened. */
  opens: boolean;
  /** The file of the ledger, where it is made now. */
  made: string | undefined;
}

/** Serves until it is ended, by Ctrl+C. Never throws. @returns the exit code */
export async function inboxCommand(args: readonly string[]): Promise<number> {
  try {
    const flags = await readFlags(args);
    const gate = createGate(flags.gate);
    try {
      await gate.ready();
      if (flags.made !== undefined)
        process.stderr.write(`countersign: ${oneLine(flags.made)} is a new ledger: nothing waits in it yet\n`);
      // What a run or a session remembers lives in its own process.
      const inbox = await serveInbox(gate, { ...flags.inbox, remember: ['always'], logger }).catch(portTaken);
      const signal = await served(inbox, flags).finally(() => inbox.close());
      if (!flags.asJson) await print('The inbox is closed. What waits in its ledger still waits.');
      return 128 + constants.signals[signal];
    } finally {
      await gate.close();
    }
  } catch (error) {
    return tellError(error, ['inbox', ...args]);
  }
}

/** @throws {UsageError} */
async function readFlags(args: readonly string[]): Promise<InboxFlags> {
  const { values, positionals } = readOptions(args, {
    ...LEDGER,
    port: { type: 'string' },
    by: { type: 'string' },
    group: { type: 'string', short: 'g', multiple: true },
    undo: { type: 'string' },
    'no-open': { type: 'boolean' },
  });
  if (positionals.length > 0) throw new UsageError(`inbox takes no ${JSON.stringify(positionals[0])}`);
  const port = values.port === undefined ? undefined : wholeNumber('--port', values.port, 1);
  if (port !== undefined && port > 65_535) throw new UsageError('--port must be at most 65535');
  const undo = values.undo === undefined ? UNDO : wholeNumber('--undo', values.undo, 0);
  if (undo > 60) throw new UsageError('--undo must be at most 60, in seconds');
  const by = whoDecides(values.by);
  const keyEnv = values['key-env'] ?? 'COUNTERSIGN_LEDGER_KEY';
  const hasKey = Boolean(process.env[keyEnv]);
  if (values['key-env'] !== undefined && !hasKey)
    throw new UsageError(`--key-env: the environment has no ${keyEnv}: set it to the key`);
  const { name: ledger, missing: made } = await ledgerToBegin(values.ledger);
  return {
    gate: {
      ledger: ledger as NonNullable<GateOptions['ledger']>,
      policyFiles: true,
      // For how long contents are kept is for the programs to say that write them.
      retention: { contents: CENTURY_MS },
      ...(hasKey ? { encryption: { keyEnv } } : {}),
    },
    inbox: { by, groups: groupsIn(values.group), undo: undo * 1_000, ...(port === undefined ? {} : { port }) },
    asJson: values.json === true,
    opens: !values['no-open'] && !values.json && process.stdout.isTTY && hasBrowser(process.env),
    made,
  };
}

/** What the page is not told. */
const logger: Logger = {
  error: (what, { reason }) => void process.stderr.write(`countersign: ${oneLine(`${what}: ${String(reason)}`)}\n`),
};

/** Until a signal ends it, which is returned. Each line that it reads makes another link. */
async function served(inbox: LinkedInbox, { inbox: { by }, asJson, opens }: InboxFlags): Promise<EndSignal> {
  const ended = new Promise<EndSignal>((resolve) => {
    for (const signal of END_SIGNALS) process.once(signal, () => resolve(signal));
  });
  const tell = (): Promise<void> => {
    const url = inbox.link();
    return asJson ? printJson({ type: 'link', url, port: inbox.port }) : print(url);
  };
  // Once the browser is there, nothing need lead it there: what ends this process may leave it no time.
  const used = () => void opening?.then(({ end }) => end());
  const opening: Promise<OpenedBrowser> | undefined = opens ? openBrowser(inbox.link(used)) : undefined;
  const browser = await opening;
  try {
    if (!asJson) {
      const [opens, link] =
        browser?.opened === true ? [' is opened in your browser', 'another browser'] : ['', 'one browser'];
      await print(
        `The inbox of ${oneLine(by)}${opens}. This link opens it in ${link}; Enter makes a new one, Ctrl+C ends it.`,
      );
    }
    await tell();
    const reading = (async () => {
      for await (const _ of linesOf(process.stdin)) await tell();
    })();
    // Without stdin there is one link.
    reading.catch(() => {});
    return await ended;
  } finally {
    await browser?.end();
  }
}

function portTaken(error: unknown): never {
  const cause = InvalidConfigError.isInstance(error) ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  if (cause?.code !== 'EADDRINUSE') throw error;
  const { port } = cause as { port?: number };
  throw new ExitError(Exit.failure, `port ${port} is taken: name another one with --port`, 'ERR_PORT_TAKEN');
}
