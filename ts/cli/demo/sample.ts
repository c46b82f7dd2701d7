/** The small project that the demo works on, by the paths of its files. */
export const SAMPLE: Readonly<Record<string, string>> = {
  '.countersign/policy.toml': `# What no agent may do in this project.
version = 1

[[rule]]
effect = "deny"
reads  = ["\${project}/.env"]
reason = "keys stay with people"

[[rule]]
effect   = "deny"
commands = ["git push", "npm publish"]
reason   = "releases are made by people"

[[rule]]
effect   = "ask"
commands = ["rm"]
reason   = "what is deleted is gone"

[[rule]]
effect   = "ask"
commands = ["curl", "wget"]
reason   = "what is fetched is not ours"
`,
  '.env': 'GREETINGS_KEY=not-a-real-key\n',
  'README.md': `# greetings

Says hello in a few languages.

    import { greet } from './src/greet.js';
    greet('Ada', 'de'); // Hallo, Ada!
`,
  'package.json': `{
  "name": "greetings",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": {
    "test": "node --test"
  }
}
`,
  'src/greet.js': `const words = { en: 'Hello', de: 'Hallo', fr: 'Bonjour' };

/** A greeting for \`name\`; a language we do not know gets English. */
export function greet(name, language = 'en') {
  return \`\${words[language] ?? words.en}, \${name}!\`;
}
`,
  'test/greet.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from '../src/greet.js';

test('greets in the language asked for', () => {
  assert.equal(greet('Ada', 'fr'), 'Bonjour, Ada!');
});

test('an unknown language gets English', () => {
  assert.equal(greet('Ada', 'xx'), 'Hello, Ada!');
});
`,
};
