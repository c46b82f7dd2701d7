/** The helpers of `definePolicy`: a slip in one must not make a rule speak of more than it was written for, or of nothing. */
import { describe, expect, test } from 'vitest';
import { checkPolicy, definePolicy, fsGlob, shellGlob, urlPattern } from '../../ts/index.js';

const refused = (message: string) =>
  expect.objectContaining({
    code: 'ERR_INVALID_CONFIG',
    message: expect.stringContaining(message) as unknown,
  }) as Error;

const effectOf = async (rules: Parameters<typeof definePolicy>[0], toolName: string, args: object) =>
  (await checkPolicy(definePolicy(rules), { toolName, args })).effect;

describe('fsGlob', () => {
  test.each(['raed', 'READ', 'reads', '', true, 5, ['read'], { read: true }])(
    'an access that is %j does not open writes',
    (access) => {
      expect(() => fsGlob('/tmp/**', { access } as never)).toThrow(refused("access must be 'read' or 'write'"));
    },
  );

  test.each([undefined, null])('an access that is %s does not open writes', (access) => {
    expect(() => fsGlob('/tmp/**', { access } as never)).toThrow(refused(`access is ${access}`));
  });

  test.each([[[]], [undefined], [null], [''], [['/a', 5]], [[['/a']]]])(
    'patterns that are %j match nothing by mistake',
    (given) => {
      expect(() => fsGlob(given as never)).toThrow(refused('fsGlob'));
    },
  );

  test('read is not write, and left out it is both', async () => {
    const args = { path: '/tmp/a', content: 'x' };
    const write = (when: ReturnType<typeof fsGlob>) => effectOf([{ effect: 'allow', when }], 'write_file', args);
    expect(await write(fsGlob('/tmp/**', { access: 'read' }))).toBe('deny');
    expect(await write(fsGlob(['/tmp/**'], { access: 'write' }))).toBe('allow');
    expect(await write(fsGlob('/tmp/**'))).toBe('allow');
  });
});

describe.each([
  ['shellGlob', shellGlob],
  ['urlPattern', urlPattern],
])('%s', (name, helper) => {
  test('a list is not taken for the words of one command: a deny for each of them would never fire', () => {
    expect(() => helper(['git push', 'rm **'] as never)).toThrow(
      refused(`${name}('…', '…'), and ...patterns for a list`),
    );
  });

  test.each([[[undefined]], [[null]], [['a', 5]], [[]]])('called with %j', (patterns) => {
    expect(() => helper(...(patterns as never[]))).toThrow(refused(`${name} takes one text or several`));
  });
});

test('several commands are each denied', async () => {
  const rules = [
    { effect: 'deny', when: shellGlob('git push', 'rm **') },
    { effect: 'allow', tools: '*' },
  ] as const;
  for (const command of ['git push', 'rm -rf /tmp/x'])
    expect(await effectOf(rules, 'execute', { command }), command).toBe('deny');
});
