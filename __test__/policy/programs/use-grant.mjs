/** Calls a tool a number of times when it is told to, and says how often it ran without a question. */
import { once } from 'node:events';

const [index, place, times] = process.argv.slice(2);
const { createGate, gateTools } = await import(index);

const gate = createGate({ policyFiles: true, policy: { version: 1 }, place: JSON.parse(place) });
const inputSchema = { jsonSchema: { type: 'object' }, [Symbol.for('vercel.ai.schema')]: true };
const execute = async () => 'done';
const onApprovalRequest = () => false;
const tools = gateTools({ execute: { inputSchema, execute } }, { gate, onApprovalRequest });
const call = (toolCallId) => tools.execute.execute({ command: 'npm run build' }, { toolCallId, messages: [] });

process.stdout.write('ready\n');
await once(process.stdin, 'data');
const said = await Promise.all(Array.from({ length: Number(times) }, (_, at) => call(`${process.pid}-${at}`)));
process.stdout.write(`ran ${said.filter((each) => each === 'done').length}\n`);
await gate.close();
process.exit(0);
