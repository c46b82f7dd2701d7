// Ends itself before the process shows any warning.
import { gateTools } from 'countersign';
import { jsonSchema, tool } from 'ai';

const del = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'x' });
gateTools({ del }, { policy: { version: 1, rule: [{ effect: 'deny', tools: 'launch_rockets' }] } });
process.exit(0);
