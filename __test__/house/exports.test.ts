/** What the declarations of an entry say is what it exports, no more and no less. `api.test-d.ts` compares the types. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { declarationsOf } from '../support/declarations.js';

const root = join(import.meta.dirname, '../..');

/** Names of the values (not the types) that a declaration file exports. */
function declaredValues(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const names = code.matchAll(
    /^export\s+declare\s+(?:abstract\s+)?(?:async\s+)?(?:function|class|const|let|var|enum)\s+([\w$]+)/gm,
  );
  return [...new Set([...names].map(([, name]) => name!))].toSorted();
}

describe.each([
  ['index.d.ts', 'dist/index.js', () => import('../../ts/index.js'), 10],
  ['agent.d.ts', 'dist/agent.js', () => import('../../ts/agent/index.js'), 5],
  ['acp.d.ts', 'dist/acp.js', () => import('../../ts/protocols/acp.js'), 2],
  ['mcp.d.ts', 'dist/mcp.js', () => import('../../ts/protocols/mcp.js'), 3],
  ['inbox.d.ts', 'dist/inbox.js', () => import('../../ts/inbox/index.js'), 2],
  ['react.d.ts', 'dist/react.js', () => import('../../ts/react/index.js'), 2],
  ['webhooks.d.ts', 'dist/webhooks.js', () => import('../../ts/webhooks/index.js'), 4],
] as const)('%s', (declarations, compiled, sources, atLeast) => {
  const source = declarationsOf(declarations);

  test('declares each value on its own', () => {
    // The forms below would not be seen by `declaredValues`.
    expect(source).not.toMatch(/^export\s+(default|\{|\*|=)/m);
    expect(declaredValues(source).length).toBeGreaterThan(atLeast);
  });

  test('is what the compiled package exports', async () => {
    const { default: _, ...exported } = (await import(join(root, compiled))) as Record<string, unknown>;
    expect(_, 'no default export').toBeUndefined();
    expect(Object.keys(exported).toSorted()).toEqual(declaredValues(source));
  });

  test('and what the sources do', async () => {
    expect(Object.keys(await sources()).toSorted()).toEqual(declaredValues(source));
  });
});
