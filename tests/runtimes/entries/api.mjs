// What the suite tests, as an application imports it.

import axios from 'axios';
import * as core from 'retrywise';
import * as retrying from 'retrywise/axios';
import * as fetching from 'retrywise/fetch';
import * as keeping from 'retrywise/ledger';

export const api = { axios, core, fetching, retrying, keeping, fetch: (...args) => fetch(...args) };
