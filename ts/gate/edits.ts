/** Arguments that a human wrote instead of the model's: they pass the tool's schema and are judged before they may run. */
import type { ApprovalNeed } from '../../index.js';
import { InvalidDecisionError } from '../errors/index.js';
import { toldValue } from '../errors/told-value.js';
import { messageOf } from '../errors/message-of.js';
import { readBeside, type EditReading, type ShownEdit } from './edited-call.js';
import type { CallVerdict } from './judge.js';
import type { SeenEdit } from './seen-edit.js';
import { canonicalize, coversNeeds } from '../native.js';
import { hasMark } from '../redact/text.js';
import { isSame } from '../values/same.js';
import { asWritten, revive, snapshot, type ValueSnapshot } from '../values/snapshot.js';

/** What an edit is bound to, as it is when it is looked at. */
export interface BoundEdit extends SeenEdit {
  /** What is shown of it. */
  shown: ShownEdit;
}

export interface EditRules {
  toolName: string;
  /** What the tool gets of what a human wrote. Fails with {@link InvalidDecisionError} for what does not fit it. */
  parse: (written: unknown) => Promise<unknown>;
  judge: (args: ValueSnapshot) => Promise<CallVerdict>;
  /** What an approval of the edited call is bound to. */
  bound: (args: ValueSnapshot) => Promise<BoundEdit>;
}

/** An edit that may run. */
export interface CheckedEdit extends SeenEdit {
  /** What the human wrote. */
  written: ValueSnapshot;
  /** What the tool gets: what its schema makes of it. */
  args: ValueSnapshot;
  /** For those who are asked about it. */
  reading: EditReading;
}

/** An edit that cannot be asked about again. */
export interface LostEdit {
  /** Why. */
  lost: string;
  /** Parts of it are gone: only who wrote it knows what it was. */
  isRedacted: boolean;
}

const EDIT_REDACTED = 'it was redacted before it was stored, and cannot be restored.';

/** The edits of one request that were found good, told apart by what would run: a decision holds that. */
export class CheckedEdits {
  /** Who must agree to the request. Until it is made, no single person is enough for a call that names people. */
  needs: readonly ApprovalNeed[] = [];
  readonly #rules: EditRules;
  readonly #good = new Map<string, CheckedEdit>();

  constructor(rules: EditRules) {
    this.#rules = rules;
  }

  /**
   * The edit as it would run, and what it is bound to as things are now.
   *
   * @throws {InvalidDecisionError} when they do not fit the schema or become others by it, are denied, or need others to agree than the
   * request did
   */
  async check(written: unknown): Promise<CheckedEdit> {
    const { toolName, parse, judge, bound } = this.#rules;
    const given = snapshot(written);
    const args = snapshot(await parse(written));
    refuseOther(toolName, given, args);
    // Before it is judged: what changes from here on is a change.
    const { shown, context, changes } = await bound(args);
    const verdict = await judge(args);
    if (verdict.effect === 'deny')
      throw new InvalidDecisionError({ message: `The edited call of ${toolName} is denied: ${verdict.reason}` });
    // Being allowed to change this call gives no say over a call that others must approve.
    const asked = verdict.effect === 'ask' ? (verdict.who?.needs ?? []) : [];
    if (asked.length > 0 && !coversNeeds({ met: this.needs, asked }))
      throw new InvalidDecisionError({
        message: `Others must approve the edited call of ${toolName}: reject this one, and say why, so that they are asked.`,
      });
    // Arguments in a decision have been JSON: an instance of a class comes back as its data.
    const reading = readBeside({ verdict: verdict.said ?? null, shown }, false);
    const edit = { written: given, args, context, changes, reading };
    this.#good.set(digestOf(snapshot(revive(args.json))), edit);
    return edit;
  }

  /** What a human had made of a call, for it to be asked about again; `lost`: the tool cannot run that, and why. */
  async again(args: unknown): Promise<Pick<CheckedEdit, 'written' | 'args'> | LostEdit> {
    const { toolName, parse, judge } = this.#rules;
    const written = snapshot(args);
    if (hasMark(written.json)) return { lost: EDIT_REDACTED, isRedacted: true };
    try {
      const runs = snapshot(await parse(args));
      refuseOther(toolName, written, runs);
      const verdict = await judge(runs);
      return verdict.effect === 'deny' ? { lost: verdict.reason, isRedacted: false } : { written, args: runs };
    } catch (error) {
      if (InvalidDecisionError.isInstance(error)) return { lost: messageOf(error), isRedacted: false };
      throw error;
    }
  }

  /** The edit that a decision speaks of; `undefined` when its arguments never passed the check. */
  checked(args: unknown): CheckedEdit | undefined {
    return this.#good.get(digestOf(snapshot(args)));
  }

  /**
   * Why this edit must not run as it was decided; `undefined`: it may. An edit decided in another process, where the tool is not
   * known, is checked only now: what was approved must be what the tool gets.
   */
  async objection(args: unknown): Promise<string | undefined> {
    if (this.checked(args) !== undefined) return undefined;
    try {
      await this.check(args);
    } catch (error) {
      return messageOf(error);
    }
    if (this.checked(args) !== undefined) return undefined;
    return `The schema of ${this.#rules.toolName} makes other arguments of the edited ones.`;
  }
}

/**
 * What runs is what the human wrote. A schema that transforms has made of the model's arguments those that were shown, and would do so
 * once more.
 *
 * @throws {InvalidDecisionError} that says where they differ
 */
function refuseOther(toolName: string, given: ValueSnapshot, args: ValueSnapshot): void {
  const places = differing(asWritten(given.json), asWritten(args.json));
  if (places === undefined) return;
  const where = places.length === 0 ? '' : `, at ${places.map((each) => toldValue(each)).join(', ')}`;
  throw new InvalidDecisionError({
    message:
      `The schema of ${toolName} makes other arguments of the edited ones, which nobody has seen${where}. ` +
      'Write all of them as the tool is to get them, or reject the call and say why.',
  });
}

/** Without the values, which may be secrets: what is said here is kept and told to the model. `undefined`: they are the same. */
function differing(left: unknown, right: unknown): string[] | undefined {
  if (isSame(left, right)) return undefined;
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(left) || !isObject(right)) return [];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].filter((name) => !isSame(left[name], right[name]) || !(name in left) || !(name in right));
}

export function digestOf(args: ValueSnapshot): string {
  return canonicalize(JSON.stringify(args.json)).digest;
}
