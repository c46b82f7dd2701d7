/** Codex' rules: beginnings of commands, word by word; the strictest that matches decides. */
import { isHost } from './claude.js';
import { PolicyDraft } from './draft.js';
import type { ForeignRule } from './rules.js';
import { callsOf, type StarlarkCall, type StarlarkValue } from './starlark.js';
import { ImportFault, trimmed, wordsOf, type Place, type SourceText } from './text.js';
import { textToken, type Token } from './words.js';

const READERS: Readonly<Record<string, (draft: PolicyDraft, call: StarlarkCall) => void>> = {
  prefix_rule: prefixRule,
  host_executable: hostExecutable,
  network_rule: networkRule,
};

/** Reads a file of rules. */
export function readCodex(source: SourceText): PolicyDraft {
  const draft = new PolicyDraft('strictest');
  for (const call of callsOf(source)) {
    const read = Object.hasOwn(READERS, call.name) ? READERS[call.name] : undefined;
    if (read === undefined) {
      const message = `\`${call.name}\` is not known; write prefix_rule, host_executable or network_rule`;
      throw new ImportFault(message, call.at);
    }
    read(draft, call);
  }
  return draft;
}

function prefixRule(draft: PolicyDraft, call: StarlarkCall): void {
  only(call, ['pattern', 'decision', 'justification', 'match', 'not_match']);
  const given = argument(call, 'pattern');
  if (given === undefined || typeof given.value === 'string' || given.value.length === 0)
    throw new ImportFault('`pattern` must be a list of words: `["git", "status"]`', call.at);
  const { at } = given;
  const pattern = given.value.map((word) => tokenOf(word, at));
  const decision = textOf(call, 'decision');
  const effect = decision === undefined ? 'allow' : effectOf(decision);
  const reason = textOf(call, 'justification');
  if (reason !== undefined && trimmed(reason.text) === '')
    throw new ImportFault('the justification is empty; write one, or none', reason.at);
  checkExamples(call, 'match', pattern, true);
  checkExamples(call, 'not_match', pattern, false);
  draft.tokens({ what: call.source, at: call.at, effect, reason: reason?.text }, pattern);
}

function tokenOf(word: StarlarkValue, at: Place): Token {
  if (typeof word === 'string') return textToken(word);
  const texts = word.filter((each) => typeof each === 'string');
  if (texts.length === 0 || texts.length < word.length)
    throw new ImportFault('a word of a pattern must be a text or a list of texts', at);
  return { kind: 'oneOf', texts };
}

function effectOf({ text, at }: { text: string; at: Place }): ForeignRule['effect'] {
  switch (text) {
    case 'allow':
      return 'allow';
    case 'prompt':
      return 'ask';
    case 'forbidden':
    case 'deny':
      return 'deny';
    default:
      throw new ImportFault('the decision must be `allow`, `prompt` or `forbidden`', at);
  }
}

/** Whether the file's own examples hold. There it does not load otherwise, and here it is not imported. */
function checkExamples(call: StarlarkCall, name: string, pattern: readonly Token[], expected: boolean): void {
  const examples = argument(call, name);
  if (examples === undefined) return;
  if (typeof examples.value === 'string') throw new ImportFault(`\`${name}\` must be a list of commands`, examples.at);
  for (const example of examples.value) {
    // Quotes in an example are for Codex to judge.
    if (typeof example === 'string' && /["'\\]/.test(example)) continue;
    const words = typeof example === 'string' ? wordsOf(example) : example.filter((word) => typeof word === 'string');
    const matches = words.length >= pattern.length && pattern.every((token, index) => isWord(token, words[index]));
    if (matches === expected) continue;
    const does = matches ? 'matches' : 'does not match';
    throw new ImportFault(`the rule ${does} its example \`${words.join(' ')}\` of \`${name}\``, examples.at);
  }
}

function isWord(token: Token, word: string | undefined): boolean {
  if (word === undefined) return false;
  if (token.kind === 'text') return token.text === word;
  return token.kind === 'oneOf' && token.texts.includes(word);
}

function hostExecutable(draft: PolicyDraft, call: StarlarkCall): void {
  only(call, ['name', 'paths']);
  const name = textOf(call, 'name')?.text ?? '';
  if (name === '' || /[/\\]/.test(name))
    throw new ImportFault('`name` must be the name of a program, without a directory', call.at);
  const paths = argument(call, 'paths');
  if (paths === undefined || typeof paths.value === 'string')
    throw new ImportFault('`paths` must be a list of absolute paths', call.at);
  const fits = (path: StarlarkValue) =>
    typeof path === 'string' && path.startsWith('/') && path.slice(path.lastIndexOf('/') + 1) === name;
  if (!paths.value.every(fits))
    throw new ImportFault(`each of \`paths\` must be absolute and end in \`/${name}\``, paths.at);
  draft.stricter(
    { what: call.source, at: call.at },
    'allows are for the name as it is written: write rules for the paths; asks and denies bite every path',
  );
}

function networkRule(draft: PolicyDraft, call: StarlarkCall): void {
  only(call, ['host', 'protocol', 'decision', 'justification']);
  const host = textOf(call, 'host')?.text ?? '';
  if (!isHost(host) || host.includes('*'))
    throw new ImportFault('`host` must be the name of one host, without `*`', call.at);
  const decision = textOf(call, 'decision');
  if (decision === undefined) throw new ImportFault('`decision` is missing', call.at);
  const effect = effectOf(decision);
  const reason = textOf(call, 'justification')?.text;
  const foreign = { what: call.source, at: call.at, effect, reason };
  if (effect !== 'allow') draft.rule(foreign, { urls: [host] });
  else {
    const why = 'it opens the network to commands in a sandbox; for tools that fetch, write a rule with `urls`';
    draft.dropped(foreign, why);
  }
}

function only(call: StarlarkCall, known: readonly string[]): void {
  const unknown = call.arguments.find(({ name }) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ImportFault(`\`${unknown.name}\` is not known; write ${known.join(', ')}`, unknown.at);
}

const argument = (call: StarlarkCall, name: string): StarlarkCall['arguments'][number] | undefined =>
  call.arguments.find((each) => each.name === name);

function textOf(call: StarlarkCall, name: string): { text: string; at: Place } | undefined {
  const given = argument(call, name);
  if (given === undefined) return undefined;
  if (typeof given.value === 'string') return { text: given.value, at: given.at };
  throw new ImportFault(`\`${name}\` must be a text`, given.at);
}
