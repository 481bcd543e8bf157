// Without a bundler: all but the ledger, one of whose dependencies is CommonJS, which no page loads.

import axios from 'axios';
import * as core from 'retrywise';
import * as retrying from 'retrywise/axios';
import * as fetching from 'retrywise/fetch';

export const api = {
	axios,
	core,
	fetching,
	retrying,
	keeping: null,
	fetch: (...args) => fetch(...args),
};
