/** Earlier requests about much the same: what was decided about them tells a human something. */
import type { ApprovalRecord } from '../../index.js';
import { shownArgs } from '../gate/agent-reason.js';
import type { ProjectLookup } from '../gate/call-place.js';
import { canonicalize } from '../native.js';
import { trySnapshot } from '../values/snapshot.js';
import type { SimilarRequest } from './protocol.js';
import { brief, summaryOf } from './view.js';

/** How many are shown. */
const SHOWN = 5;

/** Those among `earlier` that are about what this one is about, in the same project, the latest first. */
export async function similarTo(
  record: ApprovalRecord,
  earlier: readonly ApprovalRecord[],
  project: string | undefined,
  projectOf: ProjectLookup,
): Promise<SimilarRequest[]> {
  const [about, args] = [aboutOf(record), argsOf(record)];
  const found: SimilarRequest[] = [];
  for (const other of earlier) {
    if (found.length === SHOWN) break;
    if (other.approvalId === record.approvalId || other.toolName !== record.toolName) continue;
    // What time and machines ended says nothing of what a human thinks of it.
    if (other.decision === null || other.decision.type === 'expired' || other.decision.type === 'cancelled') continue;
    const same = args !== undefined && args === argsOf(other);
    if (!same && (about === undefined || about !== aboutOf(other))) continue;
    // The same words mean something else where the files are others.
    if ((await projectOf(other)) !== project) continue;
    const { approvalId, status, decidedBy, decidedAt, decision } = other;
    found.push({
      approvalId,
      summary: summaryOf(other),
      status,
      decidedBy: decidedBy === null ? null : brief(decidedBy, 80),
      decidedAt,
      reason: decision.reason === undefined ? null : brief(decision.reason),
      same,
    });
  }
  return found;
}

/** The first words of its first command, or the first path that it touches; `undefined`: neither. */
function aboutOf({ verdict, args, contents }: ApprovalRecord): string | undefined {
  if (contents === 'dropped') return undefined;
  for (const action of verdict?.actions ?? []) {
    if (action.kind === 'command' && !action.wrapper) return words(action.argv);
    if ((action.kind === 'read' || action.kind === 'write') && action.path !== null) return `path ${action.path}`;
    if (action.kind === 'url' && action.url !== null && URL.canParse(action.url))
      return `host ${new URL(action.url).host}`;
  }
  if (typeof args !== 'object' || args === null) return undefined;
  const named = args as Record<string, unknown>;
  const own = (name: string): unknown => (Object.hasOwn(named, name) ? named[name] : undefined);
  const command = own('command');
  if (typeof command === 'string') return words(command.trim().split(/\s+/));
  const path = own('file_path') ?? own('path');
  return typeof path === 'string' ? `path ${path}` : undefined;
}

/** `git push` of `/usr/bin/git push --force`. */
function words([program, next]: readonly (string | null)[]): string | undefined {
  if (program === null || program === undefined || program === '') return undefined;
  const name = program.slice(program.lastIndexOf('/') + 1);
  return typeof next === 'string' && /^[\w][\w:-]*$/.test(next) ? `command ${name} ${next}` : `command ${name}`;
}

/** What tells arguments from others, apart from what the agent says of them; `undefined`: they are not whole here. */
function argsOf(record: ApprovalRecord): string | undefined {
  const taken = record.contents === 'kept' ? trySnapshot(shownArgs(record)) : undefined;
  return taken === undefined ? undefined : canonicalize(JSON.stringify(taken.json)).digest;
}
