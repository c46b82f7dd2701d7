/** Why a person is asked about a call, in one sentence that is safe to show: the same on every front end. */
import type { ApprovalRequest, PolicyRuleRef } from '../../index.js';
import { oneLine } from './in-a-line.js';

type AskedCall = Pick<ApprovalRequest, 'kind' | 'toolName' | 'verdict'>;

/** That rules allow a call is no reason to ask about it: then it is the program that asks. */
export function whyAsked({ kind, toolName, verdict }: AskedCall): string {
  if (kind === 'question') return 'only you can answer it';
  const tool = oneLine(toolName);
  if (verdict === null) return `the program asks about calls of ${tool}; no rule has a say`;
  const reason = reasonOf(oneLine(verdict.reason), verdict.rule);
  return verdict.effect === 'allow'
    ? `the program asks about calls of ${tool}, although the rules would allow it (${reason})`
    : reason;
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
