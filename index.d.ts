/**
 * countersign: human approval between an AI agent's tool call and its execution.
 *
 * These files are the public API, written and reviewed by hand. A test keeps them equal to what the package exports.
 *
 * @packageDocumentation
 */
export * from './types/run.js';
export * from './types/interrupt.js';
export * from './types/request.js';
export * from './types/gate.js';
export * from './types/other-loops.js';
export * from './types/policy.js';
export * from './types/reviewer.js';
export * from './types/activity.js';
export * from './types/confine.js';
export * from './types/errors.js';
