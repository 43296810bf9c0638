import { writeFileSync } from 'node:fs';

writeFileSync('prepared', '');
