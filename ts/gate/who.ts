/** Who must agree to a call, beside that somebody must. What two needs have in common the core says. */
import type { ApprovalNeed } from '../../index.js';
import type { Gating } from '../native.js';

export interface ApproverRules {
  /** Each must be satisfied; none: anybody, once. */
  needs: readonly ApprovalNeed[];
  /** How many ms before the deadline everybody is told once more; `null`: no reminder. */
  remind: number | null;
}

/** What a tool's entry says; `undefined`: nothing. */
export function whoOf({ needs = [], remind = null }: Gating): ApproverRules | undefined {
  return needs.length === 0 && remind === null ? undefined : { needs, remind };
}

/** What all of them say: each need, and the earliest reminder. */
export function allOf(...said: readonly (ApproverRules | undefined)[]): ApproverRules | undefined {
  const all = said.filter((who) => who !== undefined);
  if (all.length <= 1) return all[0];
  const needs = all.flatMap((who) => who.needs);
  const reminders = all.map(({ remind }) => remind).filter((remind) => remind !== null);
  return { needs, remind: reminders.length === 0 ? null : Math.max(...reminders) };
}

/** Whether only people answer, each time: no grant and no mode does. */
export const asksPeople = (who: ApproverRules | undefined): boolean => who !== undefined && who.needs.length > 0;
