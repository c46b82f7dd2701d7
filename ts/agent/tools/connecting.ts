/** Each host that a confined command connects to, put to whoever answers for the run. */
import type { NetworkAnswer, NetworkTarget } from '../../../index.js';
import { isListed } from '../../confine/confine.js';
import { currentCaller } from '../../gate/caller.js';
import { mayMeanwhile } from '../../gate/requesting.js';
import { denialOf } from './denial.js';
import type { Confinement } from './settings.js';

/** The tool that stands for connections: rules with `urls` are about it. */
const TOOL = 'network';

/** How many hosts of one command are put to a human. */
const MOST_ASKED = 20;
/** How much of a command is shown beside the host. */
const LONGEST = 200;

type Connect = (
  target: NetworkTarget & { listed: boolean },
  options: { abortSignal: AbortSignal },
) => Promise<NetworkAnswer>;

/** To be called where the call of the tool is: whoever answers for it is known there. */
export function connecting(command: string, confinement: Confinement | undefined, allowed: readonly string[]): Connect {
  const caller = currentCaller();
  let asked = 0;
  return async ({ url, host, port, where, listed }, { abortSignal }) => {
    const networks = (await confinement?.networks()) ?? [];
    const isOutside = ({ none, hosts }: (typeof networks)[number]) =>
      none || hosts.some((list) => !isListed(list, url));
    if (networks.some(isOutside)) return denied('The policies let it connect to other hosts, or to none.');
    if (caller === undefined) return listed ? ALLOWED : denied('Nobody is there to be asked about it.');
    // A human said yes to this host with the command, perhaps by a pattern, and not to what the policies deny.
    if (allowed.length > 0 && isListed(allowed, url)) {
      const why = await denialOf(caller, TOOL, { url }, abortSignal);
      return why === undefined ? ALLOWED : denied(why);
    }
    if (asked >= MOST_ASKED) return denied(`This command asked about more than ${MOST_ASKED} hosts.`);
    const args = { url, command: shortened(command), ...(where === null ? {} : { where }) };
    const answer = await mayMeanwhile(
      caller,
      {
        toolName: TOOL,
        args,
        description: `A command wants to connect to ${nameOf(host, port)}${where === null ? '' : ` (${where})`}: ${args.command}`,
        allowedDecisions: ['approve', 'reject'],
        isNamed: listed,
      },
      abortSignal,
    );
    if (!answer.allowed) asked += 1;
    return answer;
  };
}

const ALLOWED: NetworkAnswer = { allowed: true, reason: null };
const denied = (reason: string): NetworkAnswer => ({ allowed: false, reason });

const shortened = (command: string): string =>
  command.length <= LONGEST ? command : `${command.slice(0, LONGEST).toWellFormed()}…`;

const nameOf = (host: string, port: number): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);
