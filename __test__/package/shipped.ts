/** What the package has in it, and nothing else. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export const MAY_SHIP =
  /^(package\.json|policy\.schema\.json|schemas\/[\w-]+\.schema\.json|(?:index|agent|acp|inbox|mcp|react|webhooks)\.d\.ts|types\/[\w-]+\.d\.ts|README\.md|llms\.txt|skills\/countersign\/SKILL\.md|docs\/[\w-]+\.md|docs\/(?:architecture|terminal\/session)\.svg|examples\/[\w./-]+(?<!tsconfig\.json)|man\/countersign\.1|registry\/[\w-]+\.(?:json|tsx)|CHANGELOG\.md|SECURITY\.md|LICENSE|THIRD-PARTY-NOTICES\.txt|binding\/[\w.-]+\.js|dist\/[\w./-]+(?<!\.test)\.js|dist\/inbox\/(?:index\.html|assets\/[\w-]+\.(?:js|css|svg)))$/;

export const mustShip = (): string[] => [
  'package.json',
  'policy.schema.json',
  ...readdirSync(join(root, 'schemas')).map((name) => `schemas/${name}`),
  ...exportedFiles(),
  ...readdirSync(join(root, 'types')).map((name) => `types/${name}`),
  'binding/binding.js',
  'llms.txt',
  'skills/countersign/SKILL.md',
  'man/countersign.1',
  'registry/approval-confirmation.json',
  'docs/terminal/session.svg',
  'docs/architecture.svg',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'examples/README.md',
  'examples/callback.mjs',
  'examples/start/serve.mjs',
  'dist/inbox/index.html',
  ...['core', 'cli', 'command', 'chat', 'demo', 'init', 'policy-import', 'screen', 'provider'].map(
    (name) => `dist/${name}.js`,
  ),
];

/** The files that stand behind the names in `exports`. */
function exportedFiles(): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | Record<string, string>>;
  };
  return (
    Object.values(manifest.exports)
      .flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)))
      .map((file) => file.replace(/^\.\//, ''))
      // A pattern stands for all that it fits.
      .filter((file) => !file.includes('*'))
  );
}
