/** One file for the whole TypeScript half: to import fifty small modules takes several times as long as to import one. */
const shared = {
  platform: 'node',
  // The host's AI SDK and OpenTelemetry, and the generated loader, which finds the addon next to itself and stands beside `dist` as beside `ts`.
  external: ['ai', '@opentelemetry/api', '../binding/binding.js'],
  makeAbsoluteExternalsRelative: false,
  output: { format: 'esm', entryFileNames: '[name].js', codeSplitting: false },
};

export default [
  { ...shared, input: { index: 'ts/index.ts' } },
  // The command stands alone: what imports the package does not load it.
  { ...shared, external: [...shared.external, '../../binding/binding.js'], input: { cli: 'ts/cli/main.ts' } },
];
