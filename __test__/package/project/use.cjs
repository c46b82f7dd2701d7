const countersign = require('countersign');

import('./scenario.mjs').then(({ scenario }) => scenario(countersign));
