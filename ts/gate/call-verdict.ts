/** What is said of a call before anybody is asked. */
import type { AskSource, ConfinedWrites, PolicyVerdict, ReviewBar } from '../../index.js';
import type { RuleAnswers } from '../policy/rule-answers.js';
import type { NeededConfinement } from './confined-runner.js';
import type { ApproverRules } from './who.js';

/** What one of those that judge a call says of it. Who has no objection says nothing. */
export type CallOpinion =
  | { effect: 'ask'; reason?: string | undefined; who?: ApproverRules | undefined; askedBy?: AskSource | undefined }
  | { effect: 'deny'; reason: string };

/** The first deny: nothing overrides it, so no other source is asked. */
export const denialIn = (opinions: readonly CallOpinion[]): (CallOpinion & { effect: 'deny' }) | undefined =>
  opinions.find((opinion): opinion is CallOpinion & { effect: 'deny' } => opinion.effect === 'deny');

export type CallVerdict = {
  /** What the policies say, where there are any. */
  said?: PolicyVerdict | null | undefined;
  /** Some of the policies say so only of a command that runs confined, to no more than this. */
  confinedTo?: ConfinedWrites | undefined;
} &
  /** `instead`: it would be asked about, and the mode answers. */
  (
    | {
        effect: 'allow';
        instead?: (CallVerdict & { effect: 'ask' }) | undefined;
        /** It holds only where the call is run so, which is looked at right before it runs. */
        confined?: NeededConfinement | undefined;
      }
    /**
     * `floor`: something beside the policies asks, so that only a grant for the whole call answers. `reviewBar`: why a reviewer may not
     * approve it; `null`: it may; absent: no rule has a say. `codeAsks`: a policy of the program asks. `answers`: what it rests on, so that the request is made of the same.
     */
    | {
        effect: 'ask';
        reason?: string | undefined;
        floor?: boolean;
        who?: ApproverRules | undefined;
        reviewBar?: ReviewBar | null;
        askedBy?: AskSource | undefined;
        codeAsks?: boolean;
        answers?: RuleAnswers | undefined;
      }
    /** It does not run, and no question is put. */
    | { effect: 'deny'; reason: string }
  );
