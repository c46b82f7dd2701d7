/**
 * Few files, since to import fifty small modules takes several times as long as to import one: what all entries share, and a
 * file for each entry.
 */
const shared = {
  platform: 'node',
  // The host's AI SDK and OpenTelemetry, and the generated loader, which finds the addon next to itself and stands beside `dist` as beside `ts`.
  external: ['ai', '@opentelemetry/api', '../binding/binding.js', '../../binding/binding.js'],
  makeAbsoluteExternalsRelative: false,
  output: { format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
};

/** The rooms that the package's entries share: their classes must be the same in each. */
const CORE = /\/ts\/(?:errors|values|redact|telemetry|policy|gate|ai-sdk|native\.ts)/;

/** What two of them share beside that; its own `index.ts` is one of them. */
const AGENT = /\/ts\/agent\/(?!index\.ts)/;

/** The chat, which is a program, beside them: it is a gate and an agent like any other. */
const CHAT = 'ts/cli/chat/main.ts';

export default [
  {
    ...shared,
    input: { index: 'ts/index.ts', agent: 'ts/agent/index.ts', chat: CHAT },
    output: { ...shared.output, codeSplitting: { groups: [{ name: 'core', test: CORE }, { name: 'deep-agent', test: AGENT }] } },
  },
  // The command stands alone: what imports the package does not load it. It loads the chat only where it is asked for.
  {
    ...shared,
    input: { cli: 'ts/cli/main.ts' },
    external: [...shared.external, './chat/main.js'],
    output: { ...shared.output, codeSplitting: false, paths: { './chat/main.js': './chat.js' } },
  },
];
