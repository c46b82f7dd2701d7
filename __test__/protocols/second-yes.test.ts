/** One rule for every surface: a call that stands out is approved by a second yes only, and each surface has the whole of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it, test } from 'vitest';
import type { ApprovalRequest, Gate } from '../../index.js';
import { terminalApprover } from '../../ts/index.js';
import { standsOut } from '../../ts/gate/stands-out.js';
import { isWarning } from '../../ts/inbox/page/words.js';
import { acpApprover, fromPermissionOutcome, toPermissionRequest } from '../../ts/protocols/acp.js';
import { fromElicitResult, mcpApprover, mcpQuestioner, toElicitation } from '../../ts/protocols/mcp.js';
import { standsOut as standsOutInReact } from '../../ts/react/stands-out.js';
import { createActionLinks, newWebhookSecret } from '../../ts/webhooks/index.js';
import { ALWAYS, requestWith } from './asked.js';

const core = readFileSync(join(import.meta.dirname, '../../crates/core/src/preview/flags.rs'), 'utf8');
/** Those of the core, and an unknown one. */
const FLAGS = [...core.matchAll(/Self::\w+ => "([a-z-]+)"/g)].map(([, name]) => name!).concat('of-tomorrow');
const PLAIN = ['long', 'multiline'];

const SECRET_LINE = 'echo pwned > evil.txt';
const command = Array.from({ length: 400 }, (_, at) => (at === 200 ? SECRET_LINE : `: line ${at}`)).join('\n');

const odd = (flag: string): Promise<ApprovalRequest> =>
  requestWith({ args: { command }, flags: ['long', flag], always: ALWAYS, preview: 'execute\n│ command: : line 0 …' });

const signal = { abortSignal: new AbortController().signal };

interface Asked {
  /** How often somebody said yes. */
  yeses: number;
  /** All that they were given. */
  given: string;
  approved: boolean;
}

/** Each surface, with somebody who says yes to each question in the plainest way that it offers. */
const SURFACES: Record<string, (request: ApprovalRequest, most: number) => Promise<Asked>> = {
  terminal: async (request, most) => {
    let [yeses, given, hasLooked] = [0, '', false];
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
    const output = Object.assign(
      new Writable({
        write(chunk, _, done) {
          given += String(chunk);
          if (String(chunk).endsWith('Why? ')) input.write('\r');
          if (String(chunk).includes('Run it? ')) {
            if (!hasLooked && given.includes('d shows all')) {
              hasLooked = true;
              input.write('d\r');
            } else {
              input.write(yeses < most ? 'y\r' : 'n\r');
              yeses++;
            }
          }
          done();
        },
      }),
      { isTTY: true },
    );
    const decision = await terminalApprover({ input, output })(request, signal);
    const approved = (decision as { type: string }).type === 'approve';
    return { yeses: Math.min(yeses, most), given, approved };
  },
  acp: async (request, most) => {
    let [yeses, given] = [0, ''];
    const requestPermission = async (params: ReturnType<typeof toPermissionRequest>) => {
      given += params.toolCall.content.map((each) => (each.type === 'content' ? each.content.text : '')).join('\n');
      const option = params.options.find(({ kind }) => kind === (yeses < most ? 'allow_once' : 'reject_once'))!;
      if (yeses < most) yeses++;
      return { outcome: { outcome: 'selected', optionId: option.optionId } };
    };
    const { type } = await acpApprover({ requestPermission }, 's1')(request, signal);
    return { yeses, given, approved: type === 'approve' };
  },
  mcp: async (request, most) => {
    let [yeses, given] = [0, ''];
    const elicitInput = async (form: { message: string; requestedSchema: { properties: object } }) => {
      given += form.message;
      yeses = 'confirm' in form.requestedSchema.properties && most > 1 ? 2 : 1;
      return { action: 'accept', content: { decision: 'approve', ...(yeses > 1 ? { confirm: 'yes' } : {}) } };
    };
    const { type } = await mcpApprover({ elicitInput })(request, signal);
    return { yeses, given, approved: type === 'approve' };
  },
  link: async (request, most) => {
    let approved = false;
    const record = { ...request, status: 'pending', votes: [] };
    const gate = {
      get: async () => record,
      decide: async () => {
        approved = true;
        return { ...record, status: 'approved' };
      },
    } as unknown as Gate;
    const links = createActionLinks(gate, { secret: newWebhookSecret(), url: 'https://a.example/decide' });
    const url = await links.link({ approvalId: request.approvalId, decision: 'approve', by: 'ada' });
    const handler = links.handler();
    const given = await (await handler(new Request(url))).text();
    const second = given.includes('type="checkbox"') && most > 1;
    const body = new URLSearchParams({ decision: 'approve', ...(second ? { looked: 'yes' } : {}) });
    await handler(new Request(url, { method: 'POST', body }));
    return { yeses: second ? 2 : 1, given: given.replaceAll('&gt;', '>'), approved };
  },
};

test('the flags are those of the core', () => {
  expect(FLAGS).toEqual(expect.arrayContaining(['hidden', 'bidi', 'invisible', 'homoglyph', ...PLAIN]));
});

describe.each(Object.entries(SURFACES))('%s', (name, surface) => {
  // Together: a terminal lets what was typed before a question go by, which takes a while.
  it.concurrent.each(FLAGS)('%s', async (flag) => {
    const needed = PLAIN.includes(flag) ? 1 : 2;
    expect(await surface(await odd(flag), 2)).toMatchObject({ yeses: needed, approved: true });
    expect(await surface(await odd(flag), 1)).toMatchObject({ approved: needed === 1 });
  });

  it('asks twice about a call that was started before', async () => {
    const request = await requestWith({ startedBefore: true });
    const twice = await surface(request, 2);
    expect(twice).toMatchObject({ yeses: 2, approved: true });
    if (name === 'terminal')
      expect(twice.given).toMatch(/Careful: it was started before and may have run already\nWaits for/);
    expect(await surface(request, 1)).toMatchObject({ approved: false });
  });

  it('has all of what its preview leaves out', async () => {
    expect((await surface(await odd('hidden'), 2)).given, name).toContain(`│ ${SECRET_LINE}`);
    expect((await surface(await odd('bidi'), 2)).given, name).not.toContain(SECRET_LINE);
  });
});

test.each(FLAGS)('the pages and the programs agree: %s', (flag) => {
  const isOdd = standsOut({ flags: [flag] }).length > 0;
  expect(isOdd).toBe(!PLAIN.includes(flag));
  expect(isWarning(flag)).toBe(isOdd);
  expect(standsOutInReact({ details: { flags: [flag] }, preview: '' })).toBe(isOdd);
});

test('one click on what an editor or a client knows already approves nothing that stands out, and no click decides for ever', async () => {
  const request = await odd('bidi');
  for (const optionId of ['approve', 'approve-always', 'approve-always-anyway'])
    expect(fromPermissionOutcome({ outcome: 'selected', optionId }, request)).toMatchObject({ type: 'reject' });
  for (const content of [
    { decision: 'approve' },
    { decision: 'approve', confirm: 'no' },
    { decision: 'approve', confirm: true },
    { decision: 'approve-always', confirm: 'yes' },
    { decision: 'reject', confirm: 'yes' },
  ])
    expect(fromElicitResult({ action: 'accept', content }, request)).toMatchObject({ type: 'reject' });
  expect(fromElicitResult({ action: 'accept', content: { decision: 'reject', confirm: 'no' } }, request)).toEqual({
    type: 'reject',
  });
  expect(toPermissionRequest(request, 's').options.map(({ optionId }) => optionId)).toEqual([
    'approve-anyway',
    'reject',
  ]);
  const { properties } = toElicitation(request).requestedSchema;
  expect(properties['decision']).toMatchObject({ enum: expect.not.arrayContaining(['reject-always']) as unknown });
  const forEver = fromPermissionOutcome({ outcome: 'selected', optionId: 'reject-always' }, request);
  expect(forEver).toEqual({ type: 'reject', reason: expect.stringContaining('not offered') as unknown });
});

test('an editor is asked for its second yes with a title that says why', async () => {
  const titles: string[] = [];
  const requestPermission = async (params: ReturnType<typeof toPermissionRequest>) => {
    titles.push(params.toolCall.title);
    return { outcome: { outcome: 'selected', optionId: 'approve' } };
  };
  // "approve" is no answer to the second question.
  expect(await acpApprover({ requestPermission }, 's1')(await odd('hidden'), signal)).toMatchObject({ type: 'reject' });
  expect(titles).toEqual([expect.not.stringContaining('Careful'), expect.stringMatching(/^Careful: .*\(hidden\)/)]);
});

test('what cannot ask is refused when it is made, and not at the first question', () => {
  const requestPermission = () => Promise.resolve({ outcome: null });
  const elicitInput = () => Promise.resolve(null);
  for (const make of [
    () => acpApprover(undefined as never, 's1'),
    () => acpApprover({} as never, 's1'),
    () => acpApprover({ requestPermission }, undefined as never),
    () => acpApprover({ requestPermission }, { remember: null } as never),
    () => acpApprover({ requestPermission }, 's1', { remember: 'forever' as never }),
    () => mcpApprover(undefined as never),
    () => mcpApprover({} as never),
    () => mcpApprover({ elicitInput }, { remember: 'forever' as never }),
    () => mcpQuestioner({} as never),
  ])
    expect(make).toThrow(expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }));
});

describe.each<[string, (request: never, session: never, options?: never) => unknown]>([
  ['toPermissionRequest', (request, session, options) => toPermissionRequest(request, session, options)],
  ['fromPermissionOutcome', (request, _, options) => fromPermissionOutcome({}, request, options)],
  ['toElicitation', (request, _, options) => toElicitation(request, options)],
  [
    'fromElicitResult',
    (request, _, options) => fromElicitResult({ action: 'accept', content: { decision: 'approve' } }, request, options),
  ],
])('%s', (place, make) => {
  const invalid = expect.objectContaining({
    code: 'ERR_INVALID_CONFIG',
    message: expect.stringContaining(`${place}: `) as unknown,
  }) as Error;

  test('what is no request is refused by name, and ends in no error of the language', async () => {
    const request = await odd('bidi');
    const broken = Object.keys(request).map((name) => ({ ...request, [name]: 1 }));
    const nonsense = [
      undefined,
      null,
      1,
      'x',
      [],
      {},
      () => {},
      new Map(),
      { ...request, flags: [{}], verdict: { actions: 1 } },
    ];
    for (const each of [...nonsense, ...broken]) {
      try {
        make(each as never, 's' as never);
      } catch (error) {
        expect(error).toEqual(invalid);
      }
    }
    for (const each of nonsense.slice(0, -1)) expect(() => make(each as never, 's' as never)).toThrow(invalid);
  });

  test('a time to remember that is none is refused, and so is a session without an id', async () => {
    const request = (await odd('bidi')) as never;
    expect(() => make(request, 's' as never, { remember: 'forever' } as never)).toThrow(invalid);
    if (place === 'toPermissionRequest') expect(() => make(request, undefined as never)).toThrow(invalid);
  });
});

/** A call that deletes. */
const deleting = (): Promise<ApprovalRequest> =>
  requestWith({
    toolName: 'execute',
    args: { command: 'rm -rf build' },
    preview: 'execute\n│ command: rm -rf build',
    always: ALWAYS,
  });

describe('a call that deletes', () => {
  // A link is followed first, and its page has a button.
  test.each(Object.entries(SURFACES).filter(([name]) => name !== 'link'))('%s asks twice', async (_, surface) => {
    expect(await surface(await deleting(), 2)).toMatchObject({ yeses: 2, approved: true });
    expect(await surface(await deleting(), 1)).toMatchObject({ approved: false });
  });

  test('the form of a client says why, also where it is always approved', async () => {
    const request = await deleting();
    const { message, requestedSchema } = toElicitation(request);
    expect(message).toContain('Careful: it may delete something for good');
    expect(Object.keys(requestedSchema.properties)).toContain('confirm');
    const accept = (content: object) => fromElicitResult({ action: 'accept', content }, request);
    expect(accept({ decision: 'approve-always' })).toMatchObject({ type: 'reject' });
    expect(accept({ decision: 'approve-always', confirm: 'yes' })).toEqual({ type: 'approve', remember: 'session' });
  });

  test('an editor is asked twice also where it is always approved', async () => {
    const picked: string[] = [];
    const requestPermission = async ({ options }: ReturnType<typeof toPermissionRequest>) => {
      const { optionId } = options.find(({ kind }) => kind === 'allow_always')!;
      picked.push(optionId);
      return { outcome: { outcome: 'selected', optionId } };
    };
    expect(await acpApprover({ requestPermission }, 's1')(await deleting(), signal)).toEqual({
      type: 'approve',
      remember: 'session',
    });
    expect(picked).toEqual(['approve-always', 'approve-always-anyway']);
  });
});

describe('an edit over MCP', () => {
  /** Edits what is asked about, and answers the second form so. */
  async function edits(args: object, second: object, request: ApprovalRequest) {
    const forms: { message: string; requestedSchema: { properties: object } }[] = [];
    const elicitInput = async (form: (typeof forms)[number]) => {
      forms.push(form);
      const first = { decision: 'edit', args: JSON.stringify(args) };
      return { action: 'accept', content: forms.length === 1 ? first : second };
    };
    const decision = await mcpApprover({ elicitInput })(request, signal);
    return { decision, forms };
  }
  const plain = (): Promise<ApprovalRequest> => requestWith({ toolName: 'execute', args: { command: 'ls' } });

  test.each([
    ['deletes', { command: 'rm -rf /' }, 'it may delete something for good'],
    ['may deceive', { command: 'ls \u202e gpj.sh' }, 'it may not be what it seems (bidi)'],
  ])('to a call that %s is asked about once more, as it would run', async (_, args, why) => {
    const { decision, forms } = await edits(args, { decision: 'approve', confirm: 'yes' }, await plain());
    expect(decision).toEqual({ type: 'edit', args, shown: null });
    expect(forms).toHaveLength(2);
    expect(forms[1]!.message).toMatch(/^It would run like this, as it was edited:/);
    expect(forms[1]!.message).toContain(`Careful: ${why}`);
    for (const other of [{ decision: 'approve' }, { decision: 'edit', args: '{}' }, { decision: 'reject' }])
      expect((await edits(args, other, await plain())).decision).toMatchObject({ type: 'reject' });
  });

  test('of a call that was started before is asked about once more', async () => {
    const request = { ...(await plain()), startedBefore: true };
    const { forms } = await edits({ command: 'ls -l' }, { decision: 'reject' }, request);
    expect(forms[1]!.message).toContain('Careful: it was started before and may have run already');
  });

  test('to a call that does not stand out runs at once', async () => {
    const { decision, forms } = await edits({ command: 'ls -l' }, {}, await plain());
    expect([decision, forms.length]).toEqual([{ type: 'edit', args: { command: 'ls -l' }, shown: null }, 1]);
  });

  test('that nobody was shown as it would run is none, for a loop of its own', async () => {
    const content = { decision: 'edit', args: '{"command":"rm -rf /"}' };
    expect(fromElicitResult({ action: 'accept', content }, await plain())).toMatchObject({
      type: 'reject',
      reason: expect.stringMatching(/second yes[^]*it may delete something for good/) as unknown,
    });
  });
});
