/** Which of two effects is the stricter. */
import type { PolicyEffect } from '../../index.js';

export const STRICTNESS: Readonly<Record<PolicyEffect, number>> = { allow: 0, ask: 1, deny: 2 };
