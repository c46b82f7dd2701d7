/** The view "Suggestions": who may see it, what is accepted, and that it is what was shown. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonSchema } from 'ai';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { gateTools } from '../../ts/index.js';
import type { AcceptAnswer, SuggestionAnswer } from '../../ts/inbox/protocol.js';
import { trusted } from '../../ts/native.js';
import { waiting } from '../support/play.js';
import { ask, gateOf, inboxOf, Person, scratch } from './support.js';

let home: string;

beforeEach(() => {
  home = scratch();
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
});

/** An inbox over a project in which a command was asked about so often. */
async function place(times = 3, { toml, ledger }: { toml?: string; ledger?: string } = {}) {
  const folder = join(home, 'app');
  mkdirSync(join(folder, '.countersign'), { recursive: true });
  const file = join(folder, '.countersign', 'policy.toml');
  if (toml !== undefined) writeFileSync(file, toml);
  const gate = gateOf({
    ledger: (ledger ?? `sqlite:${join(folder, 'ledger.db')}`) as 'memory:',
    policyFiles: true,
    place: { cwd: folder, home },
  });
  const tools = gateTools(
    { execute: { inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'done' } } as never,
    { gate },
  ) as { execute: { execute: (args: object, options: object) => Promise<string> } };
  for (let time = 0; time < times; time++) {
    const asked = tools.execute.execute({ command: 'npm run build' }, { toolCallId: `call-${time}`, messages: [] });
    const [request] = await waiting(gate, 1);
    await gate.approve(request!.approvalId);
    await asked;
  }
  return { gate, file, folder, handler: inboxOf(gate) };
}

const look = (person: Person) => person.get<SuggestionAnswer>('api/suggestions');

describe('suggestions', () => {
  it('are shown as a diff with their proof, and written as they were shown', async () => {
    const { file, gate, handler } = await place();
    const mia = new Person(handler, 'mia');
    const { suggestion } = (await look(mia)).body;
    expect(suggestion?.diff).toContain('+commands = [{ words = "npm run build", exact = true }]');
    expect(suggestion?.proof[0]).toContain('3 of 3 questions');
    expect(existsSync(file)).toBe(false);
    const { digest } = suggestion!;
    const done = await mia.post<AcceptAnswer>('api/suggestions', { digest, trust: true });
    expect([done.status, done.body.trusted]).toEqual([200, true]);
    expect(readFileSync(file, 'utf8')).toContain('npm run build');
    expect(await trusted()).toHaveLength(1);
    expect((await gate.check({ toolName: 'execute', args: { command: 'npm run build' } })).effect).toBe('allow');
    const granted: object[] = [];
    for await (const entry of gate.audit.list({ kind: 'granted' } as never)) granted.push(entry);
    expect(granted.filter((entry) => (entry as { kind: string }).kind === 'granted')).toMatchObject([
      { by: 'mia', effect: 'allow' },
    ]);
    // It was accepted, so that it is no longer what there is to accept.
    expect((await mia.post('api/suggestions', { digest, trust: true })).status).toBe(409);
  });

  it('are not for those who only look, nor where nothing is remembered for ever, nor without a history', async () => {
    const { gate, file, handler } = await place();
    const { digest } = (await look(new Person(handler, 'mia'))).body.suggestion!;
    const eve = new Person(handler, '-eve');
    expect((await look(eve)).body).toMatchObject({ suggestion: null, whyNot: 'You may look, and not decide.' });
    expect((await eve.post('api/suggestions', { digest, trust: false })).status).toBe(403);
    const short = new Person(inboxOf(gate, { remember: ['run', 'session'] }), 'mia');
    expect((await look(short)).body.suggestion).toBeNull();
    expect((await short.post('api/suggestions', { digest, trust: false })).status).toBe(403);
    expect(existsSync(file)).toBe(false);
    const inMemory = await place(0, { ledger: 'memory:' });
    expect((await look(new Person(inMemory.handler, 'mia'))).body.whyNot).toContain('there is no history');
  });

  it('are refused once the file is another one, and trust is not given to a file that had none', async () => {
    const toml = '# theirs\nversion = 1\n';
    const { file, handler } = await place(3, { toml });
    const mia = new Person(handler, 'mia');
    const { suggestion } = (await look(mia)).body;
    expect(suggestion?.mayTrust).toBe(false);
    const { digest } = suggestion!;
    expect((await mia.post('api/suggestions', { digest, trust: true })).status).toBe(403);
    writeFileSync(file, `${toml}default = "ask"\n`);
    expect((await mia.post('api/suggestions', { digest, trust: false })).status).toBe(409);
    expect(readFileSync(file, 'utf8')).toBe(`${toml}default = "ask"\n`);
  });

  it('say what is wrong with a file that cannot be added to', async () => {
    const { handler } = await place(0, { toml: 'version = 1\n[[rule]\n' });
    const { status, body } = await look(new Person(handler, 'mia'));
    expect([status, body.suggestion]).toEqual([200, null]);
    expect(body.whyNot).toContain('policy.toml');
  });

  it('take nothing but what they know', async () => {
    const { gate, handler } = await place(0);
    await ask(gate);
    const mia = new Person(handler, 'mia');
    for (const body of [{}, { digest: 1, trust: true }, { digest: 'x', trust: 'yes' }, { digest: 'x', after: 'y' }])
      expect((await mia.post('api/suggestions', body)).status).toBe(400);
  });
});
