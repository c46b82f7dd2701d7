/** A tool that is gated twice is refused by name: asked about twice, or by what finds no approval of its own, it would be a riddle. */
import { describe, expect, test } from 'vitest';
import { applyInterruptConfig, createGate, gateTools, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const interruptOn = { del: true } as const;
const deleting = () => scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]).model;
const refused = (place: string) =>
  expect.objectContaining({
    code: 'ERR_INVALID_CONFIG',
    message: expect.stringContaining(`${place}: the tool "del" is gated already, by gateTools`) as unknown,
  });

/** A human who says yes, and how often. */
function asking() {
  const asked: string[] = [];
  return { asked, onApprovalRequest: ({ toolName }: { toolName: string }) => asked.push(toolName) > 0 };
}

describe.each(['wait', 'stop'] as const)("tools of gateTools in the mode '%s'", (mode) => {
  const gated = () => gateTools(recordingTools().tools, { interruptOn, mode, gate: createGate() });
  const { onApprovalRequest } = asking();

  test('are refused where they would be asked about once more', () => {
    for (const again of [interruptOn, 'all'] as const) {
      expect(() => gateTools(gated(), { interruptOn: again, onApprovalRequest })).toThrow(refused('gateTools'));
      expect(() => gateTools(gated(), { interruptOn: again, mode: 'stop', gate: createGate() })).toThrow(
        refused('gateTools'),
      );
      expect(() =>
        streamWithEvents({ model: deleting(), tools: gated(), prompt: 'x', interruptOn: again, onApprovalRequest }),
      ).toThrow(refused('streamWithEvents'));
      expect(() => applyInterruptConfig(gated(), again)).toThrow(refused('applyInterruptConfig'));
    }
  });

  test('also as copies', () => {
    const copied = { del: { ...gated().del } };
    expect(() => gateTools(copied, { interruptOn, onApprovalRequest })).toThrow(refused('gateTools'));
  });

  test('and not where they are left to it', () => {
    expect(() => gateTools(gated(), { interruptOn: { del: false }, onApprovalRequest })).not.toThrow();
  });
});

test('where a run leaves them to it, nobody is told that every tool runs unasked', () => {
  using heard = listenToWarnings();
  const { onApprovalRequest } = asking();
  const gated = gateTools(recordingTools().tools, { interruptOn, onApprovalRequest });
  gateTools(gated, { interruptOn: { del: false }, onApprovalRequest });
  expect(heard.warnings).toEqual([]);
});

test("tools of the mode 'stop' are refused by a run, which would ask in its own name and find them closed", () => {
  const tools = gateTools(recordingTools().tools, { interruptOn, mode: 'stop', gate: createGate() });
  expect(() => streamWithEvents({ model: deleting(), tools, prompt: 'x', ...asking() })).toThrow(
    refused('streamWithEvents'),
  );
});

test('a tool that a run leaves to gateTools is asked about once', async () => {
  const { tools, ran } = recordingTools();
  const { asked, onApprovalRequest } = asking();
  const gated = gateTools(tools, { interruptOn, onApprovalRequest });
  await collect(streamWithEvents({ model: deleting(), tools: gated, prompt: 'x', interruptOn: 'none' }));
  expect([asked, ran]).toEqual([['del'], ['del /a']]);
});

test('applyInterruptConfig twice, and gateTools after it, ask once', async () => {
  for (const make of [
    (tools: ReturnType<typeof recordingTools>['tools']) => applyInterruptConfig(tools, interruptOn),
    (tools: ReturnType<typeof recordingTools>['tools']) => tools,
  ]) {
    const { tools, ran } = recordingTools();
    const { asked, onApprovalRequest } = asking();
    const marked = applyInterruptConfig(make(tools), interruptOn);
    await collect(streamWithEvents({ model: deleting(), tools: marked, prompt: 'x', interruptOn, onApprovalRequest }));
    expect([asked, ran]).toEqual([['del'], ['del /a']]);
  }
});
