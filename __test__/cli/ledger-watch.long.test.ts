/** The live view: what keys do, and what is drawn. */
import { describe, expect, it } from 'vitest';
import { frame } from '../../ts/cli/watch-frame.js';
import {
  press,
  START,
  withEvents,
  withPage,
  without,
  withoutDue,
  withRecords,
  type WatchState,
} from '../../ts/cli/watch-model.js';
import { KeyReader } from '../../ts/cli/chat/screen/keys.js';
import { widthOf } from '../../ts/cli/style.js';
import type { GateEvent } from '../../index.js';
import type { KeptRecord } from '../../ts/native.js';
import { forbiddenIn, HOSTILE } from '../policy/hostile.js';
import { kept } from './kept.js';

/** As lists and events give them: without what was decided. */
function waiting(more: Partial<KeptRecord> = {}): KeptRecord {
  const { status: _, decision: __, decidedBy: ___, via: ____, decidedAt: _____, ...request } = kept(more);
  return request as KeptRecord;
}

/** None of them stands out. */
const plain = () => waiting({ toolName: 'note', args: { text: 'x' }, flags: [] });
const three = [plain(), plain(), plain()] as const;
const ids = three.map(({ approvalId }) => approvalId);
const begun = withRecords(START, three);
const withNew = (state: WatchState, request: KeptRecord, now: number) =>
  withEvents(state, [{ type: 'requested', request } as GateEvent], now);
/** Each at its own time, and slowly enough. */
let clock = 0;
const typed = (state: WatchState, keys: string) => {
  const reader = new KeyReader();
  const pressed = [...reader.feed(Buffer.from(keys)), ...reader.flush()];
  return press(
    state,
    pressed.map(({ key }) => key),
    (clock += 1_000),
  );
};
const after = (state: WatchState, ...keys: string[]) => keys.reduce((now, key) => typed(now, key).state, state);

describe('keys', () => {
  it('move, and stop at the ends', () => {
    expect(begun.selected).toBe(ids[0]);
    expect(after(begun, 'j').selected).toBe(ids[1]);
    expect(after(begun, 'j', '\u001b[B', 'j', 'j').selected).toBe(ids[2]);
    expect(after(begun, 'k', '\u001b[A').selected).toBe(ids[0]);
    expect(after(START, 'j', 'k', 'y', 'n', 'd', '\r')).toEqual(START);
  });

  it.each(['q', '\u0003', '\u0004', 'jjq'])('%j ends it', (key) =>
    expect(typed(begun, key).action).toEqual({ type: 'quit' }),
  );

  it('those that come together count one by one', () => {
    expect(typed(begun, 'jj').state.selected).toBe(ids[2]);
    expect(typed(begun, 'jjjjk').state.selected).toBe(ids[1]);
    expect(typed(begun, '\u001b[B\u001b[B').state.selected).toBe(ids[2]);
    expect(typed(begun, 'j\r').state).toMatchObject({ selected: ids[1], mode: { at: 'request' } });
    expect(typed(begun, 'jd').state).toMatchObject({ selected: ids[1], mode: { at: 'request' } });
    for (const other of ['a', 'A', 'Y', ' ']) expect(typed(begun, other)).toEqual({ state: begun });
  });

  it.each([
    ['y', 'approve'],
    ['x', 'skip'],
  ])('%s asks, and y decides', (key, type) => {
    const asked = typed(begun, key);
    expect(asked.action).toBeUndefined();
    for (const yes of ['y', 'Y', 'y\r', 'y\n', 'yyy']) {
      const { state, action } = typed(asked.state, yes);
      expect([yes, action, state.mode]).toEqual([yes, { type, id: ids[0] }, { at: 'list' }]);
    }
    // Space shows more of what is asked about.
    for (const other of ['n', '\r', ...(key === 'y' ? [] : [' ']), '\u001b', 'a', 'ya', 'yes, but', '\ry', 'ny']) {
      const { state, action } = typed(asked.state, other);
      expect([other, action, state.mode]).toEqual([other, undefined, { at: 'list' }]);
    }
  });

  it.each(['yy', 'yyy', 'jyy', 'yy\r', '\u001b[200~yy\u001b[201~'])(
    'what comes before the question is on the screen does not answer it: %j',
    (keys) => expect(typed(begun, keys).action).toBeUndefined(),
  );

  it('what was typed before the question was seen does not answer it, and it goes on asking', () => {
    const y = [{ kind: 'text', text: 'y' } as const];
    const asked = press(begun, y, 1_000).state;
    const early = press(asked, y, 1_249);
    expect([early.action, early.state.mode.at]).toEqual([undefined, 'confirm']);
    // Nor does a key that is held down: it counts from the last of them.
    expect(press(early.state, y, 2_248).action).toBeUndefined();
    expect(press(early.state, y, 2_249).action).toEqual({ type: 'approve', id: ids[0] });
  });

  it('what stands out is looked at before it is asked about', () => {
    const state = withRecords(START, [waiting({ ...three[0], flags: ['hidden'] })]);
    const looked = typed(state, 'y').state;
    expect(looked.mode).toEqual({ at: 'request', scroll: 0 });
    expect(after(looked, 'y').mode).toMatchObject({ at: 'confirm', what: 'approve' });
    expect(after(state, 'n').mode).toMatchObject({ at: 'words', what: 'reject' });
    expect(typed(state, 's')).toMatchObject({ state: { mode: { at: 'request' } } });
    expect(typed(looked, 's').action).toEqual({ type: 'offer', id: ids[0] });
  });

  it('n takes a reason, in any words, and Enter sends it', () => {
    const asked = typed(begun, 'n').state;
    expect(typed(asked, '\r').action).toEqual({ type: 'reject', id: ids[0], reason: null });
    const said = after(asked, 'no, quit', ' it yyy', '\u007f', '?');
    expect(typed(said, '\r').action).toEqual({ type: 'reject', id: ids[0], reason: 'no, quit it yy?' });
    const pasted = after(asked, '\u001b[200~it is\nthe wrong one\u001b[201~');
    expect(typed(pasted, '\r').action).toEqual({ type: 'reject', id: ids[0], reason: 'it is the wrong one' });
    expect(typed(said, '\u001b')).toMatchObject({
      state: { mode: { at: 'list' }, said: expect.stringContaining('still waits') },
    });
    expect(typed(said, '\u0003').action).toEqual({ type: 'quit' });
  });

  it('r gives a result, which is not empty', () => {
    const asked = typed(begun, 'r').state;
    expect(typed(asked, '\r')).toMatchObject({ state: { mode: { at: 'words' } } });
    expect(typed(asked, '\r').action).toBeUndefined();
    expect(typed(after(asked, '42'), '\r').action).toEqual({ type: 'respond', id: ids[0], output: '42' });
  });

  it('a line is sent by an Enter that came alone, and after the line was there', () => {
    const asked = typed(begun, 'n').state;
    const together = typed(asked, 'no\r');
    expect([together.action, together.state.mode]).toMatchObject([undefined, { at: 'words', draft: { text: 'no' } }]);
    expect(typed(together.state, '\r').action).toMatchObject({ type: 'reject', reason: 'no' });
    const enter = [{ kind: 'key', name: 'enter' } as const];
    const early = press(press(begun, [{ kind: 'text', text: 'n' }], 1_000).state, enter, 1_249);
    expect([early.action, early.state.mode.at]).toEqual([undefined, 'words']);
    expect(typed(begun, 'n\r').action).toBeUndefined();
  });

  it('e and s are looked up first, and answered when all of it was seen', () => {
    expect(typed(begun, 'e').action).toEqual({ type: 'change', id: ids[0] });
    const looked = typed(begun, 's');
    expect([looked.action, looked.state.mode.at]).toEqual([undefined, 'request']);
    expect(typed(looked.state, 's').action).toEqual({ type: 'offer', id: ids[0] });
    const lines = Array.from({ length: 10 }, (_, at) => `line ${at}`);
    const mode = { at: 'confirm', id: ids[0]!, scroll: 0, lines, quietSince: 0 } as const;
    const room = { columns: 80, rows: 6 };
    const yes = [{ kind: 'text', text: 'y' } as const];
    const down = [{ kind: 'text', text: 'j' } as const];
    for (const [asked, action] of [
      [{ ...mode, what: 'always' } as const, { type: 'always', id: ids[0] }],
      [{ ...mode, what: 'edit', args: { a: 1 }, doubts: [] } as const, { type: 'edit', id: ids[0], args: { a: 1 } }],
    ] as const) {
      const shown = { ...begun, mode: asked };
      expect(press(shown, yes, 1_000, room).state.said).toContain('Not all of it was seen');
      let seen = withPage(shown, room, 1_000);
      for (let key = 1; key < 10; key += 1)
        seen = withPage(press(seen, down, 1_000 + key * 150, room).state, room, 1_000 + key * 150);
      expect(seen.mode).toMatchObject({ scroll: 4 });
      expect(press(seen, yes, 3_000, room).action).toEqual(action);
      // In a narrow window each line is more of them.
      expect(press(shown, yes, 1_000, { columns: 3, rows: 12 }).action).toBeUndefined();
    }
  });

  it('what may not be decided so is said, and asks nothing', () => {
    const state = withRecords(START, [waiting({ ...three[0], allowedDecisions: ['approve', 'reject'] })]);
    for (const key of ['e', 'r', 'x']) {
      const { state: next, action } = typed(state, key);
      expect([action, next.mode.at, next.said]).toEqual([undefined, 'list', expect.stringContaining('does not allow')]);
    }
    const asks = withRecords(START, [
      // As a ledger lists it.
      waiting({ ...three[0], details: { kind: 'question' }, allowedDecisions: ['respond', 'skip'] } as never),
    ]);
    expect(typed(asks, 'r').state.said).toContain('countersign respond');
  });

  it('? lists the keys, and no key of the list counts there', () => {
    const help = typed(begun, '?').state;
    expect(help.mode.at).toBe('help');
    expect(typed(help, 'y')).toEqual({ state: help });
    expect(after(help, 'd').mode.at).toBe('list');
  });

  it('what is pasted is no answer', () => {
    const asked = typed(begun, 'y').state;
    expect(typed(asked, '\u001b[200~y\u001b[201~')).toEqual({ state: asked });
  });
});

describe('the list changes while somebody looks', () => {
  it('much that comes at once is looked at a few times, not once for each other', () => {
    let looks = 0;
    const seen = (request: KeptRecord) =>
      Object.defineProperty({ ...request }, 'approvalId', { get: () => (looks++, request.approvalId) });
    const many = Array.from({ length: 500 }, () => seen(waiting()));
    const requested = many.map((request) => ({ type: 'requested', request }) as unknown as GateEvent);
    const decided = many.slice(0, 100).map((request) => ({ type: 'decided', request }) as unknown as GateEvent);
    const state = withEvents(START, [...requested, ...decided], 0);
    expect(state.records).toHaveLength(400);
    expect(state.arrived.size).toBe(400);
    expect(looks).toBeLessThan(10 * many.length);
  });

  it('what arrives does not move what is selected, and is marked', () => {
    const on = after(begun, 'j');
    const fourth = waiting();
    const more = withNew(on, fourth, 5000);
    expect([more.selected, more.records.length, more.arrived.get(fourth.approvalId)]).toEqual([ids[1], 4, 5000]);
    expect(withNew(more, fourth, 6000)).toEqual(more);
  });

  it('what was being confirmed and is decided elsewhere is not decided here', () => {
    const asked = after(begun, 'y');
    const gone = without(asked, ids[0]!);
    expect(gone.mode).toEqual({ at: 'list' });
    expect(gone.said).toMatch(/no longer waits/);
    // The next y is no answer to anything.
    expect(typed(gone, 'y').action).toBeUndefined();
    expect(gone.selected).toBe(ids[1]);
  });

  it('what is being confirmed stays so while others come and go', () => {
    const asked = after(begun, 'j', 'y');
    const moved = withNew(without(asked, ids[0]!), waiting(), 0);
    expect(typed(moved, 'y').action).toEqual({ type: 'approve', id: ids[1] });
  });

  it('what is due goes', () => {
    const due = withRecords(START, [waiting({ expiresAt: 10 }), three[0]]);
    expect(withoutDue(due, 9).records).toHaveLength(2);
    expect(withoutDue(due, 10).records).toEqual([three[0]]);
    expect(without(withRecords(START, [three[0]]), ids[0]!).selected).toBeNull();
  });
});

describe('the screen', () => {
  const states: [string, WatchState][] = [
    ['nothing', START],
    ['a list', begun],
    ['a request', after(begun, '\r')],
    ['scrolled far', { ...begun, mode: { at: 'request', scroll: 10_000 } }],
    ['a question', after(begun, 'y')],
    [
      'a reason',
      after(begun, 'n', 'because of the very long weekend, which is long and long and long and long 世界世界'),
    ],
    ['the keys', after(begun, '?')],
    [
      'many',
      withRecords(
        START,
        Array.from({ length: 200 }, () => waiting()),
      ),
    ],
    [
      'hostile',
      withRecords(
        START,
        HOSTILE.map(([, raw]) => raw.toWellFormed()).map((text) =>
          waiting({ toolName: text, args: { command: text }, runId: text }),
        ),
      ),
    ],
  ];

  it.each(states)('%s: as many lines as there are rows, none too wide, nothing raw', (_, state) => {
    for (const [columns, rows] of [
      [60, 20],
      [80, 24],
      [100, 5],
      [200, 50],
    ] as const) {
      for (const mode of [state.mode, { at: 'request', scroll: 3 } as const]) {
        const lines = frame({ ...state, mode }, { columns, rows }, '/a/place', 2000);
        expect(lines).toHaveLength(rows);
        for (const line of lines) expect([line, widthOf(line) <= columns, forbiddenIn(line)]).toEqual([line, true, []]);
      }
    }
  });

  it('what comes from a call stands behind its gutter, also where a line is continued', () => {
    const text = `${'x'.repeat(70)} approved by the administrator`;
    const change = { path: 'a', target: null, before: null, after: null, added: 1, removed: 0, diff: '', text };
    const request = waiting({ preview: `write_file\n│ + ${text}`, details: { changes: [change as never] } });
    const state = after(withRecords(START, [request]), 'd');
    const lines = frame(state, { columns: 60, rows: 40 }, '', 0);
    expect(lines.filter((line) => line.includes('administrator'))).toEqual([expect.stringMatching(/^│ ↪ /)]);
  });

  it('fits a list into a narrow window', () => {
    const request = waiting({ toolName: 'write_file', args: { command: 'x'.repeat(90) }, flags: ['bidi'] });
    for (const columns of [40, 50, 60, 80])
      for (const line of frame(withRecords(START, [request]), { columns, rows: 12 }, '/a/place', 2000))
        expect([line, widthOf(line) <= columns]).toEqual([line, true]);
  });

  it('what is selected is always seen', () => {
    const many = withRecords(
      START,
      Array.from({ length: 100 }, () => waiting()),
    );
    for (const { approvalId } of many.records) {
      const lines = frame({ ...many, selected: approvalId }, { columns: 80, rows: 12 }, '', 0);
      expect(lines.filter((line) => line.startsWith('> ') && line.includes(approvalId.slice(-8)))).toHaveLength(1);
    }
  });

  it('marks what is new, for a while', () => {
    const more = withNew(begun, waiting(), 5000);
    const marks = (now: number) =>
      frame(more, { columns: 80, rows: 24 }, '', now).filter((line) => line.startsWith('* '));
    expect(marks(6000)).toHaveLength(1);
    expect(marks(60_000)).toHaveLength(0);
  });

  it('a question says what may deceive', () => {
    const state = after(withRecords(START, [waiting({ flags: ['bidi', 'long'] })]), 'y', 'y');
    expect(frame(state, { columns: 80, rows: 24 }, '', 0).join('\n')).toMatch(/approve \([^)]*bidi[,)]/);
  });

  it('a question says what may not be undone', () => {
    const request = waiting({ toolName: 'execute', args: { command: 'rm -rf build' } });
    const state = after(withRecords(START, [request]), 'y', 'y');
    expect(frame(state, { columns: 100, rows: 24 }, '', 0).join('\n')).toMatch(/approve \(it may delete something for/);
  });
});
