/** Who the people are that decide through a gate: their groups, and what they may. */
import type { ApprovalRequest, Authorize, DecisionOutcome, GateOptions } from '../../index.js';
import { InvalidConfigError, NotAuthorizedError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { warnOnce } from '../errors/warn-once.js';
import { toldKind } from '../errors/told-value.js';
import { safeText } from '../native.js';
import { nearestOf } from '../options/nearest.js';
import { inTime } from '../values/in-time.js';
import type { DecidingPerson } from './decider.js';
import { oneLine } from './one-line.js';

export class ApproverGroups {
  /** The groups of each person. */
  readonly #groups = new Map<string, string[]>();
  /** The names of the groups, as approvers name them; empty where the caller alone knows who is in which. */
  readonly #names: ReadonlySet<string>;
  readonly #authorize: Authorize | undefined;

  /** @throws {InvalidConfigError} */
  constructor({ groups = {}, authorize }: Pick<GateOptions, 'groups' | 'authorize'>) {
    if (authorize !== undefined && typeof authorize !== 'function')
      throw new InvalidConfigError({ message: 'createGate: authorize must be a function.' });
    this.#authorize = authorize;
    if (typeof groups !== 'object' || groups === null || Array.isArray(groups)) throw wrong('groups');
    for (const [group, people] of Object.entries(groups as Record<string, unknown>)) {
      if (group === '' || !Array.isArray(people) || !people.every((name) => typeof name === 'string' && name !== ''))
        throw wrong(`groups[${JSON.stringify(group)}]`);
      for (const name of people as string[]) this.#groups.set(name, [...(this.#groups.get(name) ?? []), group]);
    }
    this.#names = new Set(Object.keys(groups).map((group) => `group:${group}`));
  }

  /** Tells the developer of a group that this gate does not have: a slip in its name would let the call wait for no one. */
  tellUnknown({ needs = [] }: Pick<ApprovalRequest, 'needs'>): void {
    if (this.#names.size === 0) return;
    const named = needs.flatMap(({ approvers, escalate }) => [...(approvers ?? []), ...(escalate?.to ?? [])]);
    for (const name of named) {
      if (!name.startsWith('group:') || this.#names.has(name)) continue;
      const meant = nearestOf(name, [...this.#names]);
      const hint = meant === undefined ? '' : ` (did you mean ${oneLine(meant)}?)`;
      warnOnce(
        `group:${name}`,
        `a request is to be decided by ${oneLine(name)}, and \`groups\` of the gate does not have that group${hint}. Only a person whose \`groups\` are given with the decision can be in it. If that is meant, add it to \`groups\` with the members []`,
      );
    }
  }

  /** The groups of a person, as this gate and the caller know them. */
  groupsOf(name: string | null, known: readonly string[] = []): readonly string[] {
    const own = name === null ? [] : (this.#groups.get(name) ?? []);
    return [...new Set([...known, ...own])];
  }

  /** Whether anything is to be asked before a decision. */
  get authorizes(): boolean {
    return this.#authorize !== undefined;
  }

  /** @throws {NotAuthorizedError} unless the function says that this person may */
  async authorize(request: ApprovalRequest, decision: DecisionOutcome, who: DecidingPerson): Promise<void> {
    const { by, groups = [], via } = who;
    let said: unknown;
    try {
      said = await inTime(this.#authorize?.(decision as never, { request, by, groups, via }), undefined);
    } catch (error) {
      throw refused(request, `authorize failed: ${messageOf(error)}`, error);
    }
    if (said === true) return;
    throw refused(request, typeof said === 'string' && said !== '' ? safeText(said) : noOf(said));
  }
}

/** What is no answer lets nothing through either, and is mended elsewhere than at the person. */
const noOf = (said: unknown): string =>
  said === false || said === ''
    ? 'authorize says no.'
    : `authorize gave ${toldKind(said)}, and must give true, false or the reason.`;

function refused({ approvalId }: ApprovalRequest, why: string, cause?: unknown): NotAuthorizedError {
  return new NotAuthorizedError({ message: `This decision was not accepted: ${why}`, approvalId, cause });
}

const wrong = (place: string): InvalidConfigError =>
  new InvalidConfigError({
    message: `createGate: ${place} must be lists of names of people, by the name of the group.`,
  });
