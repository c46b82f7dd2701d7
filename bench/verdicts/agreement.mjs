// @ts-check
// Prints how much of the task of P3 a contestant answers as the rules mean it: `node agreement.mjs <contestant>`.

import { compare } from './task.mjs';

const { judge } = await import(`./${process.argv[2]}.mjs`);
process.stdout.write(JSON.stringify(await compare(await judge(100))));
