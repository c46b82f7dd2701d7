/** Why an agent makes a call, in its own words: shown as its word, judged by nobody, and no way around a no. */
import { describe, expect, test, vi } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest, ReviewedCall } from '../../index.js';
import type { WebhookEvent } from '../../webhooks.js';
import { askOf } from '../../ts/cli/chat/asks.js';
import { agentLine, shownPreview } from '../../ts/gate/agent-reason.js';
import { callInALine } from '../../ts/gate/in-a-line.js';
import { approvalDetails, createGate } from '../../ts/index.js';
import { bodyOf } from '../../ts/webhooks/happenings.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, resultsIn, says, type ModelTurn } from '../support/model.js';
import { of } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { eventsOf, stage, type Options } from './deep-stage.js';

const execute = (command: string, description?: string, id = 'c1'): ModelTurn =>
  calls(call('execute', { command, ...(description === undefined ? {} : { description }) }, id));

/** What is asked about, each answered by `answer`. */
async function asked(turns: ModelTurn[], options: Options = {}, answer: ApprovalAnswer = true) {
  const requests: ApprovalRequest[] = [];
  const { agent, prompts, backend } = stage([...turns, says('Done.')], { interruptOn: { '*': true }, ...options });
  const run = agent.streamWithEvents({
    prompt: 'go',
    onApprovalRequest: (request) => {
      requests.push(request as ApprovalRequest);
      return answer;
    },
  });
  return { requests, events: await eventsOf(run), prompts, backend };
}

describe('a request says why the agent makes the call', () => {
  test.each([
    ['execute', { command: 'npm test' }],
    ['write_file', { file_path: 'a.txt', content: 'a' }],
    ['edit_file', { file_path: 'b.txt', old_string: 'b', new_string: 'c' }],
  ])('%s', async (name, args) => {
    const { requests } = await asked([calls(call(name, { ...args, description: 'To see it pass.' }, 'c1'))], {
      files: { 'b.txt': 'b' },
    });
    expect(requests).toMatchObject([{ agentReason: 'To see it pass.', args: { description: 'To see it pass.' } }]);
    expect(agentLine(requests[0]!)).toBe('The agent says: “To see it pass.”');
  });

  test('or nothing', async () => {
    const { requests } = await asked([execute('npm test')]);
    expect(requests).toMatchObject([{ agentReason: null }]);
    expect(agentLine(requests[0]!)).toBeUndefined();
  });

  test('an argument of that name of another tool is no such word', async () => {
    const { tools } = recordingTools();
    const { requests } = await asked([calls(call('del', { path: '/1', description: 'safe' } as never, 'c1'))], {
      tools,
    });
    expect(requests.map(({ agentReason }) => agentReason)).toEqual([null]);
  });

  test('a longer one than a line does not run', async () => {
    const { requests, prompts } = await asked([execute('npm test', 'a'.repeat(201))]);
    expect(requests).toEqual([]);
    expect(JSON.stringify(prompts[1])).toContain('description must be a text of at most 200 characters');
  });

  test('characters are counted, not their units', async () => {
    const { requests } = await asked([execute('npm test', '😀'.repeat(200))]);
    expect(requests[0]?.agentReason).toBe('😀'.repeat(200));
  });

  test('a text that would pose as our words stands escaped, in one line, between marks', async () => {
    const { requests } = await asked([execute('npm test', 'fine”\n\u001b[32mThe rules allow it.\u202e')]);
    const line = agentLine(requests[0]!)!;
    expect(line).toBe('The agent says: “fine" ⏎ \\u{001B}[32mThe rules allow it.\\u{202E}”');
  });

  test('the preview has it once: where nothing else reads like it, its line goes', async () => {
    const { requests } = await asked([execute('npm test', 'To see it pass.')]);
    const [request] = requests;
    expect(request!.preview).toBe('execute\n│ command: npm test\n│ description: To see it pass.');
    expect(shownPreview(request!)).toBe('execute\n│ command: npm test');
    // What reads like that line may be a part of what runs.
    const twice = `${request!.preview}\n│ description: To see it pass.`;
    expect(shownPreview({ ...request!, preview: twice })).toBe(twice);
    // Somebody changed it: it is what would run.
    const edited = { ...request!, args: { command: 'npm test', description: 'other' } };
    expect(shownPreview(edited)).toBe(edited.preview);
  });

  test('pages and webhooks have it, beside a preview without it', async () => {
    const gate = createGate({ place: { cwd: '/project' } });
    const { agent } = stage([execute('npm test', 'To see it pass.'), says('Done.')], {
      interruptOn: { '*': true },
      gate,
    });
    const run = agent.streamWithEvents({ prompt: 'go' });
    const events = eventsOf(run);
    const { approvalId, runId } = await vi.waitUntil(async () => (await gate.pending())[0], PATIENTLY);
    const record = (await gate.get(approvalId))!;
    const said = { agentReason: 'To see it pass.', preview: 'execute\n│ command: npm test' };
    expect(await approvalDetails(gate, { runId })).toMatchObject([said]);
    const happening = { type: 'approval.requested', id: '1', n: 1, approvalId, at: 0 } as const;
    const told = (
      [
        ['nothing', undefined],
        ['preview', said],
      ] as const
    ).map(([include, shown]) => {
      const { data } = JSON.parse(bodyOf(happening, record, include, 65_536)) as WebhookEvent;
      return [{ agentReason: data.agentReason, preview: data.preview }, shown ?? {}];
    });
    for (const [data, shown] of told) expect(data).toEqual(shown);
    await gate.reject(approvalId);
    await events;
  });

  test('the call itself is told without it', async () => {
    const { requests } = await asked([execute('npm test', 'To see it pass.')]);
    expect(callInALine(requests[0]!)).toBe('npm test');
    expect((askOf(requests[0]!, 1, 1) as { why: string }).why).not.toContain('To see it pass');
  });
});

describe('nothing depends on what it says', () => {
  const policy = { version: 1, rule: [{ effect: 'allow' as const, commands: ['npm test'] }] } as const;

  test('rules allow the call and offer the same for always', async () => {
    const alone = await asked([execute('npm run build')], { interruptOn: {}, policy });
    const said = await asked([execute('npm run build', 'rm -rf / is what I want')], { interruptOn: {}, policy });
    expect(said.requests[0]?.always.allow?.rules).toEqual(alone.requests[0]?.always.allow?.rules);
    expect(said.requests[0]?.verdict).toMatchObject({ effect: 'ask', reason: alone.requests[0]?.verdict?.reason });
    const allowed = await asked([execute('npm test', 'To see it pass.')], { interruptOn: {}, policy });
    expect(allowed.requests).toEqual([]);
    expect(of(allowed.events)('tool-result')).toHaveLength(1);
  });

  test('what is proven of the call is proven with it', async () => {
    const change = { file_path: 'a.txt', content: 'a' };
    const alone = await asked([calls(call('write_file', change, 'c1'))], { policy });
    const said = await asked([calls(call('write_file', { ...change, description: 'Notes.' }, 'c1'))], { policy });
    expect(said.requests[0]?.proven).toBe(alone.requests[0]?.proven);
  });

  test('a call that was rejected stays rejected in other words', async () => {
    const turns = [execute('npm publish', 'To release it.', 'c1'), execute('npm publish', 'It is urgent.', 'c2')];
    const { requests, prompts } = await asked(turns, {}, { type: 'reject', reason: 'not today' });
    expect(requests).toHaveLength(1);
    expect(JSON.stringify(resultsIn(prompts[2])['c2'])).toContain('The human rejected this same call before.');
    const silent = [execute('npm publish', 'To release it.', 'c1'), execute('npm publish', undefined, 'c2')];
    expect((await asked(silent, {}, false)).requests).toHaveLength(1);
  });

  test('a reviewer is not shown it', async () => {
    const seen: ReviewedCall[] = [];
    const reviewer = {
      review: (reviewed: ReviewedCall) => {
        seen.push(reviewed);
        return { answer: 'unsure' as const, reason: 'who knows' };
      },
    };
    const { requests } = await asked([execute('npm run build', 'Trust me.')], { interruptOn: {}, policy, reviewer });
    expect(seen.map(({ args }) => args)).toEqual([{ command: 'npm run build' }]);
    expect(requests).toMatchObject([{ agentReason: 'Trust me.' }]);
  });
});

test('a secret in it is not kept', async () => {
  const secret = `ghp_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`;
  await using gate = createGate({ redact: 'secrets', place: { cwd: '/project' } });
  const { requests } = await asked([execute('npm test', `With ${secret}.`)], { gate });
  const [kept] = await gate.history();
  expect(requests[0]?.agentReason).toBe(`With ${secret}.`);
  expect(JSON.stringify(kept)).not.toContain(secret);
  expect(kept?.agentReason).toMatch(/^With \[redacted/);
});
