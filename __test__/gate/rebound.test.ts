/** An edit that is decided where the tool of its call is not known is bound to where the edited paths lead, and to who must agree. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Gate, PolicyDocument } from '../../index.js';
import { localGate } from '../../ts/gate/gate.js';
import { reboundContext } from '../../ts/gate/rebound.js';
import { createGate } from '../../ts/index.js';
import { snapshot } from '../../ts/values/snapshot.js';
import { scratch } from '../policy/support.js';

const gates: Gate[] = [];
afterEach(async () => {
  await Promise.all(gates.splice(0).map((gate) => gate.close()));
});

const policy: PolicyDocument = {
  version: 1,
  rule: [
    { effect: 'ask', reads: ['${project}/payroll/**'], approvers: ['ada'] },
    { effect: 'ask', reads: ['${project}/**'] },
  ],
};
/** It says the same of these calls, and is another one. */
const other: PolicyDocument = { ...policy, default: 'deny' };

/** A folder in which `link` leads to `there`. */
function project(): string {
  const root = scratch();
  for (const folder of ['payroll', 'there']) mkdirSync(join(root, folder));
  for (const file of ['notes.txt', 'payroll/june', 'there/x']) writeFileSync(join(root, file), '');
  symlinkSync('there', join(root, 'link'));
  return root;
}

/** What reads calls as a gate does, in this folder. */
function controlOf(cwd: string, document: PolicyDocument, root = cwd) {
  const gate = createGate({ policy: document, place: { cwd, project: root, home: '/nonexistent' } });
  gates.push(gate);
  return localGate(gate, 'test').control;
}

type Control = ReturnType<typeof controlOf>;

const reading = (file_path: string) => ({
  toolCallId: 'c1',
  toolName: 'read_file',
  args: snapshot({ file_path }),
});

const boundOf = async (control: Control, path: string) =>
  (await control.bound(reading(path), [])).context as { cwd: string; places?: unknown; who?: unknown };

/** What the edit is bound to that is decided here, of a request that was made there. */
const rebound = async (here: Control, there: Control, to: string) => {
  const context = { policy: await boundOf(there, 'notes.txt'), tool: 'read_file 0' };
  return (await reboundContext(here, context, reading(to))) as { policy: object; tool: string };
};

it.each(['link/x', 'payroll/june', 'there/x'])(
  'by the same policies it is bound as it would be there: %s',
  async (to) => {
    const root = project();
    const [here, there] = [controlOf(root, policy), controlOf(root, policy)];
    expect(await rebound(here, there, to)).toEqual({ policy: await boundOf(there, to), tool: 'read_file 0' });
  },
);

it('what it is bound to is of the edited call, and not of the one that was asked about', async () => {
  const control = controlOf(project(), policy);
  const [notes, link, payroll] = [
    await boundOf(control, 'notes.txt'),
    await boundOf(control, 'link/x'),
    await boundOf(control, 'payroll/june'),
  ];
  expect([link.places === undefined, payroll.who === undefined]).toEqual([false, false]);
  expect([notes.places, notes.who]).toEqual([undefined, undefined]);
});

it('by other policies it stays bound to those of the request, and to where the paths lead that are seen here', async () => {
  const root = project();
  const [here, there] = [controlOf(root, other), controlOf(root, policy)];
  const notes = await boundOf(there, 'notes.txt');
  const { places } = await boundOf(here, 'link/x');
  expect((await rebound(here, there, 'link/x')).policy).toEqual({ ...notes, places });
  // Paths that lead nowhere else have no places, whatever the request had.
  const context = { policy: await boundOf(there, 'link/x'), tool: 'read_file 0' };
  expect(await reboundContext(here, context, reading('notes.txt'))).toEqual({ policy: notes, tool: 'read_file 0' });
});

it('from another folder the paths are others: then it is bound to none of them', async () => {
  const root = project();
  const [here, there] = [controlOf(join(root, 'there'), other, root), controlOf(root, policy)];
  symlinkSync('../payroll', join(root, 'there', 'link'));
  expect((await boundOf(here, 'link/june')).places).toBeDefined();
  expect((await rebound(here, there, 'link/june')).policy).toEqual(await boundOf(there, 'notes.txt'));
});

it('of a run with policies of its own, each is bound anew', async () => {
  const root = project();
  const [here, there] = [controlOf(root, policy), controlOf(root, other)];
  const [own, narrower] = [await boundOf(here, 'notes.txt'), await boundOf(there, 'notes.txt')];
  const context = { policy: [own, narrower], tool: 'read_file 0' };
  const { places } = await boundOf(here, 'link/x');
  expect(await reboundContext(here, context, reading('link/x'))).toEqual({
    policy: [await boundOf(here, 'link/x'), { ...narrower, places }],
    tool: 'read_file 0',
  });
});
