/** Each host that a confined command connects to, put to the one who answers for the run. */
import type { NetworkAnswer, NetworkTarget } from '../../../index.js';
import { isOneHost, kindOfHost } from '../../confine/addresses.js';
import { isListed } from '../../confine/confine.js';
import { currentCaller, type ServerCaller } from '../../gate/caller.js';
import { mayMeanwhile } from '../../gate/requesting.js';
import { denialOf } from './denial.js';
import type { Confinement } from './settings.js';

/** The tool that stands for connections: rules with `urls` are about it. */
export const NETWORK = 'network';

/** How many hosts of one command are put to a human. */
const MOST_ASKED = 20;
/** How much of a command is shown beside the host. */
const LONGEST = 200;

type Connect = (
  target: NetworkTarget & { listed: boolean },
  options: { abortSignal: AbortSignal },
) => Promise<NetworkAnswer>;

/** To be called where the call of the tool is: the one who answers for it is known there. */
export function connecting(command: string, confinement: Confinement | undefined, allowed: readonly string[]): Connect {
  const caller = currentCaller();
  const places = new QuestionPlaces(MOST_ASKED);
  return async ({ url, host, port, where, follows, listed }, { abortSignal }) => {
    if (follows !== null) return denialOfAddress(caller, url, abortSignal);
    const denial = await denialOfHost({ url, where }, confinement, caller, abortSignal);
    if (!denial.allowed) return denial;
    if (caller === undefined) return listed ? ALLOWED : denied('Nobody is there to be asked about it.');
    // A human said yes to this host with the command, perhaps by a pattern, and not to what the policies deny.
    const meant = meaning(allowed, where);
    if (meant.length > 0 && isListed(meant, url)) return ALLOWED;
    if (!(await places.enter())) return denied(`This command asked about more than ${MOST_ASKED} hosts.`);
    const args = { url, command: shortened(command), ...(where === null ? {} : { where }) };
    let answer: NetworkAnswer = denied('It could not be asked about.');
    try {
      answer = await mayMeanwhile(
        caller,
        {
          toolName: NETWORK,
          args,
          description: `A command wants to connect to ${nameOf(host, port)}${where === null ? '' : ` (${where})`}: ${args.command}`,
          allowedDecisions: ['approve', 'reject'],
          isNamed: listed,
        },
        abortSignal,
      );
    } finally {
      places.leave(!answer.allowed);
    }
    return answer;
  };
}

/**
 * Whether a human may be asked about a host that a sandbox refused: it is one, and no pattern, and the policies do not deny it. To be
 * called where the call of the tool is.
 */
export async function mayBeAskedFor(
  target: string,
  confinement: Confinement,
  abortSignal: AbortSignal,
): Promise<boolean> {
  const caller = currentCaller();
  for (const scheme of ['https', 'http']) {
    const url = URL.canParse(`${scheme}://${target}/`) ? new URL(`${scheme}://${target}/`) : undefined;
    const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
    if (url === undefined || url.username !== '' || !isOneHost(host)) return false;
    // The scheme is not told: a list of hosts may have it by either one.
    if ((await denialOfHost({ url: url.href, where: kindOfHost(host) }, confinement, caller, abortSignal)).allowed)
      return true;
  }
  return false;
}

/** What the policies say against it: to that no human can say yes. */
async function denialOfHost(
  { url, where }: Pick<NetworkTarget, 'url' | 'where'>,
  confinement: Confinement | undefined,
  caller: ServerCaller | undefined,
  signal: AbortSignal,
): Promise<NetworkAnswer> {
  const networks = [...((await confinement?.networks()) ?? []), ...((await caller?.asker.networks()) ?? [])];
  const isOutside = ({ none, hosts }: (typeof networks)[number]) =>
    none || hosts.some((list) => !isListed(meaning(list, where), url));
  if (networks.some(isOutside)) return denied('The policies let it connect to other hosts, or to none.');
  return denialOfAddress(caller, url, signal);
}

/** Those of a list that may mean it. A pattern is about the internet: this machine and its network must be named. */
const meaning = (list: readonly string[], where: string | null): readonly string[] =>
  where === null ? list : list.filter((pattern) => !pattern.includes('*'));

/** What the policies deny by any scheme: traffic through a tunnel cannot be inspected. */
async function denialOfAddress(
  caller: ServerCaller | undefined,
  url: string,
  signal: AbortSignal,
): Promise<NetworkAnswer> {
  if (caller === undefined) return ALLOWED;
  const rest = url.replace(/^\w+:/, '');
  for (const each of new Set([url, `http:${rest}`, `https:${rest}`])) {
    const why = await denialOf(caller, NETWORK, { url: each }, signal);
    if (why !== undefined) return denied(why);
  }
  return ALLOWED;
}

/** Limits how many questions of one command wait at once and how many may be refused, to spare the human. */
class QuestionPlaces {
  #free: number;
  #waiting: ((isIn: boolean) => void)[] = [];
  #taken = 0;

  constructor(most: number) {
    this.#free = most;
  }

  /** Whether there is one, or comes to be. */
  async enter(): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      this.#taken += 1;
      return true;
    }
    if (this.#taken === 0) return false;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** A refused connection takes the place along. */
  leave(isRefused: boolean): void {
    this.#taken -= 1;
    if (!isRefused) this.#free += 1;
    const next = this.#free > 0 ? this.#waiting.shift() : undefined;
    if (next !== undefined) {
      this.#free -= 1;
      this.#taken += 1;
      next(true);
    } else if (this.#taken === 0) for (const each of this.#waiting.splice(0)) each(false);
  }
}

const ALLOWED: NetworkAnswer = { allowed: true, reason: null };
const denied = (reason: string): NetworkAnswer => ({ allowed: false, reason });

const shortened = (command: string): string =>
  command.length <= LONGEST ? command : `${command.slice(0, LONGEST).toWellFormed()}…`;

const nameOf = (host: string, port: number): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);
