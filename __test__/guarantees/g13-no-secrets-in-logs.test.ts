/**
 * G13. No secrets in logs: arguments are logged only at trace level; redaction is configurable and applied before storing.
 *
 * What redaction finds is tested in `gate/redaction.test.ts`.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { tool, type ToolSet } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { ApprovalAnswer, Logger } from '../../index.js';
import { createGate } from '../../ts/index.js';
import { sample } from '../support/effort.js';
import { waitingEntries } from '../support/entries.js';
import { call, calls, collect, major, says } from '../support/model.js';
import { start, until } from '../support/play.js';

const SECRET = 'hunter2-correct-horse';
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

/** Writes everything down, by level. */
function recorder() {
  const lines = Object.fromEntries(LEVELS.map((level) => [level, [] as unknown[]])) as Record<Level, unknown[]>;
  const logger = Object.fromEntries(
    LEVELS.map((level) => [level, (message: string, fields: object) => void lines[level].push([message, fields])]),
  ) as Required<Logger>;
  const above = () => JSON.stringify(LEVELS.filter((level) => level !== 'trace').map((level) => lines[level]));
  return { logger, lines, above };
}

const turns = [calls(call('login', { password: SECRET, nested: { list: [SECRET] } }, 'c1')), says('.')];
const schema = z.object({ password: z.string(), nested: z.object({ list: z.array(z.string()) }).optional() });
const loginTools = (execute: () => unknown = () => 'in'): ToolSet => ({
  login: tool({ inputSchema: schema, execute: execute as never }),
});

const other = `${SECRET}-edited`;
const answers: [name: string, answer: () => ApprovalAnswer | Promise<ApprovalAnswer>][] = [
  ['approve', () => true],
  ['approve with a reason', () => ({ type: 'approve', reason: `because ${SECRET}` })],
  ['reject', () => ({ type: 'reject', reason: `not ${SECRET}` })],
  ['edit', () => ({ type: 'edit', args: { password: other } })],
  ['edit that does not fit', () => ({ type: 'edit', args: { password: [other] } })],
  ['edit with a word too many', () => ({ type: 'edit', args: { password: other }, stop: true }) as never],
  ['respond', () => ({ type: 'respond', output: { token: SECRET } })],
  ['skip', () => ({ type: 'skip', reason: SECRET })],
  ['an unknown answer', () => ({ type: SECRET }) as never],
  ['garbage', () => SECRET as never],
  ['a failure', () => Promise.reject(new Error(`lost ${SECRET}`))],
];

describe.each(waitingEntries)('%s', (_, entry) => {
  it.each(sample(answers))('logs no arguments, answers or reasons above trace: %s', async (_name, answer) => {
    const own = recorder();
    const ofRun = recorder();
    const gate = createGate({ logger: own.logger });
    await entry({
      turns,
      tools: loginTools(),
      interruptOn: 'all',
      gate,
      logger: ofRun.logger,
      onApprovalRequest: answer,
    });
    await gate.close();
    for (const { lines, above } of [own, ofRun]) {
      expect(above()).not.toContain(SECRET);
      expect(lines.info.length).toBeGreaterThanOrEqual(2);
      // It is this that trace is for.
      expect(JSON.stringify(lines.trace)).toContain(SECRET);
    }
  });

  it('logs no result and no error of a tool', async () => {
    for (const execute of [
      () => SECRET,
      () => {
        throw new Error(SECRET);
      },
    ]) {
      const { logger, lines, above } = recorder();
      await entry({ turns, tools: loginTools(execute), interruptOn: 'all', logger, onApprovalRequest: () => true });
      expect(above()).not.toContain(SECRET);
      expect(lines.debug.length).toBeGreaterThanOrEqual(1);
    }
  });

  it('hears of a logger that rejects later: the process goes on', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const later = Object.fromEntries(
      LEVELS.map((level) => [level, () => Promise.reject(new Error('the line is down'))]),
    ) as unknown as Logger;
    const execute = vi.fn(() => 'in');
    const given = { turns, tools: loginTools(execute), interruptOn: 'all' as const, logger: later };
    await entry({ ...given, onApprovalRequest: () => true });
    // An unhandled rejection is reported before a timer runs.
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off('unhandledRejection', unhandled);
    expect([execute, unhandled].map((each) => each.mock.calls.length)).toEqual([1, 0]);
  });

  it('does not let a logger that throws change what runs', async () => {
    const broken = Object.fromEntries(
      LEVELS.map((level) => [
        level,
        () => {
          throw new Error('disk full');
        },
      ]),
    ) as Logger;
    for (const approved of [true, false]) {
      const execute = vi.fn(() => 'in');
      await entry({
        turns,
        tools: loginTools(execute),
        interruptOn: 'all',
        logger: broken,
        onApprovalRequest: () => approved,
      });
      expect(execute).toHaveBeenCalledTimes(approved ? 1 : 0);
    }
  });
});

describe.each(waitingEntries)('%s, redacted', (_, entry) => {
  const redact = [new RegExp(SECRET)];

  it.each(sample(answers))('logs no secret at any level: %s', async (_name, answer) => {
    const { logger, lines } = recorder();
    const gate = createGate({ logger, redact });
    await entry({ turns, tools: loginTools(), interruptOn: 'all', gate, logger, onApprovalRequest: answer });
    await gate.close();
    expect(JSON.stringify(lines)).not.toContain(SECRET);
    expect(JSON.stringify(lines.trace)).toContain('[redacted: pattern 1]');
  });

  it.for(sample(answers))('keeps no secret in a file: %s', async ([, answer]) => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-g13-'));
    try {
      const gate = createGate({ ledger: `sqlite:${join(folder, 'approvals.db')}`, redact });
      await gate.ready();
      await entry({
        turns,
        tools: loginTools(() => ({ said: SECRET })),
        interruptOn: 'all',
        gate,
        onApprovalRequest: answer,
      });
      // Before it is closed, since that folds one file into the other; and after.
      for (const when of ['open', 'closed']) {
        const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
        const kept = Buffer.concat(files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file)));
        expect(kept.includes(SECRET), when).toBe(false);
        expect(kept.includes('login'), when).toBe(true);
        await gate.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  });
});

describe.each(waitingEntries)('%s, with telemetry', (_, entry) => {
  it.each(sample(answers))('has no arguments, answers or reasons in spans and metrics: %s', async (_name, answer) => {
    const spans = new InMemorySpanExporter();
    const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 1e9 });
    const metering = new MeterProvider({ readers: [reader] });
    const telemetry = { tracer: tracing.getTracer('test'), meter: metering.getMeter('test') };
    for (const execute of [() => ({ said: SECRET }), () => Promise.reject(new Error(SECRET))]) {
      const gate = createGate({ telemetry });
      await entry({ turns, tools: loginTools(execute), interruptOn: 'all', gate, onApprovalRequest: answer });
      await gate.close();
    }
    await metering.forceFlush();
    const told = spans
      .getFinishedSpans()
      .map((span) => [span.name, span.attributes, span.events, span.links, span.status]);
    expect(JSON.stringify([told, metrics.getMetrics()])).not.toContain(SECRET);
    expect(told.length).toBeGreaterThanOrEqual(2);
    await metering.shutdown();
  });
});

describe('errors', () => {
  it('tell no arguments: an edit that does not fit', async () => {
    await using gate = createGate();
    const { run } = start({ turns, tools: loginTools(), interruptOn: 'all', gate });
    const { approvalId } = await until(run, 'approval-requested');
    for (const args of [
      { password: [SECRET] },
      { password: { [SECRET]: 1 } },
      SECRET,
      [SECRET],
      { password: 1, nested: SECRET },
    ]) {
      const error = await gate.edit(approvalId, args).catch((thrown: unknown) => thrown as Error);
      expect((error as Error).message).toMatch(/schema/);
      expect((error as Error).message).not.toContain(SECRET);
    }
    await run.return();
  });

  it.each<[string, object]>([
    ['a function', { password: SECRET, f: () => SECRET }],
    ['a lone surrogate', { password: SECRET, s: `${SECRET}\ud800` }],
    ['too much', { password: SECRET.repeat(10) }],
    ['too deep', { password: SECRET, deep: JSON.parse(`${'['.repeat(150)}${']'.repeat(150)}`) as unknown }],
  ])('tell no arguments: a request with %s', async (_, args) => {
    await using gate = createGate({ maxArgumentBytes: 100 });
    const error = await gate.request({ toolName: 'login', args }).catch((thrown: unknown) => thrown as Error);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).not.toContain(SECRET);
  });

  it('tell no arguments: a decision that came too late', async () => {
    await using gate = createGate();
    const asking = gate.request({ toolName: 'login', args: { password: SECRET } });
    const id = (await gate.pending())[0]?.approvalId ?? '';
    await gate.approve(id);
    await asking;
    for (const late of [gate.approve(id), gate.edit(id, { password: other }), gate.respond(id, SECRET)]) {
      const error = await late.catch((thrown: unknown) => thrown as Error);
      expect((error as Error).message).not.toContain(SECRET);
    }
  });
});

it('warns without arguments', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  try {
    const { run } = start({
      turns,
      tools: loginTools(),
      interruptOn: { '*': true, gone_for_long: true },
      onApprovalRequest: () => true,
    });
    await collect(run);
    expect(warned).toHaveBeenCalled();
    expect(JSON.stringify(warned.mock.calls)).not.toContain(SECRET);
  } finally {
    warned.mockRestore();
  }
});

// The core alone, in processes of its own: it asks nothing of the AI SDK.
describe.skipIf(major === 6)('COUNTERSIGN_LOG', () => {
  const binding = createRequire(import.meta.url).resolve('../../binding/binding.js');
  /** A request's whole life through the native core, each ending, and what it does not take. */
  const program = `
    import { NativeGate, canonicalize, preview } from ${JSON.stringify(binding)};
    const secret = ${JSON.stringify(SECRET)};
    const gate = new NativeGate(JSON.stringify({ maxArgumentBytes: 1000, keepDecided: 10 }));
    const ok = (text) => JSON.parse(text).ok;
    const call = (operation, takes = {}) => gate.callNow(JSON.stringify({ [operation]: takes }));
    const ask = (toolCallId, timeoutMs = null) => ok(call('request', { requests: [{ runId: 'r', toolCallId, toolName: 'login',
      args: { password: secret }, origin: ['main'], description: 'with ' + secret, allowedDecisions: null, timeoutMs }] }))[0].ok;
    const decide = (id, decision, meta = {}) => call('decide', { approvalId: id, decision, meta: { by: null, via: 'gate', ...meta } });
    const redeem = (toolCallId, password) => call('redeem', { runId: 'r', toolCallId, call: { toolName: 'login', args: { password } } });
    const a = ask('a');
    decide(a.approvalId, { type: 'approve', reason: secret });
    redeem('a', secret + ' changed');
    redeem('a', secret);
    redeem('a', secret);
    call('settle', { approvalId: a.approvalId, succeeded: true });
    decide(ask('b').approvalId, { type: 'edit', args: { password: secret } }, { editedArgs: { password: secret + '2' } });
    decide(ask('c').approvalId, { type: 'reject', reason: secret });
    decide(ask('d').approvalId, { type: 'respond', output: secret });
    decide(ask('e').approvalId, { type: 'skip', reason: secret });
    decide(ask('f').approvalId, { type: secret });
    call('parseAnswer', { answer: { type: secret }, toolName: 'login' });
    call('parseAnswer', { answer: secret, toolName: 'login' });
    call('request', { requests: [{ runId: 'r', toolCallId: 'g', toolName: 'login', args: { password: secret.repeat(100) }, origin: [],
      description: null, allowedDecisions: null, timeoutMs: null }] });
    call(secret, secret);
    call('request', { requests: [secret] });
    call('decide', secret);
    gate.callNow('{"secret": "' + secret);
    canonicalize('{"secret": "' + secret);
    preview(JSON.stringify({ toolName: 'login', args: { password: secret }, width: 80 }));
    const woken = new Promise((resolve) => gate.onWake(resolve));
    ask('h', 5);
    const alive = setInterval(() => {}, 1000);
    await woken;
    clearInterval(alive);
    call('drain');
    call('cancelRun', { runId: 'r', reason: 'reason', via: 'abort' });
    call('close', { reason: 'reason' });
    call('drain');
  `;
  const stderrOf = async (env: Record<string, string>): Promise<string> => {
    const { COUNTERSIGN_LOG: _, COUNTERSIGN_LOG_FORMAT: __, ...inherited } = process.env;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...inherited, ...env },
    });
    return (await run).stderr;
  };

  it.each(
    sample(
      ['text', 'json'].flatMap((format) =>
        ['error', 'warn', 'info', 'debug', 'countersign=debug'].map((level) => [level, format] as const),
      ),
      4,
    ),
  )('%s as %s shows none', async (level, format) => {
    const stderr = await stderrOf({ COUNTERSIGN_LOG: level, COUNTERSIGN_LOG_FORMAT: format });
    expect(stderr).not.toContain(SECRET);
    expect(stderr.includes('login')).toBe(/info|debug/.test(level));
  });

  it.each(['text', 'json'])('trace as %s shows them', async (format) => {
    const stderr = await stderrOf({ COUNTERSIGN_LOG: 'trace', COUNTERSIGN_LOG_FORMAT: format });
    expect(stderr).toContain(SECRET);
    expect(
      stderr
        .trim()
        .split('\n')
        .every((line) => line.startsWith('{"timestamp"')),
    ).toBe(format === 'json');
  });

  it('says nothing unasked', async () => {
    expect(await stderrOf({})).toBe('');
  });
});
