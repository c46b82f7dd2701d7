/** What `countersign/agent` exports; `agent.d.ts` documents it. */
export { createLocalBackend } from './backend/local-backend.js';
export { createDeepAgent } from './deep-agent.js';
export { describeApprovals } from './describe-approvals.js';
export { createAskUserTool } from './tools/ask-user.js';
export { createBackendTools } from './tools/backend-tools.js';
export { createTaskTool } from './tools/task.js';
export { createTodosTool } from './tools/write-todos.js';
export { BackendError } from '../errors/backend-error.js';
