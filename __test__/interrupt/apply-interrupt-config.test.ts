/** applyInterruptConfig: marks the tools that must be asked about, and touches nothing else. */
import { tool, type Tool, type ToolSet } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  InvalidConfigError,
  UnknownToolError,
  applyInterruptConfig,
  gateTools,
  hasApprovalTools,
  streamWithEvents,
} from '../../ts/index.js';
import { scripted, sleep } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

const apply = (tools: unknown, interruptOn?: unknown, options?: object): ToolSet =>
  applyInterruptConfig(tools as ToolSet, interruptOn as never, options as never);

/** Warnings of the process while a test runs. */
const warnings: string[] = [];
const listener = (warning: Error) => void warnings.push(warning.message);
beforeEach(() => {
  warnings.length = 0;
  process.on('warning', listener);
});
afterEach(() => void process.off('warning', listener));

describe('what comes back', () => {
  it.each([
    ["'none'", 'none'],
    ['an empty object', {}],
    ['an empty list', []],
  ])('%s: a set of its own, with the very same tools', (_, interruptOn) => {
    const { tools } = recordingTools();
    const applied = apply(tools, interruptOn);
    expect(applied).not.toBe(tools);
    expect([applied['del'] === tools.del, applied['read'] === tools.read]).toEqual([true, true]);
    expect(Object.keys(applied)).toEqual(Object.keys(tools));
  });

  it('a gated tool is a copy with needsApproval; the others are the very same', () => {
    const { tools } = recordingTools();
    const applied = apply(tools, { del: true });
    expect(applied).not.toBe(tools);
    expect(applied['del']).not.toBe(tools.del);
    expect(applied['del']).toEqual({ ...tools.del, needsApproval: true });
    expect(applied['read']).toBe(tools.read);
    expect(tools.del).not.toHaveProperty('needsApproval');
    expect(Object.keys(applied)).toEqual(Object.keys(tools));
  });

  it.each([
    ["'all'", 'all'],
    ["the entry '*'", { '*': true }],
    ["the entry '*' with options", { '*': { timeout: 5 } }],
    ['a list', ['del', 'read']],
  ])('%s gates every tool', (_, interruptOn) => {
    const applied = apply(recordingTools().tools, interruptOn);
    expect([applied['del']?.needsApproval, applied['read']?.needsApproval]).toEqual([true, true]);
  });

  const needed = (tool: Tool | undefined, input: unknown): unknown => {
    const said = tool?.needsApproval as boolean | ((input: unknown, options: object) => unknown);
    return typeof said === 'function' ? said(input, { toolCallId: 'c1' }) : said;
  };

  it.each<[string, () => unknown]>([
    ['nothing, as a forgotten return does', () => {}],
    ...[null, 0, 1, '', 'false', Number.NaN].map((value): [string, () => unknown] => [String(value), () => value]),
    ['a promise of nothing', async () => {}],
    ['a promise that rejects', () => Promise.reject(new Error('down'))],
    [
      'an error that it throws',
      () => {
        throw new Error('down');
      },
    ],
  ])('a shouldApprove that gives %s asks', async (_, shouldApprove) => {
    const { tools } = recordingTools();
    expect(await needed(apply(tools, { del: { shouldApprove } })['del'], {})).toBe(true);
    const served = { ...tools.del, metadata: { mcp: { server: 's', toolName: 'erase' } } };
    expect(await needed(apply({ del: served }, { del: { shouldApprove } })['del'], {})).toBe(true);
  });

  it('a shouldApprove for all tools, which nobody would call, is refused wherever it is given', () => {
    const interruptOn = { '*': { shouldApprove: () => false } } as never;
    const refused = expect.objectContaining({
      code: 'ERR_INVALID_CONFIG',
      message: expect.stringContaining('interruptOn["*"] has shouldApprove') as unknown,
    }) as Error;
    const { tools } = recordingTools();
    const onApprovalRequest = () => false;
    expect(() => apply(tools, interruptOn)).toThrow(refused);
    expect(() => hasApprovalTools(interruptOn)).toThrow(refused);
    expect(() => gateTools(tools, { interruptOn, onApprovalRequest })).toThrow(refused);
    const { model } = scripted([]);
    expect(() => streamWithEvents({ model, prompt: 'go', tools, interruptOn, onApprovalRequest })).toThrow(refused);
    expect(hasApprovalTools({ '*': {}, del: { shouldApprove: () => false } } as never)).toBe(true);
  });

  it('shouldApprove becomes needsApproval', async () => {
    const shouldApprove = ({ path }: { path: string }) => path.startsWith('/etc');
    const { tools } = recordingTools();
    const { del } = apply(tools, { del: { shouldApprove } });
    expect([await needed(del, { path: '/etc/a' }), await needed(del, { path: '/a' })]).toEqual([true, false]);
    expect(apply(tools, { del: {} })['del']?.needsApproval).toBe(true);
    expect(apply(tools, { del: { timeout: 5, description: 'x' } })['del']?.needsApproval).toBe(true);
  });

  it('applied twice', () => {
    const { tools } = recordingTools();
    const applied = apply(apply(tools, { del: true }), { read: true });
    expect([applied['del']?.needsApproval, applied['read']?.needsApproval]).toEqual([true, true]);
  });
});

describe('precedence', () => {
  const own = () => false;
  const set = (needsApproval: unknown) => ({
    del: { ...recordingTools().tools.del, ...(needsApproval === undefined ? {} : { needsApproval }) },
  });
  const result = (needsApproval: unknown, interruptOn: unknown) =>
    apply(set(needsApproval), interruptOn)['del']?.needsApproval;

  it.each([
    ['an entry of that name over its own', own, { del: true }, true],
    ['false over its own', true, { del: false }, false],
    ['false over a function of its own', own, { del: false }, false],
    ["its own over '*'", own, { '*': true }, own],
    ["its own false over '*'", false, { '*': true }, false],
    ["its own over 'all'", own, 'all', own],
    ["an entry of that name over '*'", undefined, { del: false, '*': true }, undefined],
    ["'*' where it says nothing", undefined, { '*': true }, true],
    ["'*': false", undefined, { '*': false }, undefined],
  ])('%s', (_, needsApproval, interruptOn, expected) => {
    expect(result(needsApproval, interruptOn) || undefined).toBe(expected || undefined);
  });

  it('a list gates by name, over its own', () => {
    expect(result(false, ['del'])).toBe(true);
  });
});

describe('every other property of a tool is kept', () => {
  it('symbols, getters, non-enumerable properties', () => {
    const mark = Symbol('mark');
    let reads = 0;
    const del = Object.defineProperties(
      { ...recordingTools().tools.del, [mark]: 1 },
      {
        title: { get: () => `read ${++reads}`, enumerable: true, configurable: true },
        hidden: { value: 'h', enumerable: false },
      },
    );
    const gated = apply({ del }, { del: true })['del'] as unknown as Record<PropertyKey, unknown>;
    expect(reads).toBe(0);
    expect([gated[mark], gated['title'], gated['title'], gated['hidden']]).toEqual([1, 'read 1', 'read 2', 'h']);
    expect(Object.getOwnPropertyDescriptor(gated, 'hidden')?.enumerable).toBe(false);
  });

  it('the prototype of a class instance, its methods and accessors', async () => {
    class Deleter {
      readonly inputSchema = z.object({ path: z.string() });
      prefix = 'did';
      get description() {
        return `${this.prefix} it`;
      }
      async execute({ path }: { path: string }) {
        return `${this.prefix} ${path}`;
      }
    }
    const gated = apply({ del: new Deleter() }, { del: true })['del'] as unknown as Deleter;
    expect(gated).toBeInstanceOf(Deleter);
    expect(gated.description).toBe('did it');
    expect(await gated.execute({ path: '/a' })).toBe('did /a');
  });

  it('a needsApproval that is inherited, an accessor, or frozen', () => {
    const { tools } = recordingTools();
    class Base {
      get needsApproval() {
        return false;
      }
    }
    const inherited = Object.assign(Object.create(Base.prototype) as object, tools.del);
    expect(apply({ del: inherited }, { del: true })['del']?.needsApproval).toBe(true);
    expect(apply({ del: Object.freeze({ ...tools.del }) }, { del: true })['del']?.needsApproval).toBe(true);
    expect(apply(Object.freeze({ del: tools.del }), { del: true })['del']?.needsApproval).toBe(true);
  });
});

describe('own properties only', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'then', ''])('%j is an ordinary name', (name) => {
    const del = tool({ inputSchema: z.object({}), execute: async () => 'x' });
    const tools = Object.defineProperty({}, name, {
      value: del,
      enumerable: true,
      configurable: true,
      writable: true,
    }) as ToolSet;
    const interruptOn = Object.defineProperty({}, name, { value: true, enumerable: true });
    const applied = apply(tools, interruptOn);
    expect(Object.keys(applied)).toEqual([name]);
    expect(Object.getOwnPropertyDescriptor(applied, name)?.value).toMatchObject({ needsApproval: true });
    expect(Object.getOwnPropertyDescriptor(apply(tools, {}), name)?.value).toBe(del);
  });

  it('an inherited entry is none, and an inherited tool is marked as one of its own', () => {
    const { tools } = recordingTools();
    expect(() => apply(tools, Object.create({ del: true }))).toThrow(InvalidConfigError);
    expect(apply(tools, Object.assign(Object.create(null), { del: true }))['del']?.needsApproval).toBe(true);
    const inheriting = Object.create(tools) as ToolSet;
    const applied = apply(inheriting, { del: true }, { unknownTools: 'error' });
    expect(Object.getOwnPropertyDescriptor(applied, 'del')?.value).toMatchObject({ needsApproval: true });
    expect(() => apply({}, { del: true }, { unknownTools: 'error' })).toThrow(UnknownToolError);
  });
});

describe('names that no tool has', () => {
  it.each([
    ['write_file', 'writeFile'],
    ['write_file', 'write-file'],
    ['write_file', 'Write_File'],
    ['write_file', 'write_fil'],
    ['write_file', 'wirte_file'],
    ['del', 'dell'],
  ])('%s for %s: an error that names it', (name, typo) => {
    const tools = { [name]: recordingTools().tools.del };
    let thrown: unknown;
    try {
      apply(tools, { [typo]: true });
    } catch (error) {
      thrown = error;
    }
    expect(UnknownToolError.isInstance(thrown)).toBe(true);
    expect(thrown).toMatchObject({ code: 'ERR_UNKNOWN_TOOL', toolName: typo, nearest: name });
    expect((thrown as Error).message).toContain(name);
  });

  it('no typo when the near tool is itself configured', () => {
    const { tools } = recordingTools();
    expect(apply({ web_search: tools.read }, { web_search: true, web_searc: true })['web_search']?.needsApproval).toBe(
      true,
    );
  });

  it('any other: one warning per process, and the rest is gated', async () => {
    const { tools } = recordingTools();
    for (let count = 0; count < 3; count++)
      expect(apply(tools, { del: true, 'fetch everything': true })['del']?.needsApproval).toBe(true);
    await sleep(1);
    expect(warnings.filter((message) => message.includes('fetch everything'))).toHaveLength(1);
  });

  it('unknownTools decides otherwise', async () => {
    const { tools } = recordingTools();
    expect(() => apply(tools, { 'send the mail': true }, { unknownTools: 'error' })).toThrow(UnknownToolError);
    expect(apply(tools, { dell: true }, { unknownTools: 'ignore' })['del']?.needsApproval).toBeUndefined();
    await sleep(1);
    expect(warnings).toEqual([]);
    apply(tools, { dele: true }, { unknownTools: 'warn' });
    await sleep(1);
    expect(warnings).toHaveLength(1);
  });

  it('in a list as well', () => {
    expect(() => apply(recordingTools().tools, ['dell'])).toThrow(UnknownToolError);
  });
});

describe('a configuration of the wrong shape is an error that names its place', () => {
  it.each([
    ['a number', 1, /interruptOn/],
    ['an unknown word', 'some', /interruptOn/],
    ['true', true, /interruptOn/],
    ['a list with a number', ['del', 1], /1/],
    ['an entry that is a word', { del: 'yes' }, /del/],
    ['an entry that is null', { del: null }, /del/],
    ['a function for an entry', { del: () => true }, /del/],
    ['an unknown option', { del: { shouldAprove: () => true } }, /shouldAprove/],
    ['shouldApprove is no function', { del: { shouldApprove: true } }, /shouldApprove/],
    ['an unknown decision', { del: { allowedDecisions: ['allow'] } }, /allow/],
    ['no decision', { del: { allowedDecisions: [] } }, /allowedDecisions/],
    ['a timeout of 0', { del: { timeout: 0 } }, /timeout/],
    ['a timeout that is none', { del: { timeout: '5' } }, /timeout/],
    ['a description that is none', { del: { description: 7 } }, /description/],
  ])('%s', (_, interruptOn, place) => {
    let thrown: unknown;
    try {
      apply(recordingTools().tools, interruptOn);
    } catch (error) {
      thrown = error;
    }
    expect(InvalidConfigError.isInstance(thrown)).toBe(true);
    expect((thrown as Error).message).toMatch(place);
  });

  it('no tools at all is no error', () => {
    expect(apply(undefined, { 'send the mail': true })).toBeUndefined();
  });

  it('tools that are none', () => {
    for (const tools of [7, 'x', []])
      expect(() => apply(tools, { del: true })).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }) as Error,
      );
  });
});

describe('what was read from a misspelt place opens nothing', () => {
  const NOTHING: Record<string, unknown> = {};
  it.each<[string, unknown]>([
    ['no configuration at all', undefined],
    ['null', null],
    ['an entry', { del: NOTHING['aprovals'], read: true }],
    ["the entry '*'", { '*': undefined, read: true }],
    ...['allowedDecisions', 'approvers', 'quorum', 'excludeRequester', 'escalate'].map((name): [string, unknown] => [
      name,
      { del: { [name]: undefined } },
    ]),
    ['whom it may be put to', { del: { approvers: ['ada'], escalate: { after: 5, to: undefined } } }],
  ])('%s', (_, interruptOn) => {
    expect(() => apply(recordingTools().tools, interruptOn)).toThrow(InvalidConfigError);
  });

  it('what opens nothing where it is left out may be undefined', () => {
    const entry = { shouldApprove: undefined, description: undefined, timeout: undefined, remind: undefined };
    expect(apply(recordingTools().tools, { del: entry })['del']?.needsApproval).toBe(true);
  });
});

describe('a word for all tools gates none of them', () => {
  it.each(['all', 'default', 'any', 'mcp', '__all__', 'everything'])('%s', (name) => {
    for (const unknownTools of [undefined, 'error', 'warn'])
      for (const interruptOn of [{ [name]: true }, [name], { [name]: { timeout: 1 } }])
        expect(() => apply(recordingTools().tools, interruptOn, { unknownTools })).toThrow(
          expect.objectContaining({
            code: 'ERR_UNKNOWN_TOOL',
            message: expect.stringMatching(/interruptOn: 'all'.*'\*'/) as unknown,
          }) as Error,
        );
  });

  it('unless a tool is called so', () => {
    const { tools } = recordingTools();
    expect(apply({ all: tools.del }, { all: true })['all']?.needsApproval).toBe(true);
  });
});

describe('a pattern names no tool', () => {
  it.each(['de*', '**', '*l', '/de.*/', 'del|read', '(del)', 'de?'])('%s', (name) => {
    for (const unknownTools of [undefined, 'error', 'warn', 'ignore'])
      for (const interruptOn of [{ [name]: true, read: true }, [name, 'read'], { [name]: false }])
        expect(() => apply(recordingTools().tools, interruptOn, { unknownTools })).toThrow(
          expect.objectContaining({
            code: 'ERR_UNKNOWN_TOOL',
            message: expect.stringContaining('patterns are not read') as unknown,
          }) as Error,
        );
  });

  it('unless a tool has it as its name', () => {
    const { tools } = recordingTools();
    expect(apply({ 'de*': tools.del }, { 'de*': true })['de*']?.needsApproval).toBe(true);
  });
});
