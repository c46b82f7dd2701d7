/** A deep agent whose commands are confined: which ones are, and what is said of it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { DeepAgentOptions } from '../../agent.js';
import { createBackendTools, createDeepAgent, createLocalBackend } from '../../ts/agent/index.js';
import { ConfinementError, InvalidConfigError, confinementReport, createGate } from '../../ts/index.js';
import { call, calls, says, scripted } from '../support/model.js';
import { untilGone } from '../support/running.js';
import { listenToWarnings } from '../support/warnings.js';
import { ownPlace } from '../support/own-place.js';

const report = confinementReport();

const base = ownPlace('confine-agent');
afterAll(() => rmSync(base, { recursive: true }));

let root: string;
let outside: string;
beforeEach(() => {
  const folder = realpathSync(mkdtempSync(join(base, 'x-')));
  [root, outside] = [join(folder, 'project'), join(folder, 'outside')];
  for (const each of [root, outside]) mkdirSync(each);
});

const LINE = 'echo x > own; echo x > ../outside/file';
const turns = [calls(call('execute', { command: LINE }, 'c1')), says('done')];

/** One run with one command; what the human was shown, and what the model got. */
async function runOnce(options: Omit<DeepAgentOptions, 'model'>, answer: boolean | undefined = undefined) {
  const { model, prompts } = scripted(turns);
  const agent = createDeepAgent({ model, backend: createLocalBackend({ root }), ...options } as DeepAgentOptions);
  const asked: (string | null)[] = [];
  const result = await agent.generate({
    prompt: 'go',
    ...(answer === undefined
      ? {}
      : {
          onApprovalRequest: ({ description }) => {
            asked.push(description);
            return answer;
          },
        }),
  });
  return {
    asked,
    said: JSON.stringify(prompts.at(-1)),
    steps: result.steps.length,
    has: existsSync(join(outside, 'file')),
  };
}

describe.runIf(report.supported)('a command of a deep agent with confine', () => {
  test('runs confined when no human approved it, and the model is told what was refused', async () => {
    const { has, said } = await runOnce({ confine: true });
    expect([has, readFileSync(join(root, 'own'), 'utf8')]).toEqual([false, 'x\n']);
    expect(said).toContain(`The sandbox refused writing ${join(outside, 'file')}`);
  });

  test('runs confined when a policy allows it', async () => {
    const policy = { version: 1 as const, rule: [{ tools: 'execute', effect: 'allow' as const }] };
    expect(await runOnce({ confine: true, policy }, true)).toMatchObject({ has: false, asked: [] });
  });

  test('runs unconfined when a human approved it, and the request says so', async () => {
    const { has, asked } = await runOnce({ confine: true, interruptOn: ['execute'] }, true);
    expect([has, asked]).toEqual([true, [expect.stringContaining('Approved, it runs unconfined.')]]);
  });

  test('says what would run beside how', async () => {
    const { asked } = await runOnce({ confine: true, interruptOn: ['execute'] }, true);
    expect(asked).toEqual([expect.stringContaining('../outside/file')]);
  });

  test('runs confined all the same with always, and the request says so', async () => {
    const { has, asked } = await runOnce({ confine: { always: true }, interruptOn: ['execute'] }, true);
    expect([has, asked]).toEqual([false, [expect.stringContaining('It runs confined.')]]);
  });

  test.runIf(report.namespaces)('reaches nothing that its policies protect, ask about or deny', async () => {
    for (const folder of ['.github', 'private']) mkdirSync(join(root, folder));
    for (const name of ['.env', '.github/ci.yml', 'private/notes', 'plans'])
      writeFileSync(join(root, name), `KEPT ${name}`);
    const line = 'cat .env private/notes; echo x > .github/ci.yml; echo x > plans; cat plans; echo x > own';
    writeFileSync(join(root, 'build'), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    const policy = {
      version: 1 as const,
      rule: [
        { effect: 'allow' as const, commands: ['./build'] },
        { effect: 'deny' as const, reads: `${root}/private/**` },
        { effect: 'ask' as const, writes: `${root}/plans` },
      ],
    };
    const { model, prompts } = scripted([calls(call('execute', { command: './build' }, 'c1')), says('done')]);
    const agent = createDeepAgent({ model, policy, backend: createLocalBackend({ root }), confine: true });
    await agent.generate({ prompt: 'go' });
    const said = JSON.stringify(prompts.at(-1));
    expect(said).toContain('KEPT plans');
    expect(said).not.toMatch(/KEPT (?:\.env|private)/);
    expect(said).toContain(`writing ${join(root, 'plans')}`);
    expect(['.github/ci.yml', 'plans', 'own'].map((name) => readFileSync(join(root, name), 'utf8'))).toEqual([
      'KEPT .github/ci.yml',
      'KEPT plans',
      'x\n',
    ]);
  });

  test.runIf(report.namespaces)(
    'is not given what is protected where a reach names it, though a human would say yes',
    async () => {
      for (const folder of ['.git/hooks', '.ssh', '.github/workflows', 'plain'])
        mkdirSync(join(outside, folder), { recursive: true });
      for (const name of ['.env', '.ssh/id_rsa', '.git/config', 'plain/open'])
        writeFileSync(join(outside, name), `KEPT ${name}`);
      const reaches = [
        { write: ['../outside/.git/hooks'] },
        { write: ['../outside/.github/workflows'] },
        { read: ['../outside/.env'] },
        { read: ['../outside/.ssh/id_rsa'] },
        { read: ['../outside/.ssh'] },
        { read: ['../outside/.git/config'] },
      ];
      const line =
        "cd ../outside; cat .env .ssh/id_rsa .git/config plain/open; echo x > .git/hooks/evil; echo rea''ched";
      writeFileSync(join(root, 'build'), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
      for (const [reach, isGiven] of [
        ...reaches.map((each) => [each, false] as const),
        [{ read: ['../outside/plain/open'] }, true] as const,
      ]) {
        const { model, prompts } = scripted([
          calls(call('execute', { command: './build', reach }, 'c1')),
          says('done'),
        ]);
        const agent = createDeepAgent({ model, backend: createLocalBackend({ root }), confine: true });
        let asked = 0;
        await agent.generate({ prompt: 'go', onApprovalRequest: () => ++asked > 0 });
        const said = JSON.stringify(prompts.at(-1));
        expect([reach, asked, said.includes('reached')]).toEqual([reach, isGiven ? 1 : 0, isGiven]);
        if (!isGiven) expect(said).toContain('is kept from all commands');
        expect(said).not.toMatch(/KEPT \./);
        expect(existsSync(join(outside, '.git/hooks/evil'))).toBe(false);
      }
    },
  );

  test('leaves no repository behind that git would obey, however deep, and says so', async () => {
    mkdirSync(join(root, 'deep/er'), { recursive: true });
    const line = 'git init -q deep/er; git init -q .; echo x > own';
    const { model, prompts } = scripted([calls(call('execute', { command: line }, 'c1')), says('done')]);
    await createDeepAgent({ model, backend: createLocalBackend({ root }), confine: true }).generate({ prompt: 'go' });
    const names = ['own', '.git', 'deep/er/.git', '.git.unchecked', 'deep/er/.git.unchecked'];
    expect(names.map((name) => existsSync(join(root, name)))).toEqual([true, false, false, true, true]);
    const said = JSON.stringify(prompts.at(-1));
    for (const path of ['.git', 'deep/er/.git']) expect(said).toContain(`${join(root, path)}.unchecked`);
  });

  test('leaves none in a folder that is hidden by its name, and tells where not all could be looked at', async () => {
    using heard = listenToWarnings();
    const line = String.raw`git init -q deep/.ssh/er; git init -q "$(printf 'x\377')"; git init -q .`;
    const { model, prompts } = scripted([calls(call('execute', { command: line }, 'c1')), says('done')]);
    await createDeepAgent({ model, backend: createLocalBackend({ root }), confine: true }).generate({ prompt: 'go' });
    expect(['.git', 'deep/.ssh/er/.git'].map((name) => existsSync(join(root, name)))).toEqual([false, false]);
    expect(JSON.stringify(prompts.at(-1))).toContain('to look at all of them');
    expect(heard.warnings).toContainEqual(expect.stringContaining('to look at all of them'));
  });

  test('leaves none where its backend fails', async () => {
    using heard = listenToWarnings();
    const backend = createLocalBackend({ root });
    const { execute } = backend;
    backend.execute = async (...given) => {
      await execute.apply(backend, given);
      throw new Error('the backend failed');
    };
    const { model, prompts } = scripted([calls(call('execute', { command: 'git init -q deep' }, 'c1')), says('done')]);
    await createDeepAgent({ model, backend, confine: true }).generate({ prompt: 'go' });
    expect(JSON.stringify(prompts.at(-1))).toContain('the backend failed');
    expect(existsSync(join(root, 'deep/.git'))).toBe(false);
    expect(heard.warnings).toContainEqual(expect.stringContaining(join(root, 'deep/.git')));
  });

  test.runIf(report.namespaces)('masks what policies protect also where it may read more', async () => {
    writeFileSync(join(outside, '.env'), 'SECRET of others');
    writeFileSync(join(outside, 'plain'), 'plain text');
    const command = 'cat ../outside/plain ../outside/.env';
    const { model, prompts } = scripted([calls(call('execute', { command }, 'c1')), says('done')]);
    const agent = createDeepAgent({ model, backend: createLocalBackend({ root }), confine: { read: ['../outside'] } });
    await agent.generate({ prompt: 'go' });
    const said = JSON.stringify(prompts.at(-1));
    expect([said.includes('plain text'), said.includes('SECRET')]).toEqual([true, false]);
  });

  describe('on a backend that confines by itself', () => {
    const own = () => createLocalBackend({ root, confine: { hide: ['kept'] } });
    beforeEach(() => writeFileSync(join(root, 'kept'), 'of the backend'));

    test('runs confined though a human approved it, and the request says so', async () => {
      const { has, asked } = await runOnce({ backend: own(), confine: true, interruptOn: ['execute'] }, true);
      expect([has, asked]).toEqual([false, [expect.stringContaining('It runs confined.')]]);
    });

    test('reads neither what the backend hides nor what a policy denies', async () => {
      writeFileSync(join(root, 'denied'), 'of the policy');
      const policy = {
        version: 1 as const,
        rule: [
          { tools: 'execute', effect: 'allow' as const, commands: ['./look'] },
          { reads: join(root, 'denied'), effect: 'deny' as const },
        ],
      };
      writeFileSync(join(root, 'look'), '#!/bin/sh\ncat kept denied; echo looked\n', { mode: 0o755 });
      const { model, prompts } = scripted([calls(call('execute', { command: './look' }, 'c1')), says('done')]);
      await createDeepAgent({ model, backend: own(), confine: true, policy }).generate({ prompt: 'go' });
      const said = JSON.stringify(prompts.at(-1));
      expect(said).toContain('looked');
      expect(said).not.toMatch(/of the (?:backend|policy)/);
    });

    test.each([{ write: ['/var'] }, { read: ['/root'] }, { network: 'loopback' as const }, { localSockets: true }])(
      'is not given another: %j',
      (confine) => {
        const { model } = scripted([]);
        expect(() => createDeepAgent({ model, backend: own(), confine })).toThrow(/give it to the backend/);
      },
    );
  });

  test.each([
    ['unconfined when a human approved it at the gate', undefined, true],
    ['confined when the mode did', 'auto' as const, false],
  ])('in another loop runs %s', async (_, mode, has) => {
    const gate = createGate({ place: { cwd: root } });
    if (mode !== undefined) await gate.setMode(mode);
    const { model } = scripted([]);
    const backend = createLocalBackend({ root });
    const { tools } = createDeepAgent({ model, backend, gate, confine: true, interruptOn: ['execute'] });
    const running = tools.execute.execute?.({ command: LINE }, { toolCallId: 'c1', messages: [] } as never);
    if (mode === undefined) {
      await expect.poll(async () => (await gate.pending()).length).toBe(1);
      const [request] = await gate.pending();
      await gate.approve(request?.approvalId ?? '', { by: 'mia' });
    }
    await running;
    expect(existsSync(join(outside, 'file'))).toBe(has);
    await gate.close();
  });

  test('may write where it is given more', async () => {
    expect((await runOnce({ confine: { write: ['.', '../outside'] } })).has).toBe(true);
  });

  test('runs unconfined without it, as before', async () => {
    expect((await runOnce({})).has).toBe(true);
  });

  test('called from a loop that nobody gates it runs confined', async () => {
    const tools = createBackendTools({ backend: createLocalBackend({ root, confine: true }) });
    const said = await tools.execute.execute?.({ command: LINE }, { toolCallId: 'x', messages: [] } as never);
    expect([existsSync(join(outside, 'file')), String(said)]).toEqual([
      false,
      expect.stringContaining('The sandbox refused'),
    ]);
  });

  test('is killed with all that it started when it takes too long', async () => {
    const backend = createLocalBackend({ root, confine: true });
    const mark = join(root, 'begun');
    const line = `setsid sh -c "echo > '${mark}'; sleep 60; echo late" & setsid sh -c ": '${mark}'; sleep 1000; :"`;
    // On a busy machine it may not have begun by then: then again, with more time.
    for (let timeout = 300; !existsSync(mark); timeout *= 4) {
      const { stopped, output, confined } = await backend.execute(line, { timeout });
      expect({ stopped, output, confined }).toEqual({ stopped: 'timeout', output: '', confined: true });
    }
    await untilGone(mark);
  });
});

test('a backend that cannot confine is no backend for it', () => {
  const { model } = scripted([]);
  const { canConfine: _, ...backend } = createLocalBackend({ root });
  expect(() => createDeepAgent({ model, backend, confine: true })).toThrow(InvalidConfigError);
});

test.runIf(!report.supported)('where nothing can be confined, the agent is not made', () => {
  const { model } = scripted([]);
  expect(() => createDeepAgent({ model, confine: true })).toThrow(ConfinementError);
});
