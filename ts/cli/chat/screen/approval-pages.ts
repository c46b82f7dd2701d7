/** Pages about a call that take the whole screen: all of it, and the keys. */
import type { PolicyAction } from '../../../../index.js';
import { agentLine, shownArgs } from '../../../gate/agent-reason.js';
import { againLine } from '../../../gate/asked-again.js';
import { saidBeside } from '../../../gate/own-words.js';
import { startedFirst } from '../../../gate/stands-out.js';
import { count } from '../../print.js';
import { oneLine, style } from '../../style.js';
import { callView } from './call-lines.js';
import { choicesOf, type ApprovalAsk } from './choices.js';
import { hanging, pieces, wrap } from './layout.js';
import { wholeLines } from './whole.js';

/** What the tool says of the call; what is made of the call itself, or says why it asks, is seen anyway. */
export const saysOf = ({ request, why }: ApprovalAsk): string => saidBeside(request, why);

/** Everything about a call: more than there is room for where it is asked about. */
export function wholePage(ask: ApprovalAsk, width: number): string[] {
  const { request, from, why, warnings, dangers, always } = ask;
  const field = (name: string, text: string): string[] =>
    text === '' ? [] : hanging(name.padEnd(9), wrap(oneLine(text), width - 9), 'dim');
  const view = callView(ask, width).lines;
  const { first, others } = startedFirst([...dangers, ...warnings]);
  const changes = request.changes.map(({ path, added, removed }) => `${path}: +${added} -${removed}`);
  return [
    ...first.flatMap((each) => field('beware', each)),
    ...field('again', againLine(request) ?? ''),
    ...field('from', from),
    ...field('why', why),
    ...field('says', saysOf(ask)),
    ...field('agent', agentLine(request) ?? ''),
    ...others.flatMap((each) => field('beware', each)),
    ...changes.flatMap((change) => field('changes', change)),
    '',
    ...view,
    ...(request.changes.length > 0 ? argumentsOf(ask, view, width) : []),
    ...wholeLines(request, width),
    '',
    ...partsOf(ask, width),
    ...field(
      'always',
      always === null ? 'not possible: it would allow too much, or would not match again' : always.label,
    ),
    ...field('may be', request.allowedDecisions.join(', ')),
    ...field('call', callOf(request)),
    ...field('run', request.runId),
    ...field('asked', new Date(request.createdAt).toISOString()),
    ...field('digest', request.digest),
  ];
}

/** Arguments that the view of the call does not show: what takes no line of its own there. */
function argumentsOf({ request }: ApprovalAsk, view: readonly string[], width: number): string[] {
  const args = shownArgs(request);
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return [];
  const short = Object.entries(args).filter(
    ([name, value]) =>
      typeof value !== 'object' &&
      !(typeof value === 'string' && (value.length > 80 || value.includes('\n'))) &&
      name !== '',
  );
  const lines = short.map(([name, value]) => `│ ${oneLine(name)}: ${oneLine(String(value))}`);
  const left = lines.filter((line) => !view.includes(line));
  if (left.length === 0) return [];
  return ['', style('dim', 'its short arguments'), ...left.flatMap((line) => pieces(line, width, '│ ↪ '))];
}

/** What the rules say of each part of it, the strictest first. */
function partsOf({ request: { verdict } }: ApprovalAsk, width: number): string[] {
  if (verdict === null || verdict.actions.length === 0) return [];
  const order = { deny: 0, ask: 1, allow: 2 } as const;
  const sorted = verdict.actions.toSorted((one, other) => order[one.effect] - order[other.effect]);
  const lines = sorted.flatMap((action) => {
    const { effect, rule } = action;
    const place = rule === null ? '' : ` (${oneLine(rule.source)}${rule.line === null ? '' : `:${rule.line}`})`;
    const how = effect === 'allow' ? 'green' : effect === 'ask' ? 'yellow' : 'red';
    const label = `${WORDS[effect]}  `;
    return hanging(label, wrap(`${inWords(action)}${place}`, width - label.length), how);
  });
  const more = verdict.more === undefined ? [] : [`and ${count(verdict.more, 'part')} more`];
  return [style('dim', 'what the rules say of its parts'), ...lines, ...more, ''];
}

const WORDS = { deny: 'denied ', ask: 'asks   ', allow: 'allowed' } as const;

function inWords(action: PolicyAction): string {
  switch (action.kind) {
    case 'command':
      return `runs ${oneLine(action.text)}`;
    case 'read':
      return `reads ${oneLine(action.path ?? action.text)}`;
    case 'write':
      return `writes ${oneLine(action.path ?? action.text)}`;
    case 'url':
      return `opens ${oneLine(action.url ?? action.text)}`;
    case 'env':
      return `sets ${oneLine(action.name)}`;
    case 'tool':
      return `calls ${oneLine(action.name)}`;
    case 'unknown':
      return `cannot be proven: ${oneLine(action.reason)}`;
  }
}

/** Which call of the run it is. */
const callOf = ({ toolCallId, step }: ApprovalAsk['request']): string =>
  step === null ? toolCallId : `${toolCallId} (step ${step})`;

export function helpPage(ask: ApprovalAsk, width: number): string[] {
  const line = (key: string, help: string): string[] => hanging(`${key.padEnd(8)}`, wrap(help, width - 8), 'bold');
  return [
    ...choicesOf(ask, { of: 'call' }).flatMap(({ key, help }) => line(key, help)),
    ...line('arrows', 'Move the cursor; so does the letter of a choice, or its number, where nothing is written.'),
    ...line('Enter', 'Chooses the entry at the cursor. Nothing is decided before.'),
    ...line(
      'words',
      'y, yes and ok mean yes. Any other words are the reason for a no, when you press Enter. Pasted words are a reason, too.',
    ),
    ...line(
      'space',
      'On an empty line: more of the call, where not all of it fits. It cannot be approved before all of it was seen.',
    ),
    ...line(
      'Tab',
      'The next of several calls that wait together. A no is given at once. A yes can be changed, and is given once all have an answer.',
    ),
    ...line('Esc', 'Empties the line, or goes back. It decides nothing.'),
    ...line('Ctrl+C', 'Once: cancel the run, with all that waits. Twice: leave.'),
  ];
}
