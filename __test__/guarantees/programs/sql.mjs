/**
 * What another program does to a file with its own SQLite.
 *
 *     sql.mjs <file> <statements>
 */
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(process.argv[2]);
database.exec(process.argv[3]);
database.close();
