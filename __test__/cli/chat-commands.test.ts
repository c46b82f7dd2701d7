/** Commands, completion and modes of the chat. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratch } from '../policy/support.js';
import { call, calls, says } from '../support/model.js';
import { waiting } from '../support/play.js';
import { ASKS, asked, idle, stage, told } from './chat-support.js';

const write = (path: string, id = 'call_1') => call('write_file', { file_path: path, content: 'x' }, id);
const last = (chat: { view: Parameters<typeof told>[0] }): string => told(chat.view).at(-1)!;

describe('a command', () => {
  test('that there is not names the nearest one', async () => {
    const { chat } = await stage([]);
    for (const [line, said] of [
      ['/aprove', 'did you mean /approve?'],
      ['/resum x', 'did you mean /resume?'],
      ['/zzzzzz', '/help lists them'],
      ['/\u001b[2J', '/help lists them'],
    ] as const) {
      await chat.submit(line);
      expect(last(chat)).toContain(said);
      expect(last(chat)).not.toContain('\u001b');
    }
  });

  test('/help names each', async () => {
    const { chat } = await stage([]);
    await chat.submit('/help');
    for (const { usage } of chat.commands) expect(last(chat)).toContain(usage);
  });

  test('a path is a prompt', async () => {
    const { chat, prompts } = await stage([says('Yes.')]);
    await chat.submit('/etc/passwd is what?');
    expect(prompts).toHaveLength(1);
  });

  test('/clear forgets the conversation', async () => {
    const { chat, prompts } = await stage([says('One.'), says('Two.')]);
    await chat.submit('one');
    await chat.submit('/clear');
    await chat.submit('two');
    expect(prompts[1]!.map(({ role }) => role)).toEqual(['system', 'user']);
  });

  test('/model tells it and changes it; one that cannot be opened changes nothing', async () => {
    const { chat } = await stage([], {
      options: {
        openModel: async (id) => {
          if (id === 'bad') throw new Error('no such model');
          return { model: 'x', label: id };
        },
      },
    });
    await chat.submit('/model');
    expect(last(chat)).toBe('note: Model: scripted');
    await chat.submit('/model bad');
    expect([last(chat), chat.view.model]).toEqual(['note: no such model', 'scripted']);
    await chat.submit('/model good');
    expect(chat.view.model).toBe('good');
  });

  test('/policy tells the rules, and what they say of a command line', async () => {
    const policy = {
      version: 1,
      rule: [{ tools: 'execute', commands: ['rm'], effect: 'deny', reason: 'never' }],
    } as const;
    const { chat } = await stage([], { gate: { policy }, options: { policies: ['Policy: one'] } });
    await chat.submit('/policy');
    expect(last(chat)).toBe('note: Mode: safe\nPolicy: one');
    await chat.submit('/policy ls; rm x');
    expect(last(chat)).toMatch(/deny: .*policy option.*never/);
  });

  test('/policy lists the rules of each file, and how the file stands', async () => {
    const folder = scratch();
    mkdirSync(join(folder, '.countersign'));
    const file = join(folder, '.countersign/policy.toml');
    writeFileSync(
      file,
      'version = 1\n\n[[rule]]\neffect = "allow"\ncommands = ["git status", ["npm", ["test", "ci"]]]\nreason = "harmless\\u001b[2J"\n',
    );
    const { chat } = await stage([], { folder, gate: { policyFiles: true, policy: 'preset:read-only' } });
    await chat.submit('/policy');
    expect(last(chat)).toMatch(/Preset read-only: \d+ rules \(countersign policy preset read-only\)/);
    expect(last(chat)).toContain(
      `The project's policy (not trusted)\n  ${file}\n  it only tightens, until npx countersign policy trust\n` +
        '  3  allow  commands git status, npm test|ci (harmless\\u{001B}[2J)',
    );
    writeFileSync(file, 'version = 1\n[[rule]]\neffect = "perhaps"\n');
    await chat.submit('/policy');
    expect(last(chat)).toContain(`The project's policy (broken)\n  ${file}\n  line 2:1: this rule`);
    expect(last(chat)).not.toContain('perhaps  everything');
  });

  test('/policy cuts no path, nor any rule', async () => {
    const folder = scratch();
    mkdirSync(join(folder, '.countersign'));
    const path = 'packages/frontend/src/generated/components';
    const rule = `effect = "deny"\ncommands = ["git push", "npm publish"]\nwrites = ["\${project}/${path}/**"]\nreason = "by people"`;
    writeFileSync(join(folder, '.countersign/policy.toml'), `version = 1\n[[rule]]\n${rule}\n`);
    const policies = [`Policy: /work/${path}/policy.toml`];
    const window = () => ({ columns: 40, rows: 60 });
    const { chat } = await stage([], { folder, gate: { policyFiles: true }, options: { window, policies } });
    await chat.submit('/policy');
    expect(last(chat)).not.toContain('…');
    const whole = last(chat).replaceAll(/\n */g, '');
    for (const text of [`Policy: /work/${path}/policy.toml`, `writes \${project}/${path}/** (by people)`, folder])
      expect(whole.replaceAll(' ', '')).toContain(text.replaceAll(' ', ''));
    await chat.submit('/policy git push');
    expect(last(chat).match(/policy\.toml:2/g)).toHaveLength(1);
  });

  test('/policy comes in pages of the window', async () => {
    const folder = scratch();
    mkdirSync(join(folder, '.countersign'));
    const rules = Array.from({ length: 30 }, (_, at) => `[[rule]]\neffect = "ask"\ncommands = ["tool-${at}"]\n`);
    writeFileSync(join(folder, '.countersign/policy.toml'), `version = 1\n${rules.join('')}`);
    const window = () => ({ columns: 40, rows: 20 });
    const { chat } = await stage([], { folder, gate: { policyFiles: true }, options: { window } });
    const seen: string[] = [];
    for (const page of ['', ' 2', ' 3']) {
      await chat.submit(`/policy${page}`);
      const lines = last(chat).slice('note: '.length).split('\n');
      expect(lines.length).toBeLessThanOrEqual(14);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(37);
      seen.push(...lines);
    }
    expect(seen.filter((line) => line.includes('tool-'))).toHaveLength(30);
    expect(seen).toContain('page 1 of 3: /policy 2 is the next');
    expect(seen.at(-1)).toBe('page 3 of 3');
    await chat.submit('/policy 4');
    expect(last(chat)).toBe('note: There are 3 pages.');
  });

  test('/pending tells what waits, in other runs too', async () => {
    const { chat, gate } = await stage([]);
    await chat.submit('/pending');
    expect(last(chat)).toBe('note: Nothing waits.');
    void gate.request({ toolName: 'deploy', args: { to: 'prod\u001b[2J' } });
    await waiting(gate);
    await chat.submit('/pending');
    expect(last(chat)).toMatch(/deploy {2}prod\\u\{001B\}/);
  });

  test('/grants lists and revokes', async () => {
    const status = (id: string) => calls(call('execute', { command: 'git status' }, id));
    const { chat, gate } = await stage([status('call_1'), says('Done.')]);
    await chat.submit('/grants');
    expect(last(chat)).toBe('note: Nothing is remembered.');
    void chat.submit('go');
    await chat.always((await asked(chat)).request.approvalId, 'session');
    await idle(chat);
    const [grant] = await gate.grants.list();
    expect(chat.complete('/grants r')).toEqual(['/grants revoke', `/grants revoke ${grant!.id}`]);
    await chat.submit('/grants revoke zzz');
    expect(last(chat)).toMatch(/There is nothing remembered "zzz"/);
    await chat.submit(`/grants revoke ${grant!.id.slice(-8)}`);
    expect(await gate.grants.list()).toEqual([]);
  });

  test('/quit ends it', async () => {
    const { chat } = await stage([]);
    await chat.submit('/quit');
    expect(chat.isOver).toBe(true);
  });
});

test('completion', async () => {
  const { chat } = await stage([]);
  expect(chat.complete('/')).toHaveLength(chat.commands.length);
  expect(chat.complete('/p')).toEqual(['/policy', '/pending']);
  expect(chat.complete('/AP')).toEqual(['/approve']);
  expect(chat.complete('hello')).toEqual([]);
  expect(chat.complete('/nothing ')).toEqual([]);
});

describe('Auto-approve', () => {
  test('is off at first; turned on it answers what waits, and turned off it asks again', async () => {
    const turns = [calls(write('a.txt'), write('b.txt', 'call_2')), calls(write('c.txt', 'call_3')), says('Done.')];
    const { chat, folder } = await stage([...turns, calls(write('d.txt', 'call_4')), says('Fine.')]);
    expect(chat.view.mode).toBe('safe');
    void chat.submit('go');
    await asked(chat, 2);
    await chat.approveAll();
    await idle(chat);
    expect(chat.view.mode).toBe('auto');
    expect(['a', 'b', 'c'].every((name) => existsSync(join(folder, `${name}.txt`)))).toBe(true);
    expect(told(chat.view).some((line) => line.startsWith('note: 🟠 Auto-approve: '))).toBe(true);
    await chat.submit('/approve');
    expect(last(chat)).toMatch(/^note: Auto-approve is on/);
    await chat.submit('/approve of');
    expect(last(chat)).toMatch(/^note: Use \/approve on or \/approve off/);
    expect(chat.view.mode).toBe('auto');
    await chat.submit('/approve off');
    expect(last(chat)).toMatch(/^note: 🟢 Safe mode: /);
    void chat.submit('more');
    const { request } = await asked(chat);
    await chat.decide(request.approvalId, { type: 'reject' });
    await idle(chat);
  });

  test('has no emoji where those are off', async () => {
    const { chat } = await stage([], { options: { emoji: false } });
    await chat.submit('/approve on');
    expect(last(chat)).toMatch(/^note: Auto-approve: /);
    await chat.submit('/approve off');
    expect(last(chat)).toMatch(/^note: Safe mode: /);
  });

  test('does not run what a policy denies', async () => {
    const denied = {
      version: 1,
      rule: [{ tools: 'execute', commands: ['rm'], effect: 'deny', reason: 'never' }],
    } as const;
    const { chat, folder } = await stage(
      [calls(call('execute', { command: 'rm a.txt' }, 'call_1'), write('b.txt', 'call_2')), says('Done.')],
      { gate: { policy: [ASKS as never, denied], mode: 'auto' } },
    );
    await chat.submit('go');
    const tools = told(chat.view).filter((line) => /^(execute|write_file)/.test(line));
    expect(tools).toEqual(['execute rm a.txt: denied', 'write_file b.txt: succeeded']);
    expect(existsSync(join(folder, 'b.txt'))).toBe(true);
  });

  test('does not answer what a policy came to deny while it waited', async () => {
    const { chat, folder } = await stage(
      [calls(call('execute', { command: 'touch a.txt' }, 'call_1'), write('b.txt', 'call_2')), says('Done.')],
      { gate: { policyFiles: true } },
    );
    void chat.submit('go');
    await asked(chat, 2);
    writeFileSync(
      join(folder, '.countersign/policy.toml'),
      'version = 1\n[[rule]]\ntools = "execute"\ncommands = ["touch"]\neffect = "deny"\nreason = "never"\n',
    );
    await chat.approveAll();
    expect(told(chat.view).some((line) => /^note: Not approved: execute: .*never/.test(line))).toBe(true);
    const { request } = chat.view.asks[0]!;
    expect([chat.view.asks.length, request.toolName]).toEqual([1, 'execute']);
    await chat.decide(request.approvalId, { type: 'approve' });
    // The other was approved under another policy: it is approved once more, by the mode.
    await idle(chat);
    expect(told(chat.view)).toContain('execute touch a.txt: denied');
    expect(['a.txt', 'b.txt'].map((name) => existsSync(join(folder, name)))).toEqual([false, true]);
  });

  test('that a policy forbids stays off, and what waits goes on waiting', async () => {
    const { chat } = await stage([calls(write('a.txt')), says('Done.')], {
      gate: { policy: [ASKS as never, { version: 1, forbid: ['auto'] }] },
    });
    void chat.submit('go');
    const { request } = await asked(chat);
    await chat.approveAll();
    expect(last(chat)).toMatch(/^note: Auto-approve stays off: .*forbids/);
    expect(chat.view).toMatchObject({ mode: 'safe', asks: [{ request: { approvalId: request.approvalId } }] });
    await chat.decide(request.approvalId, { type: 'reject' });
    await idle(chat);
  });
});
