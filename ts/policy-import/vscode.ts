/**
 * VS Code's `chat.tools.terminal.autoApprove`: keys are beginnings of commands or `/expressions/`, `true` approves, `false` asks,
 * and what asks is stronger.
 */
import { PolicyDraft } from './draft.js';
import { isTrue, membersOf, objectOf, writtenOf, type Member } from './json.js';
import { narrowExpression, wideExpression } from './regex.js';
import type { ForeignRule } from './rules.js';
import { ImportFault, NOWHERE, trimmed, wordsOf, type SourceText } from './text.js';
import { beginningPattern } from './words.js';

const APPROVE = 'chat.tools.terminal.autoApprove';
const ENABLE = 'chat.tools.terminal.enableAutoApprove';
/** What the names of settings hold that ask or refuse by themselves. */
const GUARDS = ['denyList', 'block', 'deny', 'restrict'];

/** Reads the settings, or the map alone. */
export function readVscode(source: SourceText): PolicyDraft {
  const draft = new PolicyDraft('strictest');
  readMembers(draft, source);
  if (draft.allows) {
    const why =
      "the editor's own rules ask for some uses of what is allowed here (`find -delete`, `sed -i`): they stand in no file; " +
      'write asks for what must not run';
    draft.dropped({ what: 'rules out of the box', at: NOWHERE }, why);
  }
  return draft;
}

function readMembers(draft: PolicyDraft, source: SourceText): void {
  const members = objectOf(source);
  const isSettings = members.length === 0 || members.some(({ name }) => isSetting(name));
  if (!isSettings) {
    readRules(draft, source, members, true);
    return;
  }
  const off = members.some(({ name, node }) => name === ENABLE && node.kind === 'flag' && !node.flag);
  for (const { name, node, at } of members) {
    if (name === APPROVE) {
      if (node.kind !== 'table') throw new ImportFault(`\`${APPROVE}\` must be an object: \`{ … }\``, at);
      readRules(draft, source, membersOf(source, node.entries), !off);
    } else if (name !== ENABLE && isSetting(name)) {
      // Names change and old ones go on counting: each setting that is not read is told, under any name.
      const why = GUARDS.some((guard) => name.includes(guard))
        ? 'it is not read: set up again what it asks for'
        : 'it is not read: what it approves, asks for or refuses must be written as rules';
      draft.dropped({ what: name, at }, why);
    }
  }
}

/** Whether it is a setting of the editor's agents. */
const isSetting = (name: string): boolean => name.startsWith('chat.') || name.startsWith('github.copilot.');

function readRules(draft: PolicyDraft, source: SourceText, members: readonly Member[], on: boolean): void {
  for (const member of members) {
    const { name, node, at } = member;
    const what = `${name}: ${writtenOf(source, node)}`;
    // It only takes back a rule that is there out of the box.
    if (node.kind === 'null') draft.dropped({ what, at }, 'it takes back a rule that is not imported');
    else {
      const { approve, wholeLine } = approvalOf(source, member);
      const foreign = { what, at, effect: approve ? 'allow' : 'ask' } as const;
      if (approve && !on) draft.dropped(foreign, `\`${ENABLE}\` is off`);
      else if (approve && wholeLine) draft.dropped(foreign, 'it approves whole lines, whatever commands are in them');
      else readRule(draft, foreign, name);
    }
  }
}

function approvalOf(source: SourceText, { node, at }: Member): { approve: boolean; wholeLine: boolean } {
  if (node.kind === 'flag') return { approve: node.flag, wholeLine: false };
  if (node.kind !== 'table') throw new ImportFault('write true, false, null or { "approve": … }', at);
  const members = membersOf(source, node.entries);
  const flag = (name: string) => members.some((each) => each.name === name && isTrue(each.node));
  // Without `approve` it is as good as not there; what is not understood asks.
  return { approve: flag('approve'), wholeLine: flag('matchCommandLine') };
}

function readRule(draft: PolicyDraft, foreign: ForeignRule, key: string): void {
  const expression = /^\/(?<source>.*)\/(?<flags>[dgimsuvy]*)$/s.exec(key)?.groups;
  if (expression === undefined) {
    readBeginning(draft, foreign, trimmed(key));
    return;
  }
  const { source = '', flags = '' } = expression;
  const allow = foreign.effect === 'allow';
  // Some are held against whole lines; and the editor asks about more than an expression says (`--perl-regexp` for `-P`).
  const patterns = allow ? narrowExpression(source) : wideExpression(source, { flags, overLine: true });
  if (patterns !== undefined) for (const pattern of patterns) draft.commands(foreign, pattern);
  else if (!allow) draft.everyCommand(foreign);
  else {
    const why = 'this expression cannot be said with words: write out the commands that it means';
    draft.dropped(foreign, why);
  }
}

function readBeginning(draft: PolicyDraft, foreign: ForeignRule, written: string): void {
  if (written === '') {
    draft.dropped(foreign, 'it is empty and never matches');
    return;
  }
  // A path also matches with `./` before it and with the other slash.
  const isPath = /[/\\]/.test(wordsOf(written)[0] ?? '');
  const key = isPath ? written.replaceAll('\\', '/') : written;
  const endsInLetter = /[A-Za-z0-9_]$/.test(key);
  if (!endsInLetter && foreign.effect === 'allow') {
    draft.dropped(foreign, 'after its last sign a letter must follow there: write the commands out');
    return;
  }
  const end = endsInLetter ? 'boundary' : 'glued';
  draft.commands(foreign, beginningPattern(key, end));
  if (isPath && !/^[/.]/.test(key)) draft.commands(foreign, beginningPattern(`./${key}`, end));
}
