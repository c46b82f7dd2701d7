/** The reviewer of a gate or a run, as it is given. */
import type { LanguageModel } from 'ai';
import type { CallReviewer } from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import { toldKind } from '../../errors/told-value.js';
import { takeNeeded } from '../../options/check.js';
import { textDigest } from '../text-digest.js';
import { checkPositive } from '../check-positive.js';
import { asData } from './as-data.js';
import { idOf, opinionOf } from './ask-model.js';
import type { AskReviewer } from './reviewed-call.js';

/** A reviewer, checked. */
export interface TakenReviewer {
  readonly ask: AskReviewer;
  /** The id of the model; `null`: it is a function. */
  readonly model: string | null;
  readonly criteria: string;
  readonly criteriaDigest: string;
  readonly mayApprove: boolean;
  readonly timeout: number;
  readonly conversation: boolean;
}

const DEFAULT_TIMEOUT_MS = 20_000;

/** They stand in each record. */
const LONGEST_CRITERIA = 10_000;

/** @throws {InvalidConfigError} */
export function takeReviewer(given: CallReviewer | undefined, place: string): TakenReviewer | undefined {
  if (given === undefined) return undefined;
  const at = `${place}: reviewer`;
  const options = takeNeeded('reviewer', given, at);
  const {
    model,
    review,
    criteria = '',
    timeout = DEFAULT_TIMEOUT_MS,
    mayApprove = false,
    conversation = false,
  } = options;
  const wrong = (message: string) => new InvalidConfigError({ message: `${at}${message}.` });
  if ((model === undefined) === (review === undefined))
    throw wrong(' needs either a model with criteria, or review, a function');
  if (review !== undefined && typeof review !== 'function') throw wrong('.review must be a function');
  if (typeof criteria !== 'string') throw wrong(`.criteria must be a text, not ${toldKind(criteria)}`);
  if (criteria.length > LONGEST_CRITERIA) throw wrong(`.criteria is longer than ${LONGEST_CRITERIA} characters`);
  if (model !== undefined && criteria.trim() === '')
    throw wrong('.criteria is missing: say what the model may approve, and what it must reject');
  return {
    ask:
      review === undefined
        ? askModel(model!, criteria)
        : (call, asked) => ({ answer: review(call, asked), isWhole: true }),
    model: model === undefined ? null : idOf(model, at),
    criteria: criteria.toWellFormed(),
    criteriaDigest: textDigest(JSON.stringify(criteria.toWellFormed())),
    mayApprove,
    timeout: checkPositive(`${at}.timeout`, timeout),
    conversation,
  };
}

/** A function is given a call as it is, and a model a text that may be cut. */
const askModel =
  (model: LanguageModel, criteria: string): AskReviewer =>
  (call, { abortSignal }) => {
    const { json, isWhole } = asData(call);
    return { answer: opinionOf(model, criteria, json, abortSignal), isWhole };
  };
