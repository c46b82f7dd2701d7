/** Checked by `tsc`: what the core writes is what the declarations say, where it is handed on as it is. */
import type * as declared from '../../index.js';
import type * as wire from '../../ts/wire.js';

/** What is left out of most requests, and what of theirs is read from `details`. */
type Added = 'contents' | 'needs' | 'requester' | 'votes' | 'escalatedAt' | keyof Details;
type Details = Pick<
  declared.ApprovalRequest,
  | 'kind'
  | 'step'
  | 'verdict'
  | 'always'
  | 'changes'
  | 'startedBefore'
  | 'askedAgain'
  | 'editedFrom'
  | 'proven'
  | 'review'
  | 'askedBy'
  | 'agentReason'
>;

/** Each is of a type that the other fits. */
type Handed = {
  verdict: [wire.PolicyVerdict, declared.PolicyVerdict];
  problem: [wire.PolicyProblem, declared.PolicyProblem];
  finding: [wire.PolicyFinding, declared.PolicyFinding];
  change: [wire.FileChange, declared.FileChange];
  offer: [wire.GrantOffer, declared.GrantOffer];
  grant: [wire.Grant, declared.Grant];
  need: [wire.ApprovalNeed, declared.ApprovalNeed];
  row: [wire.ArgumentRow, declared.ArgumentRow];
  vote: [wire.Vote, declared.Vote];
  decision: [wire.DecisionOutcome, declared.DecisionOutcome];
  status: [wire.ApprovalStatus, declared.ApprovalStatus];
  request: [wire.NativeApproval, Omit<declared.ApprovalRequest, Added>];
  record: [wire.NativeRecord, Omit<declared.ApprovalRecord, Added>];
  added: [Required<wire.NativeApproval>, Pick<declared.ApprovalRequest, Exclude<Added, keyof Details>>];
  // And the other way round: what is taken.
  decisionBack: [declared.DecisionOutcome, wire.DecisionOutcome];
  statusBack: [declared.ApprovalStatus, wire.ApprovalStatus];
  viaBack: [declared.DecidedVia, wire.DecidedVia];
  needBack: [declared.ApprovalNeed, wire.ApprovalNeed];
  layerBack: [declared.PolicyLayer, wire.PolicyLayer];
  codeBack: [declared.PolicyErrorCode, wire.PolicyErrorCode];
};

/** The names of those that do not fit; a compile error names them. */
type Unfit = {
  [NAME in keyof Handed]: Handed[NAME] extends [infer GIVEN, infer WANTED]
    ? GIVEN extends WANTED
      ? never
      : NAME
    : never;
}[keyof Handed];

export const checked: [Unfit] extends [never] ? true : Unfit = true;
