/** What OpenTelemetry is told of requests, with its own SDK. */
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { context, metrics, trace, type Attributes, type HrTime } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApprovalAnswer, GateOptions, TelemetryOptions } from '../../index.js';
import { createGate, InvalidConfigError } from '../../ts/index.js';
import { Telemetry } from '../../ts/telemetry/telemetry.js';
import { PATIENTLY } from '../runtimes.js';
import { waitingEntries } from '../support/entries.js';
import { call, calls, says, sleep } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

const spans = new InMemorySpanExporter();
const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
let exporter: InMemoryMetricExporter;
let metering: MeterProvider;
let telemetry: TelemetryOptions;

beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e9 });
  metering = new MeterProvider({ readers: [reader] });
  telemetry = { tracer: tracing.getTracer('test'), meter: metering.getMeter('test') };
});

afterEach(async () => {
  spans.reset();
  await metering.shutdown();
  context.disable();
  trace.disable();
  metrics.disable();
  vi.restoreAllMocks();
});

const ms = ([seconds, nanos]: HrTime): number => Math.round(seconds * 1000 + nanos / 1e6);
const named = (name: string): ReadableSpan[] => spans.getFinishedSpans().filter((span) => span.name === name);

/** The points of a metric: attributes, and a sum or the sum and count of a histogram. */
async function points(name: string): Promise<[Attributes, unknown][]> {
  await metering.forceFlush();
  const all =
    exporter
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? [];
  return all
    .filter(({ descriptor }) => descriptor.name === name)
    .flatMap(({ dataPoints }) =>
      dataPoints.map(({ attributes, value }) => [attributes, value] as [Attributes, unknown]),
    );
}

const turns = [calls(call('del', { path: 'secret-file' }, 'c1')), says('.')];

describe.each(waitingEntries)('%s', (_, entry) => {
  const run = async (answer: () => ApprovalAnswer, options: Partial<GateOptions> = {}) => {
    const { tools, ran } = recordingTools();
    const gate = createGate({ telemetry, ...options });
    await entry({ turns, tools, interruptOn: { del: true }, gate, runId: 'r1', onApprovalRequest: answer });
    await gate.close();
    return ran;
  };

  it('has a span for a request, and one for what ran', async () => {
    const root = tracing.getTracer('host').startSpan('root');
    await context.with(trace.setSpan(context.active(), root), () =>
      run(() => ({ type: 'approve', reason: 'hidden reason' })),
    );
    root.end();
    const [approval, ...others] = named('countersign.approval');
    expect(others).toEqual([]);
    expect(approval?.attributes).toEqual({
      'countersign.approval.id': expect.any(String) as string,
      'countersign.tool.name': 'del',
      'countersign.run.id': 'r1',
      'countersign.origin': ['main'],
      'countersign.effect': 'ask',
      'countersign.decision': 'approve',
      'countersign.via': 'callback',
      'countersign.decided_by': 'callback',
      'gen_ai.tool.name': 'del',
      'gen_ai.tool.call.id': 'c1',
    });
    expect(approval?.status.code).toBe(0);
    expect(approval?.spanContext().traceId).toBe(root.spanContext().traceId);
    const [execution] = named('countersign.execution');
    expect(execution?.attributes).toMatchObject({
      'countersign.tool.name': 'del',
      'countersign.approval.id': approval?.attributes['countersign.approval.id'],
    });
    expect(execution?.links.map((link) => link.context.spanId)).toEqual([approval?.spanContext().spanId]);
    expect(execution?.spanContext().traceId).toBe(root.spanContext().traceId);
    expect(execution?.status.code).toBe(0);
    expect(
      JSON.stringify(spans.getFinishedSpans().map(({ attributes, events, status }) => [attributes, events, status])),
    ).not.toMatch(/secret-file|hidden/);
  });

  it('counts what was decided, how long it took, and what waits', async () => {
    await run(() => false);
    const how = { 'countersign.decision': 'reject', 'countersign.via': 'callback' };
    expect(await points('countersign.decisions')).toEqual([[how, 1]]);
    expect(await points('countersign.approval.wait')).toEqual([[how, expect.objectContaining({ count: 1 })]]);
    expect(await points('countersign.approvals.pending')).toEqual([[{}, 0]]);
    expect(await points('countersign.verdicts')).toEqual([
      [{ 'countersign.effect': 'ask', 'countersign.policy.layer': 'none' }, 1],
    ]);
    expect(named('countersign.execution')).toEqual([]);
  });

  it('names the layer that decided', async () => {
    const ran = await run(() => true, { policy: { version: 1, rule: [{ tools: ['del'], effect: 'deny' }] } });
    expect(ran).toEqual([]);
    expect(await points('countersign.verdicts')).toEqual([
      [{ 'countersign.effect': 'deny', 'countersign.policy.layer': 'code' }, 1],
    ]);
  });
});

/** The spans of that name: they end a moment after the caller has the answer. */
const ended = (name: string) =>
  vi.waitFor(() => {
    expect(named(name)).not.toEqual([]);
    return named(name);
  }, PATIENTLY);

describe('a gate', () => {
  it('has the times of the request in its span and its metric', async () => {
    await using gate = createGate({ telemetry });
    const asking = gate.request({ toolName: 'x', args: {} });
    const [pending] = await gate.pending();
    await sleep(15);
    const record = await gate.approve(pending?.approvalId ?? '', { by: 'ann' });
    await asking;
    const [span] = await ended('countersign.approval');
    expect([ms(span!.startTime), ms(span!.endTime)]).toEqual([record.createdAt, record.decidedAt]);
    expect(span?.attributes).toMatchObject({ 'countersign.decided_by': 'ann', 'countersign.via': 'gate' });
    const [[, wait] = []] = await points('countersign.approval.wait');
    expect(wait).toMatchObject({ sum: (record.decidedAt! - record.createdAt) / 1000 });
  });

  it('marks what expired as an error', async () => {
    await using gate = createGate({ telemetry, timeout: 5 });
    await gate.request({ toolName: 'x', args: {} });
    const [span] = await ended('countersign.approval');
    expect(span?.status).toEqual({ code: 2, message: 'expired' });
    expect(span?.attributes).toMatchObject({
      'error.type': 'expired',
      'countersign.decision': 'expired',
      'countersign.via': 'deadline',
    });
  });

  it('marks an execution that failed, without what was thrown', async () => {
    const { entry } = { entry: waitingEntries[0]![1] };
    const { tools } = recordingTools();
    const failing = { del: { ...tools.del, execute: () => Promise.reject(new Error('thrown secret')) } };
    await using gate = createGate({ telemetry });
    await entry({ turns, tools: failing as never, interruptOn: 'all', gate, onApprovalRequest: () => true });
    const [span] = named('countersign.execution');
    expect(span?.status).toEqual({ code: 2, message: 'failed' });
    expect(span?.attributes['error.type']).toBe('failed');
    expect(JSON.stringify([span?.attributes, span?.events])).not.toContain('thrown');
  });

  it('counts what waits, and lets go of it when it is closed', async () => {
    const gate = createGate({ telemetry });
    const asking = Promise.allSettled([1, 2, 3].map(() => gate.request({ toolName: 'x', args: {} })));
    await vi.waitFor(async () => expect(await points('countersign.approvals.pending')).toEqual([[{}, 3]]), PATIENTLY);
    await gate.close();
    await asking;
    expect(await points('countersign.approvals.pending')).toEqual([[{}, 0]]);
    expect(named('countersign.approval')).toHaveLength(3);
  });

  it('uses the global providers', async () => {
    trace.setGlobalTracerProvider(tracing);
    metrics.setGlobalMeterProvider(metering);
    await using gate = createGate({ telemetry: true });
    const asking = gate.request({ toolName: 'x', args: {} });
    await gate.reject((await gate.pending())[0]?.approvalId ?? '');
    await asking;
    await vi.waitFor(() => expect(named('countersign.approval')).toHaveLength(1), PATIENTLY);
    expect(named('countersign.approval')[0]?.instrumentationScope.name).toBe('countersign');
    expect(await points('countersign.decisions')).toHaveLength(1);
  });

  it.each<[GateOptions['telemetry']]>([[undefined], [false]])('records nothing with %j', async (off) => {
    trace.setGlobalTracerProvider(tracing);
    await using gate = createGate({ telemetry: off });
    const asking = gate.request({ toolName: 'x', args: {} });
    await gate.approve((await gate.pending())[0]?.approvalId ?? '');
    await asking;
    expect(Telemetry.from(off)).toBeUndefined();
    expect(spans.getFinishedSpans()).toEqual([]);
  });

  it('goes on when the SDK throws', async () => {
    const broken = () => {
      throw new Error('no');
    };
    const tracer = { startSpan: broken };
    const instrument = { add: broken, record: broken };
    const made = () => instrument;
    const meter = { createHistogram: made, createCounter: made, createUpDownCounter: made };
    for (const options of [{ tracer }, { meter }, { meter: { ...meter, createCounter: broken } }]) {
      await using gate = createGate({ telemetry: options });
      await sleep(5);
      const asking = gate.request({ toolName: 'x', args: {} });
      await gate.approve((await gate.pending())[0]?.approvalId ?? '');
      expect((await asking).approved).toBe(true);
    }
  });

  it.each<[unknown]>([
    ['yes'],
    [null],
    [[]],
    [{ tracer: {} }],
    [{ meter: 5 }],
    [{ recordArguments: true }],
    [{ spans: true }],
  ])('refuses %j', (options) => {
    expect(() => createGate({ telemetry: options as never })).toThrow(InvalidConfigError);
  });
});

describe('the ledger', () => {
  it('tells how long its operations take', async () => {
    const told = Telemetry.from(telemetry)!;
    told.onLedgerOperation('decide', 0.002);
    told.onLedgerOperation('decide', 0.004, 'ERR_LEDGER_BUSY');
    await expect.poll(() => points('countersign.ledger.duration')).toHaveLength(2);
    const operation = { 'countersign.ledger.operation': 'decide' };
    expect(await points('countersign.ledger.duration')).toEqual([
      [operation, expect.objectContaining({ count: 1, sum: 0.002 })],
      [{ ...operation, 'error.type': 'ERR_LEDGER_BUSY' }, expect.objectContaining({ count: 1 })],
    ]);
  });
});

it('hangs a request under what was active when it was asked, also before the API is loaded', async () => {
  const tracer = tracing.getTracer('host');
  const parents = ['a', 'b'].map((name) => tracer.startSpan(name));
  const gate = createGate({ telemetry });
  const asking = parents.map((parent) =>
    context.with(trace.setSpan(context.active(), parent), () => gate.request({ toolName: 'x', args: {} })),
  );
  const ended = Promise.allSettled(asking);
  await vi.waitFor(async () => expect(await gate.pending()).toHaveLength(2), PATIENTLY);
  await gate.close();
  await ended;
  await vi.waitFor(() => expect(named('countersign.approval')).toHaveLength(2), PATIENTLY);
  expect(new Set(named('countersign.approval').map((span) => span.parentSpanContext?.spanId))).toEqual(
    new Set(parents.map((parent) => parent.spanContext().spanId)),
  );
});

it('warns once when the API is not installed, and goes on', async () => {
  vi.resetModules();
  vi.doMock('@opentelemetry/api', () => {
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  });
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const ours = () =>
    warned.mock.calls.filter(([, options]) => (options as { code?: string }).code === 'COUNTERSIGN_TELEMETRY');
  const fresh = await import('../../ts/index.js');
  for (let count = 0; count < 2; count++) {
    await using gate = fresh.createGate({ telemetry: true });
    await expect.poll(ours).not.toEqual([]);
    const asking = gate.request({ toolName: 'x', args: {} });
    await gate.approve((await gate.pending())[0]?.approvalId ?? '');
    expect((await asking).approved).toBe(true);
  }
  vi.doUnmock('@opentelemetry/api');
  expect(ours()).toHaveLength(1);
  expect(ours()[0]?.[0]).toMatch(/install it, or leave `telemetry` out/);
});
