/**
 * Few files, since to import fifty small modules takes several times as long as to import one: what all entries share, and a
 * file for each entry.
 */
const shared = {
  platform: 'node',
  // The host's AI SDK and OpenTelemetry, and the loader, which finds the addon next to itself and stands beside `dist` as beside `ts`.
  external: ['ai', '@opentelemetry/api', '../binding/binding.js', '../../binding/binding.js'],
  makeAbsoluteExternalsRelative: false,
  // Not minified: a stack says where it was. Without doc comments, though: the declarations have them.
  output: {
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    comments: { jsdoc: false },
  },
};

/** The rooms that the package's entries share: their classes must be the same in each. */
const CORE = /\/ts\/(?:errors|values|redact|telemetry|policy\/|confine|gate|terminal|ai-sdk|native\.ts)/;

/** What two of them share beside that; its own `index.ts` is one of them. */
const AGENT = /\/ts\/agent\/(?!index\.ts)/;

/** What the inbox and its command share. */
const INBOX = /\/ts\/inbox\/(?!index\.ts)|\/node_modules\/@cfworker\//;

/** What the chat and the demo share. */
const CHAT_PROGRAM = /\/ts\/cli\/chat\/(?!screen\/|provider\.ts)/;

/** The chat, which is a program, beside them: it is a gate and an agent like any other. */
const CHAT = 'ts/cli/chat/main.ts';
/** The same on a temporary project, with the scripted model of `examples/start/`. */
const DEMO = 'ts/cli/demo/main.ts';
/** The first day in a project; rarely again. */
const INIT = 'ts/cli/init/main.ts';
/** The command that serves the inbox, for the same reason. */
const INBOX_COMMAND = 'ts/cli/inbox/main.ts';
/** What reads the rules of other products, on the first day and rarely again: only `importPolicy` loads it. */
const POLICY_IMPORT = 'ts/policy-import/index.ts';
/** What it imports only where it needs it: its screen on a terminal, and the provider of a server. Most of both is other people's. */
const LAZY = { './screen/index.js': './screen.js', './provider.js': './provider.js' };

export default [
  {
    ...shared,
    input: {
      index: 'ts/index.ts',
      agent: 'ts/agent/index.ts',
      acp: 'ts/protocols/acp.ts',
      mcp: 'ts/protocols/mcp.ts',
      webhooks: 'ts/webhooks/index.ts',
      chat: CHAT,
      demo: DEMO,
      init: INIT,
      'policy-import': POLICY_IMPORT,
      inbox: 'ts/inbox/index.ts',
      'inbox-command': INBOX_COMMAND,
    },
    external: [...shared.external, ...Object.keys(LAZY)],
    output: {
      ...shared.output,
      codeSplitting: {
        groups: [
          { name: 'core', test: CORE },
          { name: 'deep-agent', test: AGENT },
          { name: 'inbox-handler', test: INBOX },
          { name: 'chat-program', test: CHAT_PROGRAM },
        ],
      },
      paths: LAZY,
    },
  },
  {
    ...shared,
    input: { screen: 'ts/cli/chat/screen/index.ts' },
    output: { ...shared.output, codeSplitting: false, minify: true },
  },
  {
    ...shared,
    input: { provider: 'ts/cli/chat/provider.ts' },
    output: { ...shared.output, codeSplitting: false, minify: true },
  },
  // For browsers: nothing of the rest is in it. A page that is drawn on a server first loads it on both sides.
  {
    ...shared,
    platform: 'browser',
    input: { react: 'ts/react/index.ts' },
    external: ['react', 'react/jsx-runtime'],
    output: { ...shared.output, codeSplitting: false, banner: "'use client';" },
  },
  // What starts the command, and can tell why nothing else could be loaded.
  {
    ...shared,
    input: { cli: 'ts/cli/start.ts' },
    external: ['./main.js'],
    output: { ...shared.output, codeSplitting: false, paths: { './main.js': './command.js' } },
  },
  // The command stands alone: what imports the package does not load it. It loads the chat only where it is asked for.
  {
    ...shared,
    input: { command: 'ts/cli/main.ts' },
    external: [
      ...shared.external,
      './chat/main.js',
      './demo/main.js',
      './init/main.js',
      './inbox/main.js',
      '../policy-import/index.js',
    ],
    output: {
      ...shared.output,
      codeSplitting: false,
      // A program tells what went wrong in words: nobody reads its stacks.
      minify: true,
      paths: {
        './chat/main.js': './chat.js',
        './demo/main.js': './demo.js',
        './init/main.js': './init.js',
        './inbox/main.js': './inbox-command.js',
        '../policy-import/index.js': './policy-import.js',
      },
    },
  },
];
