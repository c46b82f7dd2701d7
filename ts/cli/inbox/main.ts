/** `countersign inbox`: a page in the browser, for the one who sits at this machine. */
import type { GateOptions } from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import { createGate } from '../../gate/gate.js';
import { serveInbox } from '../../inbox/serve.js';
import { whoDecides } from '../decisions.js';
import { Ended, Exit, Usage } from '../exit.js';
import { linesOf } from '../lines.js';
import { LEDGER, ledgerName } from '../open-ledger.js';
import { readOptions, wholeNumber } from '../options.js';
import { print, printJson } from '../print.js';
import { oneLine } from '../style.js';

const CENTURY_MS = 3_155_760_000_000;

/** @returns the exit code, once it was ended with Ctrl+C */
export async function inboxCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, {
    ...LEDGER,
    port: { type: 'string' },
    by: { type: 'string' },
    group: { type: 'string', short: 'g', multiple: true },
  });
  if (positionals.length > 0) throw new Usage(`inbox takes no ${JSON.stringify(positionals[0])}`);
  const port = values.port === undefined ? undefined : wholeNumber('--port', values.port, 1);
  if (port !== undefined && port > 65_535) throw new Usage('--port must be at most 65535');
  const by = whoDecides(values.by);
  const keyEnv = values['key-env'] ?? 'COUNTERSIGN_LEDGER_KEY';
  if (values['key-env'] !== undefined && !process.env[keyEnv])
    throw new Usage(`--key-env: the environment has no ${keyEnv}`);
  await using gate = createGate({
    ledger: ledgerName(values.ledger) as NonNullable<GateOptions['ledger']>,
    policyFiles: true,
    // For how long contents are kept is for the programs to say that write them.
    retention: { contents: CENTURY_MS },
    ...(process.env[keyEnv] ? { encryption: { keyEnv } } : {}),
  });
  await gate.ready();
  // What a run or a session remembers lives in its own process, and a rule for always belongs to the project of the call.
  const options = { by, groups: values.group ?? [], remember: [], ...(port === undefined ? {} : { port }) };
  await using inbox = await serveInbox(gate, options).catch((error: unknown) => {
    throw InvalidConfigError.isInstance(error) && isTaken(error)
      ? new Ended(Exit.failure, `port ${port} is taken: name another one with --port`, 'ERR_PORT_TAKEN')
      : error;
  });
  const tell = async (): Promise<void> => {
    const url = inbox.link();
    if (values.json === true) await printJson({ type: 'link', url, port: inbox.port });
    else await print(url);
  };
  if (values.json !== true)
    await print(`The inbox of ${oneLine(by)}. This link opens it once; Enter makes another one, Ctrl+C ends it.`);
  await tell();
  void (async () => {
    for await (const _ of linesOf(process.stdin)) await tell();
  })();
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  return Exit.ok;
}

const isTaken = ({ cause }: InvalidConfigError): boolean => (cause as { code?: unknown })?.code === 'EADDRINUSE';
