// A page: what happened is in `window.found`.

import { api } from './api-nowasm.mjs';
import { openLab } from './lab.mjs';
import { runSuite } from './suite.mjs';

window.found = runSuite(api, openLab(location.origin));
