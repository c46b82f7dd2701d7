/**
 * The native core as the rest of the TypeScript sees it: the generated binding with its JSON texts given types. Nothing here decides
 * anything.
 */
export type {
  DecideMeta,
  FileOperations,
  Gating,
  InterruptPlan,
  FindSealed,
  NativeAnsweredCall,
  NativeAsked,
  NativeAuditEntry,
  NativeBound,
  NativeCall,
  NativeCallParts,
  NativeEarlierCall,
  NativeRedeemed,
  NativeDocument,
  NativeGateOptions,
  NativeGitFiles,
  NativeJudged,
  NativeLayers,
  NativeLook,
  NativeLooked,
  NativeNetwork,
  NativeNote,
  NativePast,
  NativeProposal,
  NativeRequest,
  NativeReview,
  NativeReviewParts,
  NativeRights,
  NativeRunInfo,
  NativeRunStatus,
  NativeSaveRun,
  NativeSavedRun,
  NativeConfinedRun,
  NativeSealed,
  NativeSetting,
  NativeTidied,
  NativeVerdict,
  NativeVerified,
  NativeWho,
  CallStaleness,
} from './wire.js';

export { confineProgram } from './addon.js';
export type {
  CoreEvent,
  KeptDetails,
  KeptRecord,
  NativeRequested,
  RawRecord,
  UnreadableEvent,
} from './native/answers.js';
export { AuditVerifier, type NativeStanding, newAuditKey, openAuditHead, signAuditHead } from './native/audit.js';
export {
  applyInterruptConfig,
  argumentRows,
  canonicalize,
  checkLine,
  coversNeeds,
  fitsPattern,
  hasApprovalTools,
  interruptPlan,
  personRights,
  preview,
  previewLine,
  renamedTool,
  safeText,
  weighCall,
  weighReview,
} from './native/calls.js';
export {
  acceptRules,
  builtinTools,
  checkDocuments,
  isMeant,
  lintDocuments,
  narrowOffer,
  patternFault,
  presetText,
  projectDirectory,
  readSettings,
  readTree,
  runByGit,
  toolchainSecrets,
  trust,
  trusted,
  untrust,
  writeToml,
} from './native/documents.js';
export { NativeFiles } from './native/files.js';
export { type AnsweredRequest, type BoundBy, NativeGate, type RunStore, type ShownCheck } from './native/gate.js';
export { NativeLedger } from './native/ledger.js';
export { NativePolicies } from './native/policies.js';
