const axios = require('axios');
const { retry } = require('retrywise');
const { default: axiosRetry, attach } = require('retrywise/axios');
const { withRetry } = require('retrywise/fetch');
const testing = require('retrywise/testing');
const cases = require('./cases.cjs');

const timers = {
	fake: () => jest.useFakeTimers(),
	real: () => jest.useRealTimers(),
	advance: (ms) => jest.advanceTimersByTimeAsync(ms),
};

cases({ test, expect, timers, axios, axiosRetry, attach, retry, withRetry, testing });
