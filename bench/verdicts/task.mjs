// @ts-check
// The task of P3: what a list of prefix rules says of a short command line.
//
// A rule allows or denies every command that begins with its words. A line is denied when one of its commands is, allowed
// when all of them are, and asked about otherwise.

/** @typedef {'allow' | 'ask' | 'deny'} Effect */

/** @typedef {{ effect: 'allow' | 'deny', words: string[] }} PrefixRule */

/**
 * @typedef {object} Line
 * @property {string} text
 * @property {Effect} effect what the rules say of it
 * @property {string[][]} commands the words of each command in it, for contestants that read no shell
 */

/** What the lines meet. */
const met = `
allow git status
allow git log
allow git diff
deny  git push
allow npm test
allow npm run
allow cargo test
allow echo
deny  rm
deny  curl`;

/**
 * The rules that the lines meet, between others: of the same programs, and of programs of their own.
 *
 * @param {number} count at least 10
 * @returns {PrefixRule[]}
 */
export function rules(count) {
  const first = met
    .trim()
    .split('\n')
    .map((line) => line.split(/ +/));
  const others = Array.from({ length: count - first.length }, (_, index) => [
    index % 2 === 0 ? 'allow' : 'deny',
    ...[['git', `sub${index}`], ['npm', `task${index}`], [`tool${index}`], [`tool${index}`, 'run']][index % 4],
  ]);
  // What is met stands in the middle: neither a list that is walked from the front nor one from the back is favoured.
  const middle = others.length >> 1;
  return [...others.slice(0, middle), ...first, ...others.slice(middle)].map(([effect, ...words]) => ({
    effect: /** @type {'allow' | 'deny'} */ (effect),
    words,
  }));
}

/** @type {(text: string, effect: Effect, commands: string[]) => Line} */
const line = (text, effect, commands) => ({
  text,
  effect,
  commands: commands.map((command) => command.split(' ')),
});

/** None of them names a file: see `paths`. */
export const lines = [
  line('git status', 'allow', ['git status']),
  line('git status -s', 'allow', ['git status -s']),
  line('git log --oneline -5', 'allow', ['git log --oneline -5']),
  line('git diff --stat', 'allow', ['git diff --stat']),
  line('npm test', 'allow', ['npm test']),
  line('npm run build', 'allow', ['npm run build']),
  line('cargo test --workspace', 'allow', ['cargo test --workspace']),
  line('echo done', 'allow', ['echo done']),
  line('git push', 'deny', ['git push']),
  line('git push --force', 'deny', ['git push --force']),
  line('docker ps', 'ask', ['docker ps']),
  line('git statusx', 'ask', ['git statusx']),
  line('git commit -m "fix: a thing"', 'ask', ['git commit -m fix:_a_thing']),
  line("git log --format='%h %s'", 'allow', ['git log --format=%h_%s']),
  line('echo "a b" \'c d\'', 'allow', ['echo a_b c_d']),
  line("git 'status' -s", 'allow', ['git status -s']),
  line("echo 'git push; rm x'", 'allow', ['echo git_push;_rm_x']),
  line('git status && git diff', 'allow', ['git status', 'git diff']),
  line('npm run build && npm test && git status', 'allow', ['npm run build', 'npm test', 'git status']),
  line('echo start; npm test; echo end', 'allow', ['echo start', 'npm test', 'echo end']),
  line('npm test || echo failed', 'allow', ['npm test', 'echo failed']),
  line('npm test 2>&1', 'allow', ['npm test']),
  line('git log --oneline | wc -l', 'ask', ['git log --oneline', 'wc -l']),
  line('git diff | git status', 'allow', ['git diff', 'git status']),
  line('git status; git push', 'deny', ['git status', 'git push']),
  line('git status\ngit push', 'deny', ['git status', 'git push']),
  line('git status && docker ps', 'ask', ['git status', 'docker ps']),
  line('echo $(git push)', 'deny', ['echo $(git_push)', 'git push']),
  line('echo "$(git push)"', 'deny', ['echo $(git_push)', 'git push']),
  line('timeout 60 npm test', 'allow', ['npm test']),
  line('npm test &', 'allow', ['npm test']),
  line('(git status)', 'allow', ['git status']),
];

/** Lines that name files, which are looked at: `origin` may be a folder. */
export const paths = ['echo done > notes.txt', 'rm notes.txt', 'git diff notes.txt', 'git push --force origin main'];

/**
 * What a contestant answers differently, and which of that lets more through.
 *
 * @param {(line: Line) => Effect | Promise<Effect>} judge
 */
export async function compare(judge) {
  const strictness = ['allow', 'ask', 'deny'];
  let agrees = 0;
  /** @type {string[]} */
  const looser = [];
  for (const each of lines) {
    const says = await judge(each);
    if (says === each.effect) agrees++;
    else if (strictness.indexOf(says) < strictness.indexOf(each.effect)) looser.push(each.text);
  }
  return { agrees, looser, of: lines.length };
}

/** The strictest. @param {Effect[]} effects @returns {Effect} */
export function strictest(effects) {
  if (effects.includes('deny')) return 'deny';
  return effects.length > 0 && effects.every((effect) => effect === 'allow') ? 'allow' : 'ask';
}
