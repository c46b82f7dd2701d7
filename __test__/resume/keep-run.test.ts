/** What is written of a run: only what is new, in order, and nothing after its end. */
import type { ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { UnwrittenVerdicts } from '../../ts/gate/unwritten-verdicts.js';
import { RunKeeper } from '../../ts/ai-sdk/saved/keep-run.js';
import { stateOf, type KeptRun } from '../../ts/ai-sdk/saved/saved-run.js';
import type { NativeSaveRun, RunStore } from '../../ts/native.js';

const state = stateOf({ sdk: 7, input: 1, round: 0, usage: {}, finishReason: 'stop', prompt: '', tools: [] });
const kept = (messages: readonly ModelMessage[]): KeptRun => ({ messages, marks: new Map(), state });
const say = (content: string): ModelMessage => ({ role: 'user', content });

/** A store whose saves wait until they are let go. */
function slowStore() {
  const saves: NativeSaveRun[] = [];
  const waiting: (() => void)[] = [];
  let heads = 0;
  const store = {
    saveRun: async (run: NativeSaveRun) => {
      saves.push(run);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return run.entries.map(() => `h${heads++}`);
    },
    releaseRun: async () => {},
  } as unknown as RunStore;
  const letGo = async () => {
    waiting.shift()?.();
    for (let turns = 0; turns < 10; turns++) await Promise.resolve();
  };
  return { store, saves, letGo };
}

const verdict = (toolCallId: string) => ({ kind: 'verdict', toolCallId }) as const;
const written = ({ parent, entries, status }: NativeSaveRun) => [parent, entries.length, status];
const never = (error: unknown) => {
  throw error;
};

describe('a keeper', () => {
  it('writes what is new, and from the first difference on', async () => {
    const { store, saves, letGo } = slowStore();
    const keeper = new RunKeeper(store, 'r');
    const [a, b, c] = [say('a'), say('b'), say('c')];
    for (const messages of [[a, b], [a, b, c], [a, say('B'), c], [a]]) {
      const saved = keeper.save(kept(messages));
      await letGo();
      await saved;
    }
    expect(saves.map(written)).toEqual([
      [null, 2, 'running'],
      ['h1', 1, 'running'],
      ['h0', 2, 'running'],
      ['h0', 0, 'running'],
    ]);
  });

  it('writes one at a time, and leaves out what a later moment holds', async () => {
    const { store, saves, letGo } = slowStore();
    const keeper = new RunKeeper(store, 'r');
    const [a, b, c] = [say('a'), say('b'), say('c')];
    const all = [kept([a]), kept([a, b]), kept([a, b, c])].map((run) => keeper.save(run));
    expect(saves).toHaveLength(1);
    await letGo();
    await letGo();
    await Promise.all(all);
    expect(saves.map(written)).toEqual([
      [null, 1, 'running'],
      ['h0', 2, 'running'],
    ]);
  });

  it('an end waits for the first write, and nothing comes after it', async () => {
    const { store, saves, letGo } = slowStore();
    const keeper = new RunKeeper(store, 'r');
    const first = keeper.save(kept([say('a')]));
    const ended = keeper.end('cancelled', never);
    await expect(keeper.save(kept([]))).rejects.toThrow('over');
    await letGo();
    await letGo();
    await Promise.all([first, ended]);
    expect(saves.map(written)).toEqual([
      [null, 1, 'running'],
      ['h0', 0, 'cancelled'],
    ]);
  });

  it('writes what was said of calls with the run, once', async () => {
    const { store, saves, letGo } = slowStore();
    const unwritten = new UnwrittenVerdicts();
    const keeper = new RunKeeper(store, 'r', unwritten);
    unwritten.add('c1', verdict('c1'));
    unwritten.add('c2', verdict('c2'));
    for (const messages of [[say('a')], [say('a'), say('b')]]) {
      const saved = keeper.save(kept(messages));
      await letGo();
      await saved;
    }
    expect(saves.map(({ notes }) => notes)).toEqual([[verdict('c1'), verdict('c2')], []]);
    expect(unwritten.takeOf('c1')).toBeUndefined();
  });

  it('keeps the run though what was said of a call cannot be written, which stays to be written', async () => {
    const { store, saves, letGo } = slowStore();
    const unwritten = new UnwrittenVerdicts();
    const saveRun = (run: NativeSaveRun) =>
      run.notes?.length === 0 ? store.saveRun(run) : Promise.reject(new Error('no'));
    const keeper = new RunKeeper({ ...store, saveRun }, 'r', unwritten);
    unwritten.add('c1', verdict('c1'));
    const saved = keeper.save(kept([say('a')]));
    await letGo();
    await letGo();
    await saved;
    expect(saves.map(written)).toEqual([[null, 1, 'running']]);
    expect(unwritten.takeOf('c1')).toEqual(verdict('c1'));
  });

  it('writes what was said after the last save by itself, at the end', async () => {
    const { store, saves } = slowStore();
    const notes: unknown[] = [];
    const note = async (given: unknown) => void notes.push(given);
    const unwritten = new UnwrittenVerdicts();
    const keeper = new RunKeeper({ ...store, note }, 'r', unwritten);
    unwritten.add('c1', verdict('c1'));
    await keeper.end('cancelled', never);
    expect([saves, notes]).toEqual([[], [verdict('c1')]]);
    // Later notes are written by their source.
    expect(unwritten.add('c2', verdict('c2'))).toBe(false);
  });

  it('a run that was never kept is not kept when it is cancelled', async () => {
    const { store, saves } = slowStore();
    const keeper = new RunKeeper(store, 'r');
    await keeper.end('cancelled', never);
    expect(saves).toEqual([]);
    expect(keeper.isOurs).toBe(false);
  });
});
