/** Why a person is asked about a call, in one sentence that is safe to show: the same on every front end. */
import type { ApprovalRequest, AskSource, PolicyRuleRef } from '../../index.js';
import { oneLine } from './in-a-line.js';

type AskedCall = Pick<ApprovalRequest, 'kind' | 'toolName' | 'verdict'> & Partial<Pick<ApprovalRequest, 'askedBy'>>;

/** Who asks, as the beginning of a sentence. */
export const ASKS: Readonly<Record<AskSource, string>> = {
  policy: 'a policy asks',
  interruptOn: 'interruptOn asks',
  needsApproval: 'the tool itself asks (needsApproval)',
  toolApproval: 'toolApproval asks',
  judge: 'the judge of the gate asks',
  program: 'the program asks',
};

/** That rules allow a call is no reason to ask about it: then it is somebody else that asks, who is named. */
export function whyAsked({ kind, toolName, verdict, askedBy }: AskedCall): string {
  if (kind === 'question') return 'only you can answer it';
  const asks = `${ASKS[askedBy ?? 'program']} about calls of ${oneLine(toolName)}`;
  if (verdict === null) return asks;
  const reason = reasonOf(oneLine(verdict.reason), verdict.rule);
  // A policy does not ask about what it allows: then a person has changed what it asked about.
  if (verdict.effect === 'allow' && askedBy === 'policy')
    return `it was edited: it needs your yes, and the rules allow it (${reason})`;
  return verdict.effect === 'allow' ? `${asks}, although the rules would allow it (${reason})` : reason;
}

/** Reasons of commands name their rule; to others it is added. */
function reasonOf(reason: string, rule: PolicyRuleRef | null): string {
  if (rule === null) return reason;
  const source = oneLine(rule.source);
  const short = shortSource(source, rule.layer);
  if (reason.includes(source)) return reason.replaceAll(source, short);
  return `${reason} (${short}${rule.line === null ? '' : `:${rule.line}`})`;
}

/** A project has one policy: where the project is says nothing, and is long. */
const shortSource = (source: string, layer: PolicyRuleRef['layer']): string =>
  (layer === 'project' ? /\.countersign[/\\]policy\.(?:toml|json)$/.exec(source)?.[0] : undefined) ?? source;
