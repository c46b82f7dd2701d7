import * as countersign from 'countersign';
import { scenario } from './scenario.mjs';

await scenario(countersign);
