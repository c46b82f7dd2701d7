/** What `countersign/react` exports; `react.d.ts` documents it. For browsers: it loads React and nothing else. */
export { ApprovalCard } from './approval-card.js';
export { safeText } from './safe-text.js';
export { useApprovals } from './use-approvals.js';
