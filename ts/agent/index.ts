/** What `countersign/agent` exports; `agent.d.ts` documents it. */
export {};
