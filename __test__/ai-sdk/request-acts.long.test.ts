/** The table of what becomes of a request, by how it stands at the gate and by what the conversation says of its call. */
import type { ModelMessage, UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import type { ApprovalStatus, Gate, RefusedApproval, VerifyApprovalsOptions } from '../../index.js';
import { createGate, gateTools, verifyApprovals } from '../../ts/index.js';
import { ACTS, type RequestStanding } from '../../ts/ai-sdk/messages/request-acts.js';
import { readConversation, type CallWord } from '../../ts/ai-sdk/messages/spoken-calls.js';
import { sample } from '../support/effort.js';
import { recordingTools } from '../support/tools.js';

type Messages = (UIMessage | ModelMessage)[];
type Form = 'UI messages' | 'model messages';

const RUN = 'chat';
const WORDS = [
  'open',
  'asked',
  'yes',
  'no',
  'left',
  'left-yes',
  'left-no',
  'closed',
  'gone',
] as const satisfies CallWord[];

/** What the request is afterwards. A row that is not here stays as it is, whatever is said. */
const AFTER: Partial<Record<ApprovalStatus, readonly ApprovalStatus[]>> = {
  //         open        asked        yes         no           left         left-yes     left-no      closed       gone
  pending: [
    'pending',
    'cancelled',
    'approved',
    'rejected',
    'cancelled',
    'cancelled',
    'rejected',
    'cancelled',
    'cancelled',
  ],
  approved: [
    'approved',
    'cancelled',
    'approved',
    'cancelled',
    'cancelled',
    'cancelled',
    'cancelled',
    'cancelled',
    'cancelled',
  ],
  edited: [
    'edited',
    'cancelled',
    'edited',
    'cancelled',
    'cancelled',
    'cancelled',
    'cancelled',
    'cancelled',
    'cancelled',
  ],
};
const KEPT: typeof AFTER = {
  ...AFTER,
  pending: ['pending', 'pending', 'approved', 'rejected', 'pending', 'cancelled', 'rejected', 'pending', 'pending'],
};

/** Brings the request of a call to a status: to each that it can have where the answers come back in the messages. */
const BROUGHT: Record<Exclude<ApprovalStatus, 'interrupted' | 'responded'>, (asked: AskedCall) => unknown> = {
  pending: () => {},
  approved: ({ gate, id }) => gate.approve(id),
  edited: ({ gate, id }) => gate.edit(id, { path: '/b' }),
  started: async ({ gate, id, execute, begun }) => {
    await gate.approve(id);
    void execute();
    await begun;
  },
  succeeded: async ({ gate, id, execute, end }) => {
    await gate.approve(id);
    end();
    await execute();
  },
  failed: async ({ gate, id, execute, end }) => {
    await gate.approve(id);
    end(new Error('no'));
    await Promise.resolve(execute()).catch(() => {});
  },
  rejected: ({ gate, id }) => gate.reject(id, 'elsewhere'),
  skipped: ({ gate, id }) => gate.skip(id),
  expired: async ({ gate, id }) => {
    await expect.poll(async () => (await gate.get(id))?.status, { interval: 1 }).toBe('expired');
  },
  cancelled: ({ gate }) => verifyApprovals([{ role: 'user', content: 'x' }], gate, { runId: RUN }),
};

interface AskedCall {
  gate: Gate;
  id: string;
  execute: () => unknown;
  /** The tool has begun. */
  begun: Promise<void>;
  /** Has the tool end. */
  end: (error?: Error) => void;
}

async function asked(status: keyof typeof BROUGHT): Promise<AskedCall> {
  const gate = createGate(status === 'expired' ? { timeout: 1 } : {});
  let begin: (() => void) | undefined;
  let end: AskedCall['end'] | undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  ended.catch(() => {});
  const { tools } = recordingTools();
  const del = {
    ...tools.del,
    execute: async () => {
      begin?.();
      await ended;
      return 'deleted';
    },
  };
  const gated = gateTools({ del }, { interruptOn: 'all', gate, mode: 'stop', runId: RUN }).del as unknown as Record<
    'needsApproval' | 'execute',
    (input: object, options: object) => unknown
  >;
  const options = { toolCallId: 'c1', messages: [] };
  await gated.needsApproval({ path: '/a' }, options);
  const [record] = [...(await gate.pending()), ...(await gate.history())];
  const call: AskedCall = {
    gate,
    id: record?.approvalId ?? '',
    execute: () => gated.execute({ path: '/a' }, options),
    begun,
    end: (error) => end?.(error),
  };
  await BROUGHT[status](call);
  expect((await gate.get(call.id))?.status).toBe(status);
  return call;
}

const user = (text: string, form: Form): UIMessage | ModelMessage =>
  form === 'UI messages'
    ? { id: text, role: 'user', parts: [{ type: 'text', text }] }
    : { role: 'user', content: text };

/** A conversation that says this of the call. */
function saying(word: CallWord, form: Form): Messages {
  const behind = word.startsWith('left') ? [user('well?', form)] : [];
  const answer = /yes|no$/.exec(word)?.[0];
  const approved = answer === undefined ? {} : { approved: answer === 'yes', reason: `${answer}!` };
  if (word === 'gone') return [user('go', form)];
  if (form === 'UI messages') {
    const state =
      word === 'open'
        ? 'input-available'
        : word === 'closed'
          ? 'output-available'
          : answer === undefined
            ? 'approval-requested'
            : 'approval-responded';
    const part = {
      type: 'tool-del',
      toolCallId: 'c1',
      state,
      input: { path: '/a' },
      ...(word === 'open' ? {} : { approval: { id: 'q', ...approved } }),
    };
    return [user('go', form), { id: 'a', role: 'assistant', parts: [part] } as unknown as UIMessage, ...behind];
  }
  const content = [
    { type: 'tool-call', toolCallId: 'c1', toolName: 'del', input: { path: '/a' } },
    ...(word === 'open' ? [] : [{ type: 'tool-approval-request', approvalId: 'q', toolCallId: 'c1' }]),
  ];
  const said = [
    ...(answer === undefined ? [] : [{ type: 'tool-approval-response', approvalId: 'q', ...approved }]),
    ...(word === 'closed'
      ? [{ type: 'tool-result', toolCallId: 'c1', toolName: 'del', output: { type: 'text', value: 'mine' } }]
      : []),
  ];
  const results = said.length === 0 ? [] : [{ role: 'tool', content: said }];
  return [user('go', form), { role: 'assistant', content }, ...results, ...behind] as Messages;
}

const verify = async (messages: Messages, gate: Gate, more: VerifyApprovalsOptions = {}) => {
  const refused: RefusedApproval[] = [];
  const onRefused = (one: RefusedApproval) => void refused.push(one);
  const verified = await verifyApprovals<UIMessage | ModelMessage>(messages, gate, { runId: RUN, onRefused, ...more });
  return { refused, isYes: /"approved":true/.test(JSON.stringify(verified)), text: JSON.stringify(verified) };
};

const forms: Form[] = ['UI messages', 'model messages'];
const statuses = Object.keys(BROUGHT) as (keyof typeof BROUGHT)[];

describe.each(forms)('%s', (form) => {
  it.each(WORDS)('that say %s are read as that', (word) => {
    expect(readConversation(saying(word, form)).calls.get('c1')?.word ?? 'gone').toBe(word);
  });

  describe.each(statuses)('a request that is %s', (status) => {
    const cases = WORDS.flatMap((word, column) =>
      (['cancel', 'keep'] as const).map((unanswered) => ({
        word,
        unanswered,
        after: (unanswered === 'keep' ? KEPT : AFTER)[status]?.[column] ?? status,
      })),
    );
    it.each(sample(cases, 2, statuses.indexOf(status)))(
      'whose call the conversation has as $word becomes $after (unanswered: $unanswered)',
      async ({ word, unanswered, after }) => {
        const { gate, id, end } = await asked(status);
        const { isYes, refused, text } = await verify(saying(word, form), gate, { unanswered });
        const record = await gate.get(id);
        expect(record?.status).toBe(after);
        const isOpen = (['pending', 'approved', 'edited'] as ApprovalStatus[]).includes(after);
        // The tool runs on nothing but a yes that is not left behind, to what was open.
        expect(isYes).toBe(word === 'yes' && isOpen);
        // What a yes comes to that does not run is told, with what the model is told.
        if (word === 'yes' || (word === 'left-yes' && after !== status))
          expect(refused.map(({ reason }) => text.includes(JSON.stringify(reason)))).toEqual(isOpen ? [] : [true]);
        // The reason of a no is kept with the request that it ended, and told.
        if (word.endsWith('no') && after !== status) {
          expect(record?.decision).toMatchObject({ reason: 'no!' });
          expect(text).toContain('no!');
          expect(refused).toEqual([]);
        }
        // A stale yes of another tab.
        const later = await verify(saying('yes', form), gate);
        expect(later.isYes).toBe(isOpen);
        expect(later.refused).toHaveLength(isOpen ? 0 : 1);
        end();
      },
    );
  });
});

it('lets an open request go on where nothing is said of it or somebody said yes, and nowhere else', () => {
  const goesOn = new Set(['nothing', 'approve', 'run']);
  for (const standing of ['waits', 'approved'] satisfies RequestStanding[])
    expect(WORDS.filter((word) => goesOn.has(ACTS[standing][word]))).toEqual(['open', 'yes']);
  for (const standing of ['begun', 'ended', 'over', 'unknown'] satisfies RequestStanding[])
    expect(WORDS.filter((word) => ['approve', 'run'].includes(ACTS[standing][word]))).toEqual([]);
});

it.each([
  [{ type: 'execution-denied', reason: 'never' }, 'never'],
  [{ type: 'error-text', value: 'no, do not' }, 'no, do not'],
  [{ type: 'text', value: 'done by hand' }, expect.stringMatching(/did not come from here/) as string],
])('the result %o of a model message cancels the request that waits, with what it says', async (output, reason) => {
  const { gate, id } = await asked('pending');
  const result = { type: 'tool-result', toolCallId: 'c1', toolName: 'del', output };
  const messages = [...saying('asked', 'model messages'), { role: 'tool', content: [result] }] as Messages;
  await verify(messages, gate);
  expect((await gate.get(id))?.decision).toEqual({ type: 'cancelled', reason });
});

describe.each(forms)('without a runId, %s', (form) => {
  const bare = (word: CallWord, gate: Gate, named?: string) => {
    const messages = JSON.parse(JSON.stringify(saying(word, form)).replaceAll('"q"', JSON.stringify(named ?? 'q')));
    const refused: RefusedApproval[] = [];
    const onRefused = (one: RefusedApproval) => void refused.push(one);
    return verifyApprovals(messages as Messages, gate, { onRefused }).then((verified) => ({ verified, refused }));
  };

  it.each(WORDS.filter((word) => word !== 'open'))(
    'a request of another conversation stays as it is, whose call has the same id and arguments as one that is %s',
    async (word) => {
      for (const status of ['pending', 'approved', 'edited'] as const) {
        const { gate, id } = await asked(status);
        const { verified, refused } = await bare(word, gate);
        expect((await gate.get(id))?.status).toBe(status);
        expect(JSON.stringify(verified)).not.toMatch(/"approved":true/);
        if (/yes|no/.test(word)) expect(JSON.stringify([refused, verified])).toMatch(/"reason"/);
        if (word === 'yes') expect(refused).toMatchObject([{ reason: expect.stringMatching(/pass the runId/) }]);
      }
    },
  );

  it.each(WORDS.filter((word) => word !== 'gone'))(
    'an answer with the id of the request at the gate counts: %s',
    async (word) => {
      const { gate, id } = await asked('pending');
      await bare(word, gate, id);
      expect((await gate.get(id))?.status).toBe(AFTER.pending?.[WORDS.indexOf(word)]);
    },
  );
});
