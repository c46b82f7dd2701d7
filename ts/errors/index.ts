/** All error classes. */
export { CountersignError } from './countersign-error.js';
export { AlreadyDecidedError } from './already-decided-error.js';
export { ApprovalExpiredError } from './approval-expired-error.js';
export { DecisionNotAllowedError } from './decision-not-allowed-error.js';
export { DuplicateRequestError } from './duplicate-request-error.js';
export { EventsLostError } from './events-lost-error.js';
export { GateClosedError } from './gate-closed-error.js';
export { InternalError } from './internal-error.js';
export { InvalidArgumentsError } from './invalid-arguments-error.js';
export { InvalidConfigError } from './invalid-config-error.js';
export { InvalidDecisionError } from './invalid-decision-error.js';
export { ModeForbiddenError } from './mode-forbidden-error.js';
export { PolicyError } from './policy-error.js';
export { UnknownApprovalError } from './unknown-approval-error.js';
export { UnknownToolError } from './unknown-tool-error.js';
export { UnsupportedAgentError } from './unsupported-agent-error.js';
export { UnsupportedSdkError } from './unsupported-sdk-error.js';
