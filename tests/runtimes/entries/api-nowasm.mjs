// The same in plain JavaScript.

import axios from 'axios';
import * as core from 'retrywise/nowasm';
import * as retrying from 'retrywise/nowasm/axios';
import * as fetching from 'retrywise/nowasm/fetch';
import * as keeping from 'retrywise/nowasm/ledger';

export const api = { axios, core, fetching, retrying, keeping, fetch: (...args) => fetch(...args) };
