/**
 * Never looser: random rules and random commands, judged by a small reading of the foreign semantics and by what was imported.
 * Where theirs asks or denies, ours must not allow.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ForeignPolicyFormat, PolicyEffect } from '../../index.js';
import { checkPolicy, importPolicy } from '../../ts/index.js';
import { importDocument } from '../../ts/policy-import/index.js';
import { effort } from '../support/effort.js';
import { claude, FORMATS, imported, readBack } from './support.js';

// The same cases in each run.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 });

const runs = { numRuns: effort(15, 400) };

/**
 * What the imported policy says; what is refused allows nothing and loses nothing, so that it counts as a deny. The project is a
 * directory that does not exist.
 */
async function ours(format: ForeignPolicyFormat, text: string, toolName: string, args: object): Promise<PolicyEffect> {
  const imported = await importPolicy(format, text).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'ERR_POLICY_SYNTAX' });
  });
  if (imported === undefined) return 'deny';
  const { policy } = imported;
  const place = { cwd: '/no/project', project: '/no/project', home: '/no/home' };
  return (await checkPolicy(policy, { toolName, args }, place)).effect;
}

const ofLine = (format: ForeignPolicyFormat, text: string, commands: readonly string[]): Promise<PolicyEffect> =>
  ours(format, text, 'bash', { command: commands.join(' && ') });

const STRICTNESS = ['allow', 'ask', 'deny'] as const;
const rank = (effect: PolicyEffect): number => STRICTNESS.indexOf(effect);
const strictest = (effects: readonly PolicyEffect[]): PolicyEffect =>
  STRICTNESS[Math.max(...effects.map(rank))] ?? 'ask';
/** Of the rules that match the strictest, and without one an ask. */
const strictestOf = (rules: readonly { effect: PolicyEffect }[]): PolicyEffect =>
  rules.length === 0 ? 'ask' : strictest(rules.map(({ effect }) => effect));

/** `*` is any text, `?` any character. */
function wild(pattern: string, text: string): boolean {
  const [sign, ...rest] = pattern;
  const behind = rest.join('');
  if (sign === undefined) return text === '';
  if (sign === '*')
    return Array.from({ length: text.length + 1 }, (_, at) => text.slice(at)).some((end) => wild(behind, end));
  return text !== '' && (sign === '?' || text[0] === sign) && wild(behind, text.slice(1));
}

/** The same, where a blank and `*` at the end may be missing. */
const wildOrBare = (pattern: string, text: string): boolean =>
  wild(pattern, text) || (pattern.endsWith(' *') && wild(pattern.slice(0, -2), text));

const word = fc.constantFrom(
  'git',
  'gitk',
  'push',
  'push-all',
  'push:x',
  '-f',
  '-fx',
  'x',
  'npm',
  'run',
  '/usr/bin/git',
);
/** A word that the shell takes for one, with what patterns mean in it. */
const quoted = fc.constantFrom("'a git b'", '"x -f y"', "'push x'", '"a push"');
const argument = fc.oneof({ weight: 6, arbitrary: word }, { weight: 1, arbitrary: quoted });
const command = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const withQuotes = fc
  .tuple(word, fc.array(argument, { maxLength: 3 }))
  .map(([program, words]) => [program, ...words].join(' '));
const commandLine = fc.array(withQuotes, { minLength: 1, maxLength: 2 });

/** A pattern over the text of a command, made of the same words. */
const pattern = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: word },
      { weight: 1, arbitrary: word.map((each) => `${each}*`) },
      { weight: 2, arbitrary: word.map((each) => `*${each}`) },
      { weight: 1, arbitrary: word.map((each) => `*${each}*`) },
      { weight: 3, arbitrary: fc.constantFrom('*', 'g*t', '?') },
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.join(' '));

const effect = fc.constantFrom<PolicyEffect>('allow', 'allow', 'ask', 'deny');
const namesOf = (names: readonly string[]) =>
  fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((each) => each.join('/'));

const listed = (rules: readonly { effect: PolicyEffect; written: string }[]): string =>
  claude(
    Object.fromEntries(
      STRICTNESS.map((each) => [each, rules.filter(({ effect }) => effect === each).map(({ written }) => written)]),
    ),
  );

/** Nothing is allowed that is not allowed there. */
const notLooser = (theirs: PolicyEffect, got: PolicyEffect): void => {
  if (theirs !== 'allow') expect(got).not.toBe('allow');
};
const asStrict = (theirs: PolicyEffect, got: PolicyEffect): void =>
  expect(rank(got), `${theirs} there, ${got} here`).toBeGreaterThanOrEqual(rank(theirs));

test('commands of Claude Code', async () => {
  const rule = fc.record({ effect, pattern, colon: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 4 }), commandLine, async (rules, line) => {
      const ends = rules.map((each) => ({ ...each, colon: each.colon && !each.pattern.endsWith('*') }));
      const written = ends.map((each) => ({ ...each, written: `Bash(${each.pattern}${each.colon ? ':*' : ''})` }));
      const matches = (each: (typeof ends)[number], part: string) =>
        each.pattern === '*' || wildOrBare(each.colon ? `${each.pattern} *` : each.pattern, part);
      const theirs = strictest(line.map((part) => strictestOf(ends.filter((each) => matches(each, part)))));
      asStrict(theirs, await ofLine('claude-code', listed(written), line));
    }),
    runs,
  );
});

/** Whether a pattern that is anchored means this path or a directory above it. */
function ignores([name, ...rest]: readonly string[], path: readonly string[]): boolean {
  if (name === undefined) return true;
  if (name !== '**') return path.length > 0 && wild(name, path[0]!) && ignores(rest, path.slice(1));
  if (rest.length === 0) return path.length > 0;
  return Array.from({ length: path.length + 1 }, (_, at) => path.slice(at)).some((end) => ignores(rest, end));
}

test('paths of Claude Code', async () => {
  const rule = fc.record({
    effect,
    base: fc.constantFrom('/', './', '', '//no/project/'),
    glob: namesOf(['a', 'b', 'a.x', '*', '**', '*.x', 'a*']),
    end: fc.constantFrom('', '/'),
  });
  const paths = namesOf(['a', 'b', 'a.x', 'b.x']);
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 3 }), paths, async (rules, path) => {
      const written = rules.map((each) => ({ ...each, written: `Read(${each.base}${each.glob}${each.end})` }));
      const matching = rules.filter(({ base, glob, end }) => {
        const names = glob.split('/');
        // Without a slash in it, it means every directory below.
        const anchored = base === '' && names.length === 1 ? ['**', ...names] : names;
        // The directory itself is no file.
        return ignores(end === '/' ? [...anchored, '**'] : anchored, path.split('/'));
      });
      const theirs = strictestOf(matching);
      const got = await ours('claude-code', listed(written), 'read_file', { file_path: path });
      notLooser(theirs, got);
      if (theirs === 'deny') expect(got).toBe('deny');
    }),
    runs,
  );
});

test('rules of Codex', async () => {
  const decisions = { allow: 'allow', ask: 'prompt', deny: 'forbidden' };
  const words = fc.array(fc.array(word, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 });
  const rule = fc.record({ effect, words });
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 4 }), commandLine, async (rules, line) => {
      const text = rules.map(({ effect, words }) => {
        const pattern = words.map((any) => (any.length === 1 ? `'${any[0]}'` : JSON.stringify(any))).join(', ');
        return `prefix_rule(pattern = [${pattern}], decision = "${decisions[effect]}")\n`;
      });
      const theirs = line.map((part) => {
        const given = part.split(' ');
        const matches = (words: string[][]) =>
          words.length <= given.length && words.every((any, at) => any.includes(given[at]!));
        return strictestOf(rules.filter(({ words }) => matches(words)));
      });
      asStrict(strictest(theirs), await ofLine('codex', text.join(''), line));
    }),
    runs,
  );
});

test('beginnings of commands of Gemini CLI', async () => {
  const decisions = { allow: 'allow', ask: 'ask_user', deny: 'deny' };
  const rule = fc.record({ effect, priority: fc.nat(4), command, regex: fc.boolean() });
  // Which of two that are equally strong decides is not said: they differ here.
  const some = fc.uniqueArray(rule, { minLength: 1, maxLength: 4, selector: ({ priority }) => priority });
  await fc.assert(
    fc.asyncProperty(some, commandLine, async (rules, line) => {
      const text = rules.map(
        ({ effect, priority, command, regex }) =>
          `[[rule]]\ntoolName = 'run_shell_command'\n${regex ? 'commandRegex' : 'commandPrefix'} = '${command}'\n` +
          `decision = '${decisions[effect]}'\npriority = ${priority}\n`,
      );
      const strongest = rules.toSorted((one, other) => other.priority - one.priority);
      const theirs = line.map((part) => {
        const decides = strongest.find(({ command, regex }) => {
          const rest = part.slice(command.length);
          return part.startsWith(command) && (regex || rest === '' || rest.startsWith(' '));
        });
        return decides?.effect ?? 'ask';
      });
      asStrict(strictest(theirs), await ofLine('gemini-cli', text.join(''), line));
    }),
    runs,
  );
});

/** What people write of expressions, made of the same words. */
const expression = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: word },
      { weight: 3, arbitrary: fc.constantFrom('.*', '\\s+', ' ', '\\b', '(git|npm)', '[gG]it', '-?', 'x+', '.', '|') },
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(''));

test('a deny by an expression of Gemini CLI is not lost', async () => {
  await fc.assert(
    fc.asyncProperty(expression, fc.boolean(), commandLine, async (regex, capitals, line) => {
      const written = capitals ? `.*(?i)${regex}` : regex;
      const text =
        "[[rule]]\ntoolName = 'run_shell_command'\ndecision = 'allow'\n" +
        `[[rule]]\ntoolName = 'run_shell_command'\ncommandRegex = '''${written}'''\ndecision = 'deny'\npriority = 9\n`;
      const said = capitals ? `.*(?:${regex})` : regex;
      const tested = new RegExp(`"command":"${said}`, capitals ? 'i' : '');
      const command = line.join(' && ');
      const texts = [command, ...line].map((each) => JSON.stringify({ command: each }));
      const theirs = texts.some((each) => tested.test(each)) ? 'deny' : 'allow';
      asStrict(theirs, await ours('gemini-cli', text, 'bash', { command }));
    }),
    runs,
  );
});

const patterns = (rules: readonly { pattern: string; effect: PolicyEffect }[]): string =>
  `{ ${rules.map(({ pattern, effect }) => `"${pattern}": "${effect}"`).join(', ')} }`;

test('commands of opencode', async () => {
  const rules = fc.uniqueArray(fc.record({ effect, pattern }), {
    minLength: 1,
    maxLength: 5,
    selector: (rule) => rule.pattern,
  });
  await fc.assert(
    fc.asyncProperty(rules, commandLine, async (rules, line) => {
      const text = `{ "permission": { "bash": ${patterns(rules)} } }`;
      const last = (part: string) => rules.findLast(({ pattern }) => wildOrBare(pattern, part))?.effect ?? 'ask';
      const theirs = strictest(line.map(last));
      asStrict(theirs, await ofLine('opencode', text, line));
    }),
    runs,
  );
});

test('paths of opencode', async () => {
  const glob = namesOf(['a', 'b', 'a.x', '*', '**', '*.x', 'a*', '?']);
  const rules = fc.uniqueArray(fc.record({ effect, pattern: glob }), {
    minLength: 1,
    maxLength: 4,
    selector: (rule) => rule.pattern,
  });
  await fc.assert(
    fc.asyncProperty(rules, namesOf(['a', 'b', 'a.x', 'b.x']), async (rules, path) => {
      const text = `{ "permission": { "edit": ${patterns(rules)} } }`;
      const theirs = rules.findLast(({ pattern }) => wild(pattern, path))?.effect ?? 'ask';
      const got = await ours('opencode', text, 'edit_file', { file_path: path });
      notLooser(theirs, got);
      if (theirs === 'deny') expect(got).toBe('deny');
    }),
    runs,
  );
});

test('keys of VS Code', async () => {
  const rules = fc.uniqueArray(fc.record({ key: command, approve: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
    selector: ({ key }) => key,
  });
  const isLetter = (character: string | undefined) =>
    character !== undefined && /[\p{Alphabetic}\p{N}_]/u.test(character);
  await fc.assert(
    fc.asyncProperty(rules, commandLine, async (rules, line) => {
      const theirs = line.map((part): PolicyEffect => {
        const has = (approve: boolean) =>
          rules.some((rule) => {
            const text = rule.key.includes('/') ? part.replace(/^\.\//, '') : part;
            if (rule.approve !== approve || !text.startsWith(rule.key)) return false;
            // As `\b` has it, between a letter and anything else.
            return isLetter(rule.key.at(-1)) !== isLetter(text[rule.key.length]);
          });
        return has(true) && !has(false) ? 'allow' : 'ask';
      });
      const map = Object.fromEntries(rules.map(({ key, approve }) => [key, approve]));
      const text = JSON.stringify({ 'chat.tools.terminal.autoApprove': map });
      notLooser(strictest(theirs), await ofLine('vscode', text, line));
    }),
    runs,
  );
});

/** Imports it and reads back what is written of it, unless it is refused, which is no crash. */
function tryImport(format: ForeignPolicyFormat, text: string): void {
  try {
    importDocument(format, text, 'theirs');
    readBack(imported(format, text));
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^ERR_POLICY_/) });
  }
}

test('no text crashes it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
      for (const format of FORMATS) tryImport(format, text);
    }),
    runs,
  );
});

test('no rule crashes it, and what is written of it reads back', () => {
  const sign = fc.constantFrom(...`ABCxyz*?(){}[]|^$\\/~!:. +"'-`);
  fc.assert(
    fc.property(fc.string({ unit: sign, maxLength: 24 }), (rule) => {
      // What is called by an empty name is refused, by the core.
      for (const list of ['allow', 'deny'])
        for (const each of [`Bash(${rule})`, `Read(${rule})`, rule])
          tryImport('claude-code', claude({ [list]: [each] }));
      const permission = { bash: { [rule]: 'deny' }, read: { [rule]: 'allow' } };
      tryImport('opencode', JSON.stringify(permission));
      tryImport('vscode', JSON.stringify({ [rule]: true, [`/${rule}/`]: false, x: true }));
      tryImport('gemini-cli', `[[rule]]\ndecision='deny'\ncommandRegex='''${rule}'''`);
      tryImport('codex', rule);
    }),
    runs,
  );
});
