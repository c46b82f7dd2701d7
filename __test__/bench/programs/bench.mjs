// The benchmark, with measures whose contestants misbehave: `node bench.mjs <what bench/run.mjs can be told>`.
import { join } from 'node:path';
import { hasNumbers, runToEnd } from '../../../bench/child.mjs';
import { attempt, progress, ratio, takeTurns } from '../../../bench/harness.mjs';
import { bench, refuse } from '../../../bench/session.mjs';

/** As seen from bench/. */
const file = '../__test__/bench/programs/contestants.mjs';
/** Enough for one that will never answer, however fast the machine is. */
const patience = 1;

const base = { name: 'the base', file, run: 'steady' };
const ours = { name: 'ours', file, run: 'steady' };
const steadyPeer = { name: 'a steady peer', file, run: 'steady', peer: true };

/** All, in times of the base. */
const turns =
  (subjects, generations = 1) =>
  async (context) => {
    const effort = { generations, rounds: 2, warmUp: 1, batch: 1 };
    const figures = (samples) =>
      Object.fromEntries(subjects.map(({ name }) => [name, ratio(samples[name], samples['the base'])]));
    return figures(await takeTurns(subjects, effort, context, (samples, at) => context.save(figures(samples), at)));
  };

const peer = (run, more) => ({ name: run, file, run, peer: true, ...more });
const badPeers = [
  ...['crashes', 'exits', 'leaves', 'throwsBeside', 'answersNonsense', 'saysNonsense', 'answersWrongly'].map((run) =>
    peer(run),
  ),
  peer('hangs', { patience }),
  peer('spins', { patience }),
  peer('absent', { file: '../__test__/bench/programs/absent.mjs' }),
];

const WAYS = [
  'crashes',
  'exits',
  'prints nonsense',
  'prints something else',
  'prints nothing',
  'does something else',
  'hangs',
  'cannot be started',
  'well',
];

const prints = async (context) => {
  const { node, env, signal } = context;
  const figures = {};
  for (const how of WAYS) {
    const program = how === 'cannot be started' ? join(import.meta.dirname, 'absent') : node;
    const words = [join(import.meta.dirname, 'prints.mjs'), how];
    const given = how === 'hangs' ? { env, signal, patience } : { env, signal };
    const run = () => runToEnd(program, words, given, hasNumbers('value'));
    figures[how] = await attempt(context, how, run, { peer: true });
    context.save(figures, `${how} is the last of it`);
  }
  return figures;
};

const show = (name) => (sheet, figures) => {
  sheet.heading(name);
  for (const [what, figure] of Object.entries(figures)) sheet.line(what, figure, { most: 1_000_000 });
};

const measures = {
  /** What needs no contestant. */
  Tiny: async () => ({ 'a figure': { value: 1 } }),
  Fine: turns([base, ours]),
  BadPeers: turns([badPeers[0], base, ...badPeers.slice(1), ours, steadyPeer], 2),
  Prints: prints,
  BadOwn: turns([base, { ...ours, run: 'crashes' }, steadyPeer]),
  BadBase: turns([{ ...base, run: 'crashes' }, ours, steadyPeer]),
  // After its first part it takes for ever.
  Endless: async (context) => {
    context.save({ 'the first part': { value: 1 } }, 'the first part is the last of it');
    progress('the second part begins');
    return turns([base, { ...ours, run: 'hangs' }])(context);
  },
  // The same as one program.
  EndlessPrint: async ({ node, env, signal, save }) => {
    save({ 'the first part': { value: 1 } }, 'the first part is the last of it');
    progress('the second part begins');
    return runToEnd(node, [join(import.meta.dirname, 'prints.mjs'), 'hangs'], { env, signal }, hasNumbers('value'));
  },
  Bug: async (context) => {
    context.save({ before: { value: 1 } }, 'half of it');
    throw new TypeError('undefined is not a benchmark');
  },
};

const setUp = async ({ node = process.execPath }) => ({
  node,
  env: process.env,
  app: { folder: import.meta.dirname, bytes: {} },
  versions: { node: process.versions.node, 'some-peer': '1.2.3' },
  remove: () => progress('cleaned up'),
});

const registered = Object.entries(measures).map(([name, measure]) => [name, { measure, show: show(name) }]);
process.exitCode = await bench(Object.fromEntries(registered), process.argv.slice(2), setUp).catch(refuse);
