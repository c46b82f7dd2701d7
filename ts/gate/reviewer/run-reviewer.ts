/** Asks the reviewer of a run about its calls, and about those of all that is a part of it. What an answer does the core says. */
import type { CallReview, CallReviewer, ReviewBar, ReviewedCall } from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import { messageOf, originOf } from '../../errors/message-of.js';
import { toldKind } from '../../errors/told-value.js';
import { warnSeldom } from '../../errors/warn-once.js';
import { weighReview, type NativeEarlierCall, type NativeReview } from '../../native.js';
import { Redactor } from '../../redact/redactor.js';
import { ownValue } from '../../values/own-value.js';
import { untilAborted } from '../../values/in-time.js';
import { whenAborted } from '../../values/when-aborted.js';
import { snapshot } from '../../values/snapshot.js';
import { oneLine } from '../in-a-line.js';
import { textDigest } from '../text-digest.js';
import { OddOpinion } from './ask-model.js';
import { EarlierCalls, OPEN, type KeptCalls } from './earlier-calls.js';
import { OpenReviews, type OpenReview } from './open-reviews.js';
import { reviewedCall, type AskedReviewer, type CallToReview } from './reviewed-call.js';
import { takeReviewer, type TakenReviewer } from './reviewer-options.js';

/** What says whether an answer may decide, beside the answer. */
export interface ReviewTerms {
  /** Why the verdict is not for a reviewer; `null`: it is. */
  bar: ReviewBar | null;
  /** Whether the request names people who must agree. */
  namesPeople: boolean;
  /** Whether the request may be approved. */
  isApprovable: boolean;
  startedBefore: boolean;
}

/** How it is asked. */
export interface ReviewContext {
  signal: AbortSignal | undefined;
  /** Calls what the program gave in the program's own async context. */
  inContext: <T>(call: () => T) => T;
  /** Where the other calls of the run are. */
  kept: KeptCalls;
  /** Writes down what it said. What it gives back is what counts. */
  write: (review: CallReview) => Promise<CallReview>;
}

type Opinion = Pick<CallReview, 'answer' | 'reason'>;

/** What it said, and whether it had seen all. */
type ReviewOutcome = Opinion & Pick<AskedReviewer, 'isWhole'>;

/** The longest reason that is kept, in characters. */
const LONGEST_REASON = 500;

/** How many rejected calls a run knows again. */
const MOST_REJECTED = 1_000;

/** The call as it would run, and what was asked for. What it changes is another thing once the files are others. */
const keyOf = ({ toolName, args, changes, prompt, task }: ReviewedCall): string =>
  textDigest(JSON.stringify([toolName, snapshot(args).json, changes, prompt, task]));

const ANSWERS: ReadonlySet<unknown> = new Set(['approve', 'reject', 'unsure']);

export class RunReviewer {
  readonly #reviewer: TakenReviewer;
  /** How many calls it has rejected in a row. */
  #rejections = 0;
  /** What it said of calls that it rejected, by all that it was told of them. */
  readonly #rejected = new Map<string, ReviewOutcome>();
  readonly #earlier = new EarlierCalls();
  readonly #open = new OpenReviews();

  constructor(reviewer: TakenReviewer) {
    this.#reviewer = reviewer;
  }

  /** To be called before anything else is waited for: the calls of a step are reviewed together. */
  begin(toolName: string): OpenReview {
    return this.#open.begin(toolName);
  }

  /** What it says of a call. Never rejects, unless the signal is aborted: what goes wrong goes to the human. */
  async review(call: CallToReview, terms: ReviewTerms, open: OpenReview, context: ReviewContext): Promise<CallReview> {
    const { model, criteria, criteriaDigest } = this.#reviewer;
    const { key, ...said } = await this.#opinionOn(call, context);
    const approves = said.answer === 'approve' && this.#weigh(said, terms, []).decides;
    open.tell(approves);
    const earlier = approves ? await this.#earlierOf(call, open, context) : [];
    // The same call may have been rejected beside it.
    const { isWhole, ...opinion } = this.#rejectedBefore(key) ?? said;
    const weighed = this.#weigh({ ...opinion, isWhole }, terms, earlier);
    // The human sees the third: after that it begins anew.
    this.#rejections = opinion.answer === 'reject' && weighed.decides ? this.#rejections + 1 : 0;
    if (weighed.bar === 'refused') this.#earlier.refuse(call.toolName);
    const review = await context.write({ model, criteria, criteriaDigest, ...opinion, ...weighed });
    this.#earlier.add(call, review.answer === 'approve' && review.decides);
    return review;
  }

  #weigh({ answer, isWhole }: ReviewOutcome, terms: ReviewTerms, earlier: NativeEarlierCall[]): NativeReview {
    if (answer === 'failed') return { decides: false, bar: null };
    const { mayApprove } = this.#reviewer;
    return weighReview({ ...terms, answer, mayApprove, isWhole, rejections: this.#rejections, earlier });
  }

  /** The other calls of the tool in the run: those that are reviewed beside it, and those that were before. */
  async #earlierOf(
    call: CallToReview,
    open: OpenReview,
    { signal, kept }: ReviewContext,
  ): Promise<NativeEarlierCall[]> {
    const beside = await untilAborted(open.others(), signal);
    const before = await this.#earlier.of(call, kept);
    signal?.throwIfAborted();
    return [...beside.flatMap((approves) => (approves ? [] : [OPEN])), ...before];
  }

  #rejectedBefore(key: string | undefined): ReviewOutcome | undefined {
    return key === undefined ? undefined : this.#rejected.get(key);
  }

  async #opinionOn(
    call: CallToReview,
    { signal, inContext }: ReviewContext,
  ): Promise<ReviewOutcome & { key: string | undefined }> {
    const { conversation, ask } = this.#reviewer;
    const over = new AbortController();
    const forget = whenAborted(signal, () => over.abort(signal?.reason));
    try {
      signal?.throwIfAborted();
      const given = reviewedCall(call, conversation);
      const key = keyOf(given);
      const before = this.#rejected.get(key);
      // Asked often enough, a model says yes at some time.
      if (before !== undefined) return { ...before, key };
      const { answer, isWhole } = inContext(() => ask(given, { abortSignal: over.signal }));
      // The parts that a diff leaves out were not seen, by function or model.
      const outcome = { ...readOpinion(await this.#inTime(answer, over)), isWhole: isWhole && call.isShownWhole };
      if (outcome.answer === 'reject') this.#remember(key, outcome);
      return { ...outcome, key };
    } catch (error) {
      signal?.throwIfAborted();
      const isOurs = error instanceof LateReview || error instanceof OddOpinion;
      warnSeldom(
        `reviewer:${call.toolName}:${error instanceof LateReview ? 'late' : originOf(error)}`,
        `The reviewer gave no answer to go by for ${call.toolName}, so that a human is asked: ${isOurs ? error.message : `${originOf(error)}: ${toldText(error)}`}`,
      );
      // What somebody else says in an error may quote what they were asked: that is not kept.
      const reason = isOurs ? error.message : shown(`it failed: ${originOf(error)}`);
      return { answer: 'failed', reason, isWhole: false, key: undefined };
    } finally {
      forget();
    }
  }

  #remember(key: string, outcome: ReviewOutcome): void {
    this.#rejected.set(key, outcome);
    const [oldest] = this.#rejected.keys();
    if (this.#rejected.size > MOST_REJECTED && oldest !== undefined) this.#rejected.delete(oldest);
  }

  /** It is told when its answer is no longer awaited. */
  async #inTime(answer: unknown, over: AbortController): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const end = () => {
        const why = new LateReview(`no answer within ${this.#reviewer.timeout} ms`);
        reject(why);
        over.abort(why);
      };
      timer = setTimeout(end, this.#reviewer.timeout);
      over.signal.addEventListener('abort', () => reject(over.signal.reason as Error), { once: true });
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * The reviewer of a run: its own, or that of its gate. A run that brought one of its own to a gate that has one could have approved what
 * the gate leaves to another.
 *
 * @throws {InvalidConfigError}
 */
export function runReviewer(
  gate: { reviewer: TakenReviewer | undefined },
  own: CallReviewer | undefined,
  place: string,
): RunReviewer | undefined {
  if (own !== undefined && gate.reviewer !== undefined)
    throw new InvalidConfigError({ message: `${place}: leave reviewer out: the gate has its own.` });
  const reviewer = gate.reviewer ?? takeReviewer(own, place);
  return reviewer === undefined ? undefined : new RunReviewer(reviewer);
}

class LateReview extends Error {}

/** Of these keys and no others: what a further one says, such as a condition, would be passed over. */
const KEYS: ReadonlySet<PropertyKey> = new Set(['answer', 'reason']);

/** @throws {TypeError} for what is no opinion */
function readOpinion(answer: unknown): Opinion {
  const said = ownValue(answer, 'answer');
  const reason = ownValue(answer, 'reason');
  if (!ANSWERS.has(said) || typeof reason !== 'string')
    throw new OddOpinion(`it answered ${toldKind(answer)}, which is not { answer, reason }`);
  const more = Reflect.ownKeys(answer as object).filter((key) => !KEYS.has(key));
  if (more.length > 0) throw new OddOpinion(`it answered with ${more.length} more than { answer, reason }`);
  return { answer: said as Opinion['answer'], reason: shown(reason) };
}

const COMMON_SECRETS = Redactor.from({ patterns: ['secrets'] });

/** The longest text of an error that is told, in characters. */
const LONGEST_TOLD = 300;

/** What an error says, for the developer: a key that the provider does not take, a host that is not there. */
function toldText(error: unknown): string {
  const text = messageOf(error).slice(0, LONGEST_TOLD * 2);
  const line = oneLine(COMMON_SECRETS?.text(text) ?? text);
  return line.length <= LONGEST_TOLD ? line : `${line.slice(0, LONGEST_TOLD - 1).toWellFormed()}…`;
}

/** In one line that is safe to show, and cut. */
function shown(text: string): string {
  const line = oneLine(text.slice(0, LONGEST_REASON * 2).toWellFormed());
  return line.length <= LONGEST_REASON ? line : `${line.slice(0, LONGEST_REASON - 1).toWellFormed()}…`;
}
