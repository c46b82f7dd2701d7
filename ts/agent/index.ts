/** What `countersign/agent` exports; `agent.d.ts` documents it. */
export { createAskUserTool } from './tools/ask-user.js';
export { createBackendTools } from './tools/backend-tools.js';
export { createTaskTool } from './tools/task.js';
export { createTodosTool } from './tools/write-todos.js';
