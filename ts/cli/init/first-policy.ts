/** A first policy, made from what a project is: it allows what looks and what builds and tests, and asks about everything else. */
import type { Project } from './project.js';

/** Scripts whose names say that they build, test or check. */
const SCRIPTS = /^(?:test|build|lint|check|typecheck|type-check|types|tsc|format:check|compile)(?::[\w-]+)?$/;
/** The same with a part that changes more than the project. */
const FAR = /deploy|publish|release|prod|e2e|remote|fix/;

const RUNS: Readonly<Record<Project['manager'], string>> = {
  npm: 'npm run',
  pnpm: 'pnpm run',
  yarn: 'yarn run',
  bun: 'bun run',
};

/** Commands of languages, by the file that says that a project is written in one. */
const LANGUAGES: readonly (readonly [file: string, commands: readonly string[]])[] = [
  ['tsconfig.json', ['tsc --noEmit']],
  ['Cargo.toml', ['cargo build', 'cargo check', 'cargo test', 'cargo clippy']],
  ['go.mod', ['go build', 'go test', 'go vet']],
  ['pyproject.toml', ['pytest', 'ruff check', 'mypy']],
  ['deno.json', ['deno test', 'deno check', 'deno lint']],
];

const LOOKS = [
  'ls',
  'cat',
  'head',
  'tail',
  'wc',
  'grep',
  'rg',
  'find',
  'git status',
  'git log',
  'git diff',
  'git show',
];

/** @param tools of its agent, which ask */
export function firstPolicy(project: Project, tools: readonly string[] = []): string {
  const scripts = Object.keys(project.scripts).filter((name) => SCRIPTS.test(name) && !FAR.test(name));
  const runs = scripts.flatMap((name) => [
    ...(name === 'test' && project.manager !== 'bun' ? [`${project.manager} test`] : []),
    `${RUNS[project.manager]} ${name}`,
  ]);
  const builds = [...runs, ...LANGUAGES.flatMap(([file, commands]) => (project.has(file) ? commands : []))];
  return [
    `# What the agent of this project may do. Made by countersign, and yours from now on.
# Until you run \`npx countersign policy trust\`, and again after each change, its allow rules are ignored.
# To test a command: npx countersign policy explain 'npm test'
# The examples are checked each time the file is read; their paths belong to a project /project.
version = 1
default = "ask"

[[rule]]
effect   = "deny"
reads    = ["\${project}/**/.env", "\${project}/**/.env.*"]
reason   = "keys stay with people"
examples = { match = ["/project/.env"], not_match = ["/project/env.js"] }

[[rule]]
effect   = "allow"
commands = ${list(LOOKS)}
reads    = ["\${project}/**"]
reason   = "read-only"
examples = { match = ["git status"] }
`,
    builds.length === 0
      ? ''
      : `
# The scripts of package.json, and the tools of its languages, that build and test. They run the code of the project.
[[rule]]
effect   = "allow"
commands = ${list(builds)}
reads    = ["\${project}/**"]
reason   = "it builds and tests"
examples = { match = ${list(builds.slice(0, 1))} }
`,
    tools.length === 0
      ? ''
      : `
# The tools of the agent. Make a rule with effect = "allow" for those that only look.
[[rule]]
effect = "ask"
tools  = ${list(tools)}
reason = "changes something"
`,
  ].join('');
}

/** As TOML; long lists have a line for each. */
function list(texts: readonly string[]): string {
  const quoted = texts.map((text) => JSON.stringify(text));
  const line = `[${quoted.join(', ')}]`;
  return line.length <= 100 ? line : `[\n${quoted.map((text) => `  ${text},\n`).join('')}]`;
}
